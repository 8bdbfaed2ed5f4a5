// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.holdfast.protocol.env.SureLock;

/**
 * Runs a task whenever it is due, on the one thread that runs this, and lets that thread sleep meanwhile. Until it has
 * begun, another thread may {@linkplain #standIn() stand in}.
 */
public final class Pulse implements Runnable, AutoCloseable {

    private static final long FAILED_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final DueMoment due;
    private final Runnable task;
    private final Runnable atEnd;

    /** Had by the thread that runs the task or sleeps: while one thread takes over from the other, there are two. */
    private final ReentrantLock beating = new ReentrantLock();

    private volatile boolean begun;
    private volatile boolean closed;

    public Pulse(DueMoment due, Runnable task) {
        this(due, task, () -> {});
    }

    /** @param atEnd is run when this is closed, on the thread that runs this; more than once if it is run again */
    public Pulse(DueMoment due, Runnable task, Runnable atEnd) {
        this.due = due;
        this.task = task;
        this.atEnd = atEnd;
    }

    /** Returns when this is closed, after a run that is under way. */
    @Override
    public void run() {
        begun = true;
        due.wake(); // the thread that stands in
        SureLock.take(beating); // the other thread ends, and this one is the last
        beat(false);
    }

    /** Does the work of the thread that is to run this, and returns when that has begun, or this is closed. */
    void standIn() {
        if (beating.tryLock()) { // else that thread has begun
            beat(true);
        }
    }

    /** @param standsIn whether this ends when the thread has begun that is to run the task */
    private void beat(boolean standsIn) {
        try {
            while (!closed && !(standsIn && begun)) {
                turn();
            }
        } finally {
            beating.unlock();
        }
        if (closed) {
            atEnd.run();
        }
    }

    /**
     * Sleeps or runs the task. Nothing ends this thread: no other one would renew leases. Where there is no memory,
     * even to sleep, it tries again until there is.
     */
    private void turn() {
        try {
            long left = due.nanosLeft();
            if (left > 0) {
                due.sleep(left);
            } else {
                due.run(task);
            }
        } catch (Throwable e) {
            pauseAfterFailure();
        }
    }

    /** Waits a moment, which needs no memory, on a thread that has to go on whatever fails. */
    public static void pauseAfterFailure() {
        try {
            LockSupport.parkNanos(FAILED_PAUSE_NANOS);
        } catch (Throwable e) {
            Thread.onSpinWait(); // a virtual thread, which needs memory for it
        }
    }

    /** Lets no other run begin. */
    @Override
    public void close() {
        closed = true;
        due.wake();
    }
}
