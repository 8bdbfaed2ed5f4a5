// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;
import org.jspecify.annotations.Nullable;

/**
 * Threads of our own, for where no container gives any: one renews, a few make the attempts of waiters without a
 * thread, and others run the application's code. All are daemons.
 */
public final class StandaloneScheduling implements Scheduling {

    /** More than one: an attempt may wait for a node that hangs. */
    private static final int WAITERS = 4;

    private static final long IDLE_SECONDS = 10;

    private final DueMoment due;
    private final ThreadPoolExecutor waiters = waiters();
    private final ThreadPoolExecutor application = application();
    private volatile @Nullable Pulse pulse;

    /** @param time by which the repeated task is due */
    public StandaloneScheduling(Time time) {
        this.due = new DueMoment(time);
    }

    /** There is one task in the queue for each asynchronous request at the most. */
    private static ThreadPoolExecutor waiters() {
        ThreadPoolExecutor waiters = new ThreadPoolExecutor(
                WAITERS,
                WAITERS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> daemon(task, "holdfast-waiters"));
        waiters.allowCoreThreadTimeOut(true);
        return waiters;
    }

    /** As many threads as calls: the caller bounds these. */
    private static ThreadPoolExecutor application() {
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> daemon(task, "holdfast-application"));
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Runs the application's code when no scheduling gives threads any more, on a daemon of its own. The caller bounds
     * these.
     */
    public static void runAfterClose(Runnable task) {
        daemon(task, "holdfast-closing").start();
    }

    @Override
    public void repeat(Runnable task) {
        Pulse own = new Pulse(due, task);
        pulse = own;
        within(0);
        daemon(own, "holdfast-renewal").start();
    }

    @Override
    public void within(long nanos) {
        due.within(nanos);
    }

    @Override
    public void runLong(Runnable task) {
        daemon(task, "holdfast-nodes").start();
    }

    @Override
    public void execute(Runnable task) {
        waiters.execute(task);
    }

    @Override
    public void runApplication(Runnable task) {
        application.execute(task);
    }

    @Override
    public void close() {
        Pulse own = pulse;
        if (own != null) {
            own.close();
        }
        waiters.shutdown();
        application.shutdown();
    }
}
