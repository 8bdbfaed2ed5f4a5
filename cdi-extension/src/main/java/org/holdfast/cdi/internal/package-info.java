/**
 * How {@link org.holdfast.cdi.Locked} works; not for applications.
 *
 * <p>{@link org.holdfast.cdi.internal.LockExtension} observes the deployment, and {@link
 * org.holdfast.cdi.internal.LockInterceptor} each call. The rooms below do the work, and none knows the ones to its
 * left: {@code invocation}, {@code deployment}, {@code factory}, {@code operation}, {@code name}. Read {@link
 * org.holdfast.cdi.internal.invocation.LockedInvocation} first.
 */
@NullMarked
package org.holdfast.cdi.internal;

import org.jspecify.annotations.NullMarked;
