// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A reentrant lock that needs nothing of a thread that waits: no memory to wake it, and not that it wakes.
 *
 * <p>A condition of the JDK puts a thread that it signals into the queue of its lock, which needs memory the first
 * time, and all threads behind it wait until that thread has run. A JVM whose heap is full may never run it: JDK 25
 * loses virtual threads in a timed wait. A thread that waits for a {@link SureCondition} is woken when the lock is
 * free, and asks for it like any other thread.
 */
public final class SureLock implements Lock {

    private static final long TURN_MILLIS = 10;

    private final ReentrantLock mutex = new ReentrantLock();
    private final LongSupplier clock;

    /** The threads that were signalled since the lock was taken, in that order. Guarded by the lock. */
    private SureCondition.@Nullable Waiting firstSignalled;

    private SureCondition.@Nullable Waiting lastSignalled;

    /** @param clock {@link System#nanoTime()}, by which waits for a condition end */
    public SureLock(LongSupplier clock) {
        this.clock = clock;
    }

    /** Takes the lock. To wait for it needs memory; without any, the thread asks until it has it. */
    public static void take(Lock lock) {
        try {
            lock.lock();
        } catch (OutOfMemoryError e) {
            while (!lock.tryLock()) {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Takes the lock. A thread that waits for it asks again every few milliseconds: one that is before it in the queue,
     * and is woken in its place, may never run. An interrupt is kept.
     */
    @Override
    public void lock() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    takeInTurns();
                    return;
                } catch (InterruptedException e) { // wait on, and restore the status later
                    interrupted = true;
                }
            }
        } finally { // also if there is no memory to wait
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        takeInTurns();
    }

    private void takeInTurns() throws InterruptedException {
        boolean taken = mutex.tryLock();
        while (!taken) {
            taken = mutex.tryLock(TURN_MILLIS, TimeUnit.MILLISECONDS) || mutex.tryLock();
        }
    }

    @Override
    public boolean tryLock() {
        return mutex.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return mutex.tryLock(time, unit);
    }

    @Override
    public void unlock() {
        if (firstSignalled == null || mutex.getHoldCount() != 1) {
            mutex.unlock();
            return;
        }
        SureCondition.Waiting first = firstSignalled;
        firstSignalled = null;
        lastSignalled = null;
        try {
            mutex.unlock();
        } finally { // without memory the JVM may fail to wake the next one in its queue
            SureCondition.wake(first);
        }
    }

    /** Returns a condition whose methods are called with the lock, as those of the JDK's conditions. */
    @Override
    public SureCondition newCondition() {
        return new SureCondition(this);
    }

    long nanoTime() {
        return clock.getAsLong();
    }

    void requireHeld() {
        if (!mutex.isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException("the calling thread does not have the lock");
        }
    }

    /** Has a thread woken that was taken out of its condition, when the lock is free. */
    void wakeLater(SureCondition.Waiting waiting) {
        if (lastSignalled == null) {
            firstSignalled = waiting;
        } else {
            lastSignalled.isFollowedBy(waiting);
        }
        lastSignalled = waiting;
    }

    /** Returns how often the calling thread has taken the lock. */
    int timesHeld() {
        return mutex.getHoldCount();
    }

    /** Gives the lock back that the thread has taken so often. */
    void giveBack(int times) {
        for (int i = times; i > 1; i--) {
            mutex.unlock();
        }
        unlock();
    }

    /** Takes the lock that often. */
    void takeBack(int times) {
        take(this);
        for (int i = times; i > 1; i--) {
            mutex.lock();
        }
    }
}
