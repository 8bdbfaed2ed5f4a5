/**
 * Names of locks, as the annotation writes them: {@code "order-#{id}"} and a call make {@code "order-42"}.
 *
 * <p>{@link org.holdfast.cdi.internal.name.NameTemplate} is read when the application is deployed. It refuses what can
 * be no name: values whose text is not their identity, and properties that the declared type cannot have. A call only
 * fills it in.
 */
@NullMarked
package org.holdfast.cdi.internal.name;

import org.jspecify.annotations.NullMarked;
