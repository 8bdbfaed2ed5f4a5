// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.time.Duration;

/**
 * Opens when it was counted down so many times, by whichever threads of whichever processes, and then stays open:
 * {@link java.util.concurrent.CountDownLatch} on several machines.
 *
 * <p>It never opens early, as long as nodes report only what they recorded: the calls themselves, each by an id of its
 * own, so a command that arrives twice or late counts once. It may open late, or never, where nodes lose what they
 * recorded: see the section on latches in {@code docs/safety.md}. So a caller that waits for more than a moment gives a
 * timeout.
 *
 * <p>A latch is reset by a higher generation: all its users agree on the generation, for instance the number of the
 * run. Nodes refuse the lower ones from then on, and a generation is not to be used again. Nodes keep a latch for a day
 * after its last use; a caller that waits uses it.
 *
 * <p>Safe for use by any number of threads, as long as the connection that gave it is open.
 */
public interface DistributedLatch {

    /** So many times may a latch have to be counted down. */
    int MAX_COUNT = 1000;

    /** The largest generation: what scripts count with is exact up to here. */
    long MAX_GENERATION = 1L << 53;

    /** {@return the latch's name} */
    String name();

    /** {@return which use of the name this is} */
    long generation();

    /** {@return how many times it is to be counted down in all, not how many times are left} */
    int initialCount();

    /**
     * Counts down once, under an id that no other call has. Counting down an open latch does nothing.
     *
     * <p>While too few nodes confirm that, it is sent again, for as long as the factory's default wait timeout. An
     * interrupt ends that too, and stays set. So does closing the connection. In a container, no connection of the pool
     * is kept meanwhile.
     *
     * @throws CountDownUnconfirmedException if it is not known whether it counts; {@link #countDown(String)} with
     *     the id of the exception repeats it, and counts once
     * @throws QuorumUnavailableException if no node could be asked: it does not count
     * @throws LockException if so many nodes have a higher generation or another count that no majority can agree
     * @throws IllegalStateException if the connection is closed or the service is stopped
     */
    void countDown();

    /**
     * Counts down once for all calls with the same id, in whichever process: for work that may be done again after a
     * crash.
     *
     * @param id 1 to 64 letters, digits, points, colons, hyphens or underscores of ASCII
     * @throws CountDownUnconfirmedException if it is not known whether it counts; the same call repeats it
     * @throws QuorumUnavailableException if no node could be asked: it does not count
     * @throws InvalidLockRequestException if the id is not valid
     * @throws LockException if so many nodes have a higher generation or another count that no majority can agree
     * @throws IllegalStateException if the connection is closed or the service is stopped
     */
    void countDown(String id);

    /**
     * Waits until the latch is open. In a container, no connection of the pool is kept meanwhile.
     *
     * @param timeout how long to wait; zero to ask once
     * @return whether it is open
     * @throws QuorumUnavailableException if too few nodes could be asked when they were asked last; nodes that had less
     *     than a node timeout for their answers, because the time was over, are taken for what they were before
     * @throws LockException if so many nodes have a higher generation or another count that no majority can agree
     * @throws InterruptedException if the thread is interrupted before or while waiting; while nodes are asked, that
     *     takes a node timeout at the most
     * @throws IllegalStateException if the connection is closed or the service is stopped, before or while waiting;
     *     likewise
     */
    boolean await(Duration timeout) throws InterruptedException;
}
