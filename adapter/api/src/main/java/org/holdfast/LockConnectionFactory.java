// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/**
 * Hands out connections to the lock service.
 *
 * <p>In a container, a factory is found in JNDI ({@code @Resource}) and its connections come from the container's pool.
 * Elsewhere it comes from {@link Holdfast#connect(String)}. Safe for use by any number of threads.
 */
public interface LockConnectionFactory extends LockOperations {

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
     * {@code ttl}, a {@code fixedTtl} or an {@code atLeast} above {@code maxLeaseTtlMillis}. Asks no node, and so knows
     * nothing of whether the lock is free. Does not block.
     *
     * <p>By default, all requests pass: a factory that wraps another forwards this call.
     *
     * @param request what a connection would be asked for
     * @throws InvalidLockRequestException if it would be refused
     * @throws IllegalStateException if the settings are not available
     */
    default void validate(LockRequest request) {}

    /**
     * Returns what is known of the nodes now, by the last look at each: this process looks at all of them about once a
     * second. Asks no node and does not block, so a probe may call it as often as it likes.
     *
     * <p>{@link #check()} finds more: a lack of rights, full memory, a wrong wall clock. A node is {@link
     * CheckReport.State#UNUSABLE} until the first look at it has ended: a moment after the lock service has started,
     * which this call starts if nothing has used the factory before.
     *
     * <p>By default, this is {@link #check()}: a factory that wraps another forwards this call.
     *
     * @return what was found; a failure of nodes is no exception here
     * @throws IllegalStateException if this factory is closed, or the resource adapter is not started
     */
    default CheckReport status() {
        return check();
    }

    /**
     * Releases every lease that was taken through this factory and ends its threads and sockets.
     *
     * <p>So the owner of the factory calls it when the callers have ended. A caller that still works under a lease is
     * not notified: {@link Lease#isHeld()} is false from then on, {@link Lease#requireHeld()} fails, and others may
     * have the lock. Leases of open transactions are not released: this method waits for these transactions, up to the
     * setting {@code stopTimeoutMillis} (default 5 s), and then declares their leases lost. Such a transaction cannot
     * commit, listeners are called, and the nodes keep the lock until its TTL ends.
     *
     * <p>A factory that a web module of a server has opened stops as the resource adapter does, because servers end
     * applications while requests are under way: this method waits for all leases to be released, up to {@code
     * stopTimeoutMillis}. What is held then is lost, listeners are called, and the nodes keep the lock until its TTL
     * ends: no lock is freed under a holder that works.
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
