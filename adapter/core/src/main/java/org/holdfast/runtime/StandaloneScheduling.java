// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads of our own, for where no container gives any: one renews, another does what may take its time. All are daemons. */
final class StandaloneScheduling implements Scheduling {

    private final ScheduledThreadPoolExecutor heartbeat = executor("holdfast-renewal");
    private final ScheduledThreadPoolExecutor listeners = executor("holdfast-listeners");

    private static ScheduledThreadPoolExecutor executor(String name) {
        return new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public void repeat(Runnable task, long pauseMillis) {
        heartbeat.scheduleWithFixedDelay(task, pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void runLong(Runnable task) {
        Thread thread = new Thread(task, "holdfast-subscriber");
        thread.setDaemon(true);
        thread.start();
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
