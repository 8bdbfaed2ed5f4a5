// SPDX-License-Identifier: Apache-2.0
/**
 * The algorithm: Redlock with fencing tokens, renewal and release, as pure code.
 *
 * <p>Each package is a room, and knows only rooms below it. In the order to read them, from the inside:
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.quorum}: one acquisition, one renewal, one release on a majority of nodes. Start
 *       at {@link org.holdfast.protocol.quorum.Redlock}.
 *   <li>{@link org.holdfast.protocol.lease}: what this process holds, and how it is renewed, lost, handed off and
 *       released.
 *   <li>{@link org.holdfast.protocol.queue}: the lines in which callers wait, and their places on the nodes.
 *   <li>{@link org.holdfast.protocol.latch}: latches, which have no holder.
 *   <li>{@link org.holdfast.protocol.waiting}: how a caller gets a lock, attempt by attempt, with a thread or without.
 *   <li>{@link org.holdfast.protocol.session}: what a connection handle has. Leases are bound to it or to a
 *       transaction.
 * </ul>
 *
 * <p>Below all of them are
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.node}: what a node is asked and what it answers;
 *   <li>{@link org.holdfast.protocol.env}: time, randomness and threads, which are handed in.
 * </ul>
 *
 * <p>Beside them is {@link org.holdfast.protocol.guard}: whether a node may have forgotten locks, and so has no vote.
 *
 * <p>{@link org.holdfast.protocol.LockEngine} puts the parts together for one process, and is all that this package
 * itself has.
 *
 * <p>Nodes and transactions are handed in ({@link org.holdfast.protocol.node.Nodes}, {@link
 * org.holdfast.protocol.session.Transactions}), so that a simulation can run this very code. No Redis client and
 * nothing of Jakarta EE is known here.
 *
 * <p>Not promised: that a holder which pauses after its last check writes nothing. Only the protected resource can
 * refuse such a write, by the fencing token.
 */
@NullMarked
package org.holdfast.protocol;

import org.jspecify.annotations.NullMarked;
