/**
 * Locks by annotation: {@link org.holdfast.cdi.Locked} on the methods of CDI beans and EJBs.
 *
 * <p>The lock is outside the transaction: lock, begin, work, commit, and only then release. The lease of the method can
 * be injected; {@link org.holdfast.cdi.Fence} makes a row of a database refuse a holder that comes too late with it.
 * Events report what becomes of locks: {@link org.holdfast.cdi.LeaseAcquired}, {@link org.holdfast.cdi.LeaseReleased},
 * {@link org.holdfast.cdi.LeaseLost} and {@link org.holdfast.cdi.LockTimedOut}.
 */
@NullMarked
package org.holdfast.cdi;

import org.jspecify.annotations.NullMarked;
