/**
 * How {@link org.holdfast.cdi.Locked} works; not for applications.
 *
 * <p>{@link org.holdfast.cdi.internal.LockExtension} looks at every bean while the application is deployed and makes
 * one immutable {@link org.holdfast.cdi.internal.LockedOperation} of each method that is to be locked, or says what is
 * wrong. {@link org.holdfast.cdi.internal.LockInterceptor} looks the operation up at each call in {@link
 * org.holdfast.cdi.internal.TargetOperations}, and refuses the call if there is none; what comes of it is a {@link
 * org.holdfast.cdi.internal.LockedInvocation}.
 */
@NullMarked
package org.holdfast.cdi.internal;

import org.jspecify.annotations.NullMarked;
