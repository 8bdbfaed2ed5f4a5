/**
 * What a method with the annotation asks for, read once and never changed.
 *
 * <p>{@link org.holdfast.cdi.internal.operation.OperationReader} reads the annotation, and what MicroProfile Config
 * says in its place, and makes one {@link org.holdfast.cdi.internal.operation.LockedOperation} of them, or says what is
 * wrong. Knows names, but nothing of CDI containers, deployments and calls.
 */
@NullMarked
package org.holdfast.cdi.internal.operation;

import org.jspecify.annotations.NullMarked;
