// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads of our own, for where no container gives any: one renews, a few make the attempts of waiters without a
 * thread, and others run the application's code. All are daemons.
 */
final class StandaloneScheduling implements Scheduling {

    /** More than one: an attempt may wait for a node that hangs. */
    private static final int WAITERS = 4;

    private static final long IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor heartbeat = executor("holdfast-renewal");
    private final ThreadPoolExecutor waiters = waiters();
    private final ThreadPoolExecutor application = application();

    private static ScheduledThreadPoolExecutor executor(String name) {
        return new ScheduledThreadPoolExecutor(1, task -> daemon(task, name));
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
    static void runAfterClose(Runnable task) {
        daemon(task, "holdfast-closing").start();
    }

    @Override
    public void repeat(Runnable task, long pauseMillis) {
        heartbeat.scheduleWithFixedDelay(task, pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void runLong(Runnable task) {
        daemon(task, "holdfast-subscriber").start();
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
        heartbeat.shutdown();
        waiters.shutdown();
        application.shutdown();
    }
}
