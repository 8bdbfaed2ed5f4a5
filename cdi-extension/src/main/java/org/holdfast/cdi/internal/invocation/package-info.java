/**
 * One call of a locked method: {@link org.holdfast.cdi.internal.invocation.LockedInvocation} takes the lock, runs the
 * method, lets its transaction join the lease, and releases the lock when the work is done, which for a stage or a
 * publisher is later than the return. An interceptor outside of the lock may attempt a call more than once, also at one
 * time: {@link org.holdfast.cdi.internal.invocation.Attempts} tells these apart, and each has a lock of its own.
 *
 * <p>What calls use is handed in as {@link org.holdfast.cdi.internal.invocation.CallServices}.
 */
@NullMarked
package org.holdfast.cdi.internal.invocation;

import org.jspecify.annotations.NullMarked;
