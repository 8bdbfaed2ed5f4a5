// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
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
 *
 * <p>Where the stack of a thread ends, the JDK takes a lock, and throws {@link StackOverflowError} behind that (JEP
 * 270): the caller does not know that it has the lock, and never gives it back. So a thread that takes this lock goes
 * deeper first than it has to go to take it and to give it back, and fails there, or not at all. Threads of the
 * application come from any depth.
 */
public final class SureLock implements Lock {

    private static final long TURN_MILLIS = 10;

    /** So long a thread pauses that asks again and again, as it could not wait. */
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /** So deep, in steps of some 64 bytes, a thread goes to take the lock and to give it back. */
    private static final int STEPS = 32;

    /** A virtual thread waits by code of Java, where another one waits in the operating system. */
    private static final int TIMES_IF_VIRTUAL = 2;

    /** {@code Thread.isVirtual}; null where the JDK has no virtual threads. */
    private static final @Nullable MethodHandle IS_VIRTUAL = isVirtual();

    private final ReentrantLock mutex = new ReentrantLock();
    private final LongSupplier clock;

    /** The threads that were signalled since the lock was taken, in that order. Guarded by the lock. */
    private SureCondition.@Nullable Waiting firstSignalled;

    private SureCondition.@Nullable Waiting lastSignalled;

    /** @param clock {@link System#nanoTime()}, by which waits for a condition end */
    public SureLock(LongSupplier clock) {
        this.clock = clock;
    }

    /** Creates one without conditions. */
    public SureLock() {
        this(() -> {
            throw new UnsupportedOperationException("this lock has no conditions");
        });
    }

    private static @Nullable MethodHandle isVirtual() {
        try {
            return MethodHandles.lookup().findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }

    /**
     * Requires that there is room on the stack, before anything has been done: 256 steps are for what is sent to nodes
     * under a lock, and cost 0.7 microseconds. For a virtual thread it is twice as many: without the second compiler,
     * where a step has 195 bytes, that is 100 kB, and a stack may have no more than 256.
     *
     * @throws StackOverflowError if there is not
     */
    public static void requireRoom(int steps) {
        int all = isVirtual(Thread.currentThread()) ? TIMES_IF_VIRTUAL * steps : steps;
        if (descend(all, 1, 2, 3, 4, 5) == 0) {
            throw new AssertionError("no sum of ones is 0");
        }
    }

    private static boolean isVirtual(Thread thread) {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("Thread.isVirtual declares no exception", e);
        }
    }

    /** As wide as most frames. */
    private static long descend(int steps, long a, long b, long c, long d, long e) {
        return steps == 0 ? 1 : descend(steps - 1, b, c, d, e, a) + (a + b + c + d + e) / 15;
    }

    /** As {@link #take}, for a thread that meant to give the lock back for a moment: it has it still if that failed. */
    public static void takeAgain(Lock lock) {
        if (!(lock instanceof SureLock sure && sure.mutex.isHeldByCurrentThread())) {
            take(lock);
        }
    }

    /**
     * Takes the lock, whatever fails, as a thread must that others wait for. To wait for it needs memory, and room on
     * the stack; without one of them, the thread asks until it has it.
     */
    public static void take(Lock lock) {
        if (lock instanceof SureLock sure) {
            sure.takeSurely();
            return;
        }
        try {
            lock.lock();
        } catch (OutOfMemoryError | StackOverflowError e) {
            takeByAsking(lock);
        }
    }

    private void takeSurely() {
        int before = mutex.getHoldCount();
        try {
            lockInTurns();
        } catch (OutOfMemoryError | StackOverflowError e) { // and the thread may have it all the same
            if (mutex.getHoldCount() == before) {
                takeByAsking(mutex);
            }
        }
    }

    /** An interrupt is kept for later: a thread that is interrupted does not pause. */
    private static void takeByAsking(Lock lock) {
        boolean interrupted = false;
        while (!lock.tryLock()) {
            interrupted |= Thread.interrupted();
            letOthersRun();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A virtual thread may have the carrier that the thread with the lock needs: to yield it is not enough. */
    private static void letOthersRun() {
        try {
            LockSupport.parkNanos(PAUSE_NANOS);
        } catch (OutOfMemoryError | StackOverflowError e) {
            Thread.onSpinWait();
        }
    }

    /**
     * Takes the lock. A thread that waits for it asks again every few milliseconds: one that is before it in the queue,
     * and is woken in its place, may never run. An interrupt is kept.
     */
    @Override
    public void lock() {
        requireRoom(STEPS);
        lockInTurns();
    }

    private void lockInTurns() {
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
        requireRoom(STEPS);
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
        requireRoom(STEPS);
        return mutex.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        requireRoom(STEPS);
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
        if (mutex.getHoldCount() == 0) { // it may not have given it back, for want of memory or of room
            take(this);
        }
        while (mutex.getHoldCount() < times) {
            mutex.lock();
        }
    }
}
