/**
 * The algorithm: Redlock with fencing tokens, renewal and release, as pure code.
 *
 * <p>Start at {@link org.holdfast.protocol.Redlock}: one acquisition, one renewal, one release over a quorum of nodes, in
 * the order of the steps that <a
 * href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">the algorithm's page</a> gives. What
 * surrounds it:
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.Command} and {@link org.holdfast.protocol.Reply} are the conversation with one node;
 *       {@link org.holdfast.protocol.Tally} counts the answers of all.
 *   <li>{@link org.holdfast.protocol.Hold} is a lock that this process holds, with its end of validity and its states:
 *       held, released, lost.
 *   <li>{@link org.holdfast.protocol.Target} is what a lease covers: names alone, a name to read, a permit; {@link
 *       org.holdfast.protocol.Claim} one acquisition of it.
 *   <li>{@link org.holdfast.protocol.LeaseManager} acquires with waiting and re-entry; {@code Releases} passes locks on and lets
 *       go. A caller's attempts are {@code Attempts}; it waits as a thread ({@code Waiting}) or without one ({@code WaitingWithoutThread}), in
 *       the lines of the {@code WaitingRoom}, and if the nodes are to know its place, with a {@link
 *       org.holdfast.protocol.Ticket}.
 *   <li>{@link org.holdfast.protocol.Renewals} is the one sweep that renews every lease and declares the lost ones;
 *       {@link org.holdfast.protocol.UnfinishedReleases} tells nodes that did not answer until they have heard it.
 *   <li>{@link org.holdfast.protocol.NodeGuard} decides whether a node may have forgotten locks, and so has no vote;
 *       {@link org.holdfast.protocol.Clocks} whether its clock has jumped; {@link org.holdfast.protocol.Lookout} looks at
 *       the nodes for both.
 *   <li>{@link org.holdfast.protocol.LockSession} is what a connection handle has: it binds leases to the handle or to
 *       the transaction; {@link org.holdfast.protocol.LockView} gives them the shape of the JDK's locks.
 * </ul>
 *
 * <p>Time, randomness, nodes and transactions are handed in ({@link org.holdfast.protocol.Time}, {@link
 * org.holdfast.protocol.Randomness}, {@link org.holdfast.protocol.Nodes}, {@link org.holdfast.protocol.Transactions}), so
 * that a simulation can run this very code. No Redis client and nothing of Jakarta EE is known here.
 *
 * <p>Not promised: that a holder which pauses after its last check writes nothing. Only the protected resource can refuse
 * such a write, by the fencing token.
 */
package org.holdfast.protocol;
