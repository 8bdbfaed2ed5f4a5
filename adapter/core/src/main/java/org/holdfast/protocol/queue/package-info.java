// SPDX-License-Identifier: Apache-2.0
/**
 * The order of callers: the lines in which the callers of this process wait, and their places on the nodes.
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.queue.Demand} is what a caller asks for, and thereby the line in which it waits.
 *   <li>{@link org.holdfast.protocol.queue.WaitQueues} has the lines of this process. When a lock is released here, it
 *       wakes the head of the line, or hands the lock to it. {@code WaitLine} is one line, in the order in which the
 *       nodes serve its waiters. {@link org.holdfast.protocol.queue.AskingOrder} says when one of them asks the nodes
 *       for its place.
 *   <li>{@link org.holdfast.protocol.queue.Places} has the place of each caller: one in a line, and if the nodes are to
 *       know the order also a {@link org.holdfast.protocol.node.Ticket}. {@link org.holdfast.protocol.queue.Tickets}
 *       keeps the tickets on the nodes, {@code LeftTickets} takes them away. {@link
 *       org.holdfast.protocol.queue.Patience} says for how long a caller stays.
 *   <li>{@link org.holdfast.protocol.queue.ReleaseNotifications} reports releases by other processes. {@link
 *       org.holdfast.protocol.queue.HandoffYield} lets these go first after a release by this one.
 * </ul>
 *
 * <p>Nothing here attempts to acquire, or blocks a thread: that is decided in {@code waiting}. The room knows {@code
 * lease} and the rooms below it.
 */
@NullMarked
package org.holdfast.protocol.queue;

import org.jspecify.annotations.NullMarked;
