/**
 * Where connections for locks come from: {@link org.holdfast.cdi.internal.factory.FactoryLocator} takes the bean of the
 * application, else what is bound in JNDI, and remembers only what is the same for all callers.
 */
@NullMarked
package org.holdfast.cdi.internal.factory;

import org.jspecify.annotations.NullMarked;
