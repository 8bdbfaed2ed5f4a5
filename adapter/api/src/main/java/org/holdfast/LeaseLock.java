// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock in the shape of the JDK's, with the lease behind it: of any {@link LockRequest}, so also a fair one, several
 * names or a permit.
 *
 * <p>It has the re-entry of {@link java.util.concurrent.locks.ReentrantLock}: a thread that holds it takes it again at
 * once, and it is free after as many calls of {@link #unlock}. What a thread took through one connection, it releases
 * through views of that connection; closing the connection releases it at last. Inside a transaction the lock stays
 * taken until that has completed.
 *
 * <p>Three things are not as in the JDK, since locks on several machines cannot have them:
 *
 * <ul>
 *   <li>Nodes may be out of reach: {@link #tryLock()} then throws {@link QuorumUnavailableException}, for false would
 *       mean that another holder has the lock.
 *   <li>A lock may be lost while it is held: {@link #lease()} reports that, and so does {@link #unlock()}.
 *   <li>There are no conditions.
 * </ul>
 *
 * <p>Safe for use by any number of threads, as long as the connection is open.
 */
public interface LeaseLock extends Lock {

    /**
     * Takes the lock, and waits for it for ever, also for nodes that cannot be reached, until the connection or its
     * factory is closed. Ignores interrupts: they cost no place in a line, and the interrupt status is as it was.
     *
     * @throws IllegalStateException if the connection is closed, or the thread reads and wants to write
     */
    @Override
    void lock();

    /**
     * As {@link #lock()}, and ends when the thread is interrupted.
     *
     * @throws InterruptedException if the thread is interrupted before or while waiting; no lock is held then
     * @throws IllegalStateException as with {@link #lock()}
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Takes the lock if it is free now, and does not overtake callers that wait for it in line. Blocks for one round
     * trip, a node timeout at the most; for permits up to three of them.
     *
     * <p>Callers that ask at the very same moment may take each other's votes, so that none of them has the lock. Then
     * each asks again after some milliseconds, for half a second; where nodes answer slowly for longer, 4 s at the
     * most.
     *
     * @return false if another holder has it
     * @throws QuorumUnavailableException if too few nodes could be asked
     */
    @Override
    boolean tryLock();

    /**
     * Takes the lock if it becomes free within the time.
     *
     * @return false if another holder had it during all that time
     * @throws InterruptedException if the thread is interrupted before or while waiting; no lock is held then
     * @throws QuorumUnavailableException if too few nodes could be asked until the time was over
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Releases the lock, or one hold of it.
     *
     * @throws IllegalMonitorStateException if the calling thread does not hold the lock through this connection, also
     *     because it was lost: then its cause is a {@link LeaseLostException}
     */
    @Override
    void unlock();

    /**
     * {@return the lease of the hold that the calling thread took last: for its token, its remaining validity and
     * {@link Lease#onLost}} It belongs to this lock: release it by {@link #unlock()}. Asks no node.
     *
     * @throws IllegalMonitorStateException if the calling thread has no hold of this lock through this connection
     */
    Lease lease();

    /**
     * {@return whether any holder has the lock now, in whichever process, as far as this process and the nodes know}
     *
     * <p>For people and monitoring, as in {@link java.util.concurrent.locks.ReentrantLock#isLocked()}, and not for
     * control flow: the answer may be out of date when it is returned. To work under the lock, take it by {@link
     * #tryLock()}; to know whether the calling thread has it, ask {@link #isHeldByCurrentThread()}. {@link
     * LockConnectionFactory#holders(LockRequest)} names the holders.
     *
     * <p>True if there is one holder at least: a reader or a writer, a holder of one of several names, or of one permit
     * even if others are free. True also while the nodes keep a released lock for the rest of its {@link
     * LockRequest#atLeast}. A node that does not answer counts as one that may know the holder; a node that has
     * forgotten its locks knows none.
     *
     * <p>Asks no node if a holder of the same factory has the lock. Else it asks every node and waits for each: one
     * round trip where all is well, one node timeout at the most. Takes no lock and no place in a line, and leaves the
     * interrupt status as it was.
     *
     * @throws QuorumUnavailableException if too few nodes answered
     * @throws LockException if the container has no connection to give
     * @throws IllegalStateException if the connection is closed, or the service is stopped
     */
    boolean isLocked();

    /** {@return whether the calling thread holds the lock through this connection now; false also if it was lost} */
    boolean isHeldByCurrentThread();

    /** {@return how many holds the calling thread has through this connection, those of a lost lock included} */
    int getHoldCount();

    /**
     * Is not supported: a thread on another machine cannot be signalled.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    Condition newCondition();
}
