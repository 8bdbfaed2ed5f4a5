/**
 * The algorithm: Redlock with fencing tokens, renewal and release, as pure code.
 *
 * <p>Start at {@link org.holdfast.protocol.quorum.Redlock}: one acquisition, one renewal, one release over a quorum of
 * nodes. Rooms of their own are
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.quorum}: one attempt on a majority of nodes, and nothing else;
 *   <li>{@link org.holdfast.protocol.node}: what a node is asked and what it answers;
 *   <li>{@link org.holdfast.protocol.guard}: whether a node may have forgotten locks, and so has no vote;
 *   <li>{@link org.holdfast.protocol.env}: time and randomness, which are handed in.
 * </ul>
 *
 * <p>In this room, in the order to read them:
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.HeldLock} is a lock that this process holds, with its end of validity and its
 *       states: held, released, lost. {@link org.holdfast.protocol.Renewals} is the one sweep that renews every lease,
 *       and checks each in time. {@code HeldLocks} has all of them, by name.
 *   <li>{@code Grants} keeps what nodes have granted. {@code Leases} is what holders do with it: check, renew, confirm,
 *       give back. A lock that is given back goes to the next waiter of this process ({@code Handoff}), or {@code
 *       Releases} releases it on the nodes.
 *   <li>A loss becomes final in {@code HeldLock}, by the first thread that sees it: {@code Losses} then removes the
 *       lock, {@code LossInterrupt} interrupts the thread, {@code LossNotifier} has the listeners called by {@code
 *       Callbacks}. {@code LeaseShutdown} ends what is held when the service stops.
 *   <li>{@code Acquirer} takes locks: once more if their holder has them ({@code Reentry}), else from the nodes. What a
 *       caller asks for is a {@code Demand}, its {@code Attempts} are begun by {@code Requests}, and {@code Claims}
 *       makes each of them on the nodes. The caller waits as a thread ({@code Waiting}) or without one ({@code
 *       WaitingWithoutThread}). Its place in line ({@code Places}) is one in the {@code WaitQueues}, and if the nodes
 *       are to know it also a {@link org.holdfast.protocol.node.Ticket}, which {@code Tickets} keeps there. {@code
 *       HandoffYield} lets callers of other processes go first after a release.
 *   <li>{@link org.holdfast.protocol.LockEngine} puts all these parts together.
 *   <li>{@link org.holdfast.protocol.LockSession} is what a connection handle has: it binds leases to the handle or to
 *       the transaction; {@link org.holdfast.protocol.JdkLock} gives them the shape of the JDK's locks.
 * </ul>
 *
 * <p>Nodes and transactions are handed in ({@link org.holdfast.protocol.node.Nodes}, {@link
 * org.holdfast.protocol.Transactions}), so that a simulation can run this very code. No Redis client and nothing of
 * Jakarta EE is known here.
 *
 * <p>Not promised: that a holder which pauses after its last check writes nothing. Only the protected resource can
 * refuse such a write, by the fencing token.
 */
package org.holdfast.protocol;
