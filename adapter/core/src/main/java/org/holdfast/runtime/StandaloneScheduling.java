// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads of our own, for where no container gives any: one renews, others do what may take its time. All are daemons. */
final class StandaloneScheduling implements Scheduling {

    private static final int LISTENERS = 4;

    private final ScheduledThreadPoolExecutor heartbeat = executor("holdfast-renewal");
    private final ThreadPoolExecutor listeners = listeners();

    private static ScheduledThreadPoolExecutor executor(String name) {
        return new ScheduledThreadPoolExecutor(1, task -> daemon(task, name));
    }

    /** More than one: a listener that takes its time must not keep the nodes from being looked at. */
    private static ThreadPoolExecutor listeners() {
        ThreadPoolExecutor listeners = new ThreadPoolExecutor(
                LISTENERS,
                LISTENERS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> daemon(task, "holdfast-listeners"));
        listeners.allowCoreThreadTimeOut(true);
        return listeners;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
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
        listeners.execute(task);
    }

    @Override
    public void close() {
        heartbeat.shutdown();
        listeners.shutdown();
    }
}
