// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.List;

/**
 * What operators do: they look at nodes and locks, and take locks away from their holders.
 *
 * <p>Each {@link LockConnectionFactory} has these operations. {@link Holdfast#operate(java.util.Map)} returns them
 * without the others, for a tool that takes no lock. Safe for use by any number of threads.
 */
public interface LockOperations extends AutoCloseable {

    /** So many locks may be listed at once. */
    int MAX_LISTED = 10_000;

    /**
     * {@return how many nodes the locks of this factory are on: 1, 3, 5 or 7, as the setting {@code nodes} has them}
     * More than half of them make a majority, whether or not they can be reached now. Asks no node and does not block.
     *
     * @throws IllegalStateException if the settings are not available: there is no resource adapter yet, or one of them
     *     is not valid
     */
    int nodeCount();

    /**
     * Looks at every node now, and reports everything that keeps locks from being taken: nodes that cannot be reached,
     * must not be used, are in quarantine or take no writes (full memory, for example), commands that the user may not
     * call to read, and a wrong wall clock.
     *
     * <p>Opens a connection to each node, one after the other, with the same checks as for locks, and closes it again.
     * Takes two node timeouts for each node at the most, and two round trips or three where all is well. Takes no lock
     * and leaves no key of a lock. A node that takes no further connection, by a changed password for example, is
     * reported; the connections that are open stay in use, and no lease is lost by that. Of the rights to write only
     * that to {@code SET} is tried: a lack of others is reported by the first lock. Meant for start-up, for readiness
     * probes and for people.
     *
     * @return what was found; a failure of nodes is no exception here
     * @throws IllegalStateException if this is closed, or the resource adapter is not started
     */
    CheckReport check();

    /**
     * As {@link #holders(LockRequest)}, of the lock with the given name, in whichever mode it is held.
     *
     * @param name the lock's name, see {@link LockRequest#of(String)}
     * @return the holders
     */
    default List<LockHolder> holders(String name) {
        return holders(LockRequest.of(name));
    }

    /**
     * Returns the present holders of a lock, in all processes: the one that has it alone, or all readers, or the
     * holders of permits.
     *
     * <p>Asks every node and waits for each, one node timeout at the most. A holder is reported if at least one node
     * knows it; {@link LockHolder#nodeCount()} returns how many do. The answer may be out of date when it is returned:
     * it
     * is for people.
     *
     * @param request what to look up: only its names count, and for a {@linkplain LockRequest#semaphore semaphore} the
     *     number of permits
     * @return sorted by name and token; empty if there is no holder. Of more than 1,000 holders some are left out
     * @throws QuorumUnavailableException if too few nodes answered
     * @throws LockException if too few nodes answered since their users may not look
     * @throws IllegalStateException if this is closed
     */
    List<LockHolder> holders(LockRequest request);

    /**
     * Lists locks: those that are held, and those that callers wait for in line.
     *
     * <p>Walks over all keys of each node ({@code SCAN}), a thousand at a time, and stops when it has the names of
     * four times {@code limit} locks, or of 1,000: a node goes on serving others meanwhile. Then asks for holders and
     * waiters of 50 locks at a time, since a key may outlast its lock, until {@code limit} locks are held or waited
     * for. So it costs more than any other call here: a second or more for each million of keys, and as long as the
     * slowest node takes to answer, at most a node timeout, for each 50 locks; it ends after 10 s for each node, and
     * 10 s for all locks. Locks that are taken or released meanwhile may be in the list or not. For people, not for
     * programs that decide by it.
     *
     * @param limit how many locks at the most, from 1 to {@value #MAX_LISTED}
     * @return the locks
     * @throws IllegalArgumentException if the limit is out of range
     * @throws QuorumUnavailableException if too few nodes answered
     * @throws LockException if a node answered that its user may not call {@code SCAN}, {@code ZCARD} or
     *     {@code PUBSUB}, or if too few nodes answered since their users may not look
     * @throws IllegalStateException if this is closed, or the resource adapter is not started
     */
    LockListing locks(int limit);

    /**
     * Returns the present state of one lock: its holders and its waiters.
     *
     * @param request what to look up: only its name counts, the first of several, and for a {@linkplain
     *     LockRequest#semaphore semaphore} the number of permits
     * @return its state
     * @throws QuorumUnavailableException if too few nodes answered
     * @throws LockException if a node answered that its user may not call {@code ZCARD} or {@code PUBSUB}, or if too
     *     few nodes answered since their users may not look
     * @throws IllegalStateException if this is closed, or the resource adapter is not started
     */
    LockState state(LockRequest request);

