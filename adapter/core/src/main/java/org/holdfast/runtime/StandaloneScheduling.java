// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads of our own, for where no container gives any: one for the periodic task and one for listeners, both daemons. */
final class StandaloneScheduling implements Scheduling {

    private static final int THREADS = 2;

    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(THREADS, task -> {
        Thread thread = new Thread(task, "holdfast");
        thread.setDaemon(true);
        return thread;
    });

    @Override
    public void repeat(Runnable task, long pauseMillis) {
        executor.scheduleWithFixedDelay(task, pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void execute(Runnable listener) {
        executor.execute(listener);
    }

    @Override
    public void close() {
        executor.shutdown();
    }
}
