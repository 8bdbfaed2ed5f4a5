// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.List;

/**
 * Hands out connections to the lock service.
 *
 * <p>In a container, a factory is found in JNDI ({@code @Resource}) and its connections come from the container's pool.
 * Elsewhere it comes from {@link Holdfast#connect(String)}. Safe for use by any number of threads.
 */
public interface LockConnectionFactory extends AutoCloseable {

    /**
     * {@return a connection} Close it after use, best with try-with-resources.
     *
     * <p>May block while the container's pool is exhausted, as long as the pool is configured to.
     *
     * @throws LockException if the container has no connection to give
     * @throws IllegalStateException if this factory is closed
     */
    LockConnection getConnection();

    /**
     * Checks whether a connection of this factory would refuse a request for its settings, before anything is locked: a
     * {@code ttl} or an {@code atLeast} above {@code maxLeaseTtlMillis}. Asks no node and does not block.
     *
     * <p>By default, all requests pass: a factory that wraps another forwards this call.
     *
     * @param request what a connection would be asked for
     * @throws InvalidLockRequestException if it would be refused
     * @throws IllegalStateException if the settings are not available
     */
    default void check(LockRequest request) {}

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
     * @throws IllegalStateException if this factory is closed, or the resource adapter is not started
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
     * knows it; {@link LockHolder#nodes()} returns how many do. The answer may be out of date when it is returned: it
     * is for people.
     *
     * @param request what to look up: only its names count, and for a {@linkplain LockRequest#permit semaphore} the
     *     number of permits
     * @return sorted by name and token; empty if there is no holder. Of more than 1,000 holders some are left out
     * @throws QuorumUnavailableException if too few nodes answered
     * @throws LockException if the container has no connection to give
     * @throws IllegalStateException if this factory is closed
     */
    List<LockHolder> holders(LockRequest request);

    /**
     * As {@link #forceRelease(LockRequest)}, of the lock with the given name, in whichever mode it is held.
     *
     * @param name the lock's name, see {@link LockRequest#of(String)}
     * @return the holders that were removed
     */
    default List<LockHolder> forceRelease(String name) {
        return forceRelease(LockRequest.of(name));
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
     * are asked for. A caller that takes the lock while this method runs may keep it, or lose it. Each call that
     * reached the nodes is written to the log {@code org.holdfast.audit} in one line, at the level of a warning: the
     * caller, the lock, and the holders that were removed.
     *
     * @param request what is released: only its names count, and for a {@linkplain LockRequest#permit semaphore} the
     *     number of permits, all of which are released
     * @return the holders that were removed, and on how many nodes, sorted by name and token; empty if there were none
     * @throws QuorumUnavailableException if too few nodes answered; some may have released the lock all the same
     * @throws LockException if the container has no connection to give
     * @throws IllegalStateException if this factory is closed
     */
    List<LockHolder> forceRelease(LockRequest request);

    /**
     * Releases every lease that was taken through this factory and ends its threads and sockets.
     *
     * <p>So the owner of the factory calls it when the callers have ended. A caller that still works under a lease is
     * not notified: {@link Lease#isHeld()} is false from then on, {@link Lease#requireHeld()} fails, and others may
     * have the lock. Leases of open transactions are not released: this method waits for these transactions, up to the
     * setting {@code stopTimeoutMillis} (default 5 s), and then declares their leases lost. Such a transaction cannot
     * commit, listeners are called, and the nodes keep the lock until its TTL ends.
     *
     * <p>Callers that wait for a lock stop waiting at once and get an {@link IllegalStateException}; their places in
     * lines are given up. Futures of asynchronous requests that have no lease yet fail with it: every {@code get} and
     * {@code join} ends, whatever the application's code does. That code (continuations and listeners of losses) never
     * runs on the thread that calls this method. It runs on up to 152 further daemon threads; if continuations block
     * all of them for ever, the remaining ones are not called.
     *
     * <p>Takes 2 s at the most where no transaction is open, even if no node answers. Calling it again does nothing. In
     * a container the life of the service belongs to the resource adapter, and this method does nothing.
     */
    @Override
    void close();
}