    /**
     * As {@link #forceRelease(LockRequest, String)} without a reason, of the lock with the given name, in whichever
     * mode it is held.
     *
     * @param name the lock's name, see {@link LockRequest#of(String)}
     * @return the holders that were removed
     */
    default List<LockHolder> forceRelease(String name) {
        return forceRelease(LockRequest.of(name));
    }

    /**
     * As {@link #forceRelease(LockRequest, String)}, without a reason.
     *
     * @param request what is released
     * @return the holders that were removed
     */
    default List<LockHolder> forceRelease(LockRequest request) {
        return forceRelease(request, "");
    }

    /**
     * Takes a lock away from its holders, in whichever process, and lets others have it. For operators, when a holder
     * hangs.
     *
     * <p><strong>The former holder continues to believe that it has the lock</strong> until its next renewal reports
     * the loss: for up to a third of its TTL, or until the end of its TTL if it is not renewed, or for as long as it
     * hangs. In that time two holders work, and nothing but the resource can keep them apart, by refusing the smaller
     * {@linkplain Lease#token() token}. Only a holder in this very process is notified at once. The nodes refuse the
     * former holder's token from now on: it can neither renew nor heal the lock.
     *
     * <p>Waiters keep their places. All names that a former holder's lease covers are lost to it, not only those that
     * are asked for. A caller that takes the lock while this method runs may keep it, or lose it: where that matters
     * use {@link #forceRelease(LockRequest, long, String)}. Each call that reached the nodes is written to the log
     * {@code org.holdfast.audit}, at the level of a warning: one line with the caller, the reason, the lock and its
     * holders before the nodes are told to release it, and one line with the holders that were removed.
     *
     * <p>A lock without a holder is released as well: what nodes keep of a lease that has ended may keep others out for
     * up to the longest TTL, if its process has died. The result is empty then. Where nodes have no token of the lock
     * on record they are not told, nothing is written on them, and there is the second line of the audit alone.
     *
     * @param request what is released: only its names count, and for a {@linkplain LockRequest#semaphore semaphore} the
     *     number of permits, all of which are released
     * @param reason why, and on which operator's word, for the audit; the first 300 characters of it are written,
     *     those without a shape as question marks. An empty text for none
     * @return the holders that were removed, and on how many nodes, sorted by name and token; empty if there were none
     * @throws QuorumUnavailableException if too few nodes answered; some may have released the lock all the same, if
     *     {@link QuorumUnavailableException#isPerhapsReleased()}. Look at its holders before the call is repeated,
     *     which might meet the next holder
     * @throws LockException if the lock cannot be released by a token of this machine's clock, or if too few nodes
     *     answered since their users may not look; nothing is released
     * @throws IllegalStateException if this is closed
     */
    List<LockHolder> forceRelease(LockRequest request, String reason);

    /**
     * As {@link #forceRelease(LockRequest, String)}, of one holder: the one that had this token when it was looked at.
     * If another holder has the lock by now, that one keeps it, and nothing is removed. Of several readers, or holders
     * of permits, the others keep theirs. So this may be repeated.
     *
     * <p>An exclusive lock may be handed off inside its process, with the next token each time and at most 15 times.
     * Other processes do not learn of that: {@link #holders(LockRequest)} reports the first of these tokens there, and
     * each of them names the lock. The process itself knows its holder, whose token alone names it there.
     *
     * @param request what is released: only its names count, and for a {@linkplain LockRequest#semaphore semaphore} the
     *     number of permits
     * @param token the {@linkplain LockHolder#token() token} of that holder, as {@link #holders(LockRequest)} reports
     *     it; more than 0
     * @param reason why, and on which operator's word, for the audit, as above
     * @return the holder that was removed, and on how many nodes, once for each name or permit that it had; empty if no
     *     holder with this token was there
     * @throws IllegalArgumentException if the token is 0 or less: of a holder without one nothing is known
     * @throws QuorumUnavailableException if too few nodes answered; some may have removed that holder all the same, if
     *     {@link QuorumUnavailableException#isPerhapsReleased()}
     * @throws LockException if the lock cannot be released by a token of this machine's clock, or if too few nodes
     *     answered since their users may not look; nothing is released
     * @throws IllegalStateException if this is closed
     */
    List<LockHolder> forceRelease(LockRequest request, long token, String reason);

    /** Ends its threads and sockets. Takes 2 s at the most. Calling it again does nothing. */
    @Override
    void close();
}
