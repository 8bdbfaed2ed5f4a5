// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Iterator;
import java.util.List;
import java.util.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.holdfast.LogLines;
import org.junit.jupiter.api.AfterEach;

/** An executor of a container, and the timer that takes its place. */
abstract class SchedulingOnExecutor {

    final Timer timer = new Timer(true);
    final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
    final LogLines log = LogLines.of("org.holdfast.connector");

    @AfterEach
    void stop() {
        log.close();
        timer.cancel();
        executor.shutdownNow();
    }

    /** The first timer is that of the heartbeat. */
    ContainerScheduling scheduling(ScheduledExecutorService managed) {
        Iterator<Timer> first = List.of(timer).iterator();
        return new ContainerScheduling(managed, () -> first.hasNext() ? first.next() : new Timer(true), null);
    }

    static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(10, SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
