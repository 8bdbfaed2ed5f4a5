// SPDX-License-Identifier: Apache-2.0
/**
 * What this process holds: it is renewed, checked, lost, handed off and released here.
 *
 * <p>Start at {@link org.holdfast.protocol.lease.HeldLock}: a lock that this process holds, with its end of validity
 * and its states held, released and lost. It was asked for by a {@link org.holdfast.protocol.lease.Taker}, may be taken
 * once more by its {@link org.holdfast.protocol.lease.Holder}, and is held as its {@link
 * org.holdfast.protocol.lease.LeaseTerms} say. {@link org.holdfast.protocol.lease.HeldLocks} has all of them, by name.
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.lease.Grants} keeps a lock that the nodes have granted. A lock that comes after
 *       the service was stopped is released, and one during whose acquisition the clock stood still is lost.
 *   <li>{@link org.holdfast.protocol.lease.Renewals} is the one sweep that renews every lock, and checks each in time.
 *       They wait for it in a {@code DueOrder}.
 *   <li>{@link org.holdfast.protocol.lease.Leases} is what holders do: check, renew, confirm before a commit, give a
 *       {@link org.holdfast.protocol.lease.LeaseShare} back.
 *   <li>A lock without a share left goes to the next waiter of this process ({@link
 *       org.holdfast.protocol.lease.Handoff}), or {@link org.holdfast.protocol.lease.Releases} releases it on the
 *       nodes. The locks that follow each other without a release on the nodes are a {@link
 *       org.holdfast.protocol.lease.Cohort}. While there is a {@code Suspicion} that an operator
 *       has taken the lock away, it is not handed off.
 *   <li>The first thread that sees a loss makes it final, in {@code HeldLock}. {@link
 *       org.holdfast.protocol.lease.Losses} then removes the lock, and {@link org.holdfast.protocol.lease.LossNotifier}
 *       has the listeners called.
 * </ul>
 *
 * <p>No caller that waits is known here. Waiters are told through {@link org.holdfast.protocol.lease.Successor}, which
 * the room {@code queue} implements. The room knows {@code quorum}, {@code node} and {@code env}.
 */
@NullMarked
package org.holdfast.protocol.lease;

import org.jspecify.annotations.NullMarked;
