// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.concurrent.TimeUnit;

/**
 * A semaphore in the shape of {@link java.util.concurrent.Semaphore}, with the lease behind each permit.
 *
 * <p>As there, permits belong to no thread: what one thread acquired through a connection, another one may release
 * through the same connection. A thread that acquires twice has two permits, and where it has all of them it waits for
 * itself.
 *
 * <p>Five things are not as in the JDK:
 *
 * <ul>
 *   <li>A permit is released only if it was acquired: {@link #release()} adds none.
 *   <li>Nodes may be out of reach: {@link #tryAcquire()} then throws {@link QuorumUnavailableException}, for false
 *       would mean that all permits are taken.
 *   <li>A permit may be lost while it is held: {@link #lease()} reports that, and so does {@link #release()}.
 *   <li>Permits are acquired one by one: two callers that each have some and wait for more would wait for each other.
 *   <li>Closing the connection releases what is left. Inside a transaction permits stay taken until that has completed.
 * </ul>
 *
 * <p>Safe for use by any number of threads, as long as the connection is open.
 */
public interface LeaseSemaphore {

    /**
     * Acquires a permit, and waits for it for ever, also for nodes that cannot be reached, until the connection or its
     * factory is closed.
     *
     * @throws InterruptedException if the thread is interrupted before or while waiting; no permit is acquired then
     * @throws IllegalStateException if the connection is closed
     */
    void acquire() throws InterruptedException;

    /**
     * As {@link #acquire()}, and ignores interrupts: they cost no place in a line, and the interrupt status is as it
     * was.
     *
     * @throws IllegalStateException if the connection is closed
     */
    void acquireUninterruptibly();

    /**
     * Acquires a permit if one is free now, and does not overtake callers that wait in line. Blocks for up to three
     * round trips, a node timeout each at the most.
     *
     * <p>Callers that ask at the very same moment may take each other's votes, so that a permit stays free. Then each
     * of them asks again after some milliseconds, for half a second; where nodes answer slowly for longer, 4 s at the
     * most. A caller to whom no node has given a vote just then is told at once that all permits are taken.
     *
     * @return false if all permits are taken
     * @throws QuorumUnavailableException if too few nodes could be asked
     */
    boolean tryAcquire();

    /**
     * Acquires a permit if one becomes free within the time.
     *
     * @param time how long to wait, in the unit; less than zero is zero
     * @param unit of the time
     * @return false if all permits were taken during all that time
     * @throws InterruptedException if the thread is interrupted before or while waiting; no permit is acquired then
     * @throws QuorumUnavailableException if too few nodes could be asked until the time was over
     */
    boolean tryAcquire(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Releases the permit that the calling thread acquired last through this connection. If it has none, releases the
     * one that was acquired last by any thread.
     *
     * <p>So a thread that releases for others, and has a permit of its own, releases its own first.
     *
     * @throws IllegalMonitorStateException if no permit is held through this connection, or if that one was lost: then
     *     its cause is a {@link LeaseLostException}
     */
    void release();

    /**
     * {@return the lease of the permit that {@link #release()} would release now: for its token and {@link
     * Lease#onLost}} It belongs to this semaphore: release it by {@link #release()}. Asks no node.
     *
     * @throws IllegalMonitorStateException if no permit is held through this connection
     */
    Lease lease();

    /**
     * {@return how many permits are free now, as far as the nodes know: the number of the semaphore, less those that
     * holders have in whichever process}
     *
     * <p>For people and monitoring: the answer may be out of date when it is returned. Asks every node and waits for
     * each, one node timeout at the most.
     *
     * @throws QuorumUnavailableException if too few nodes answered
     * @throws IllegalStateException if the service is stopped
     */
    int availablePermits();
}
