// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.holdfast.protocol.env.Time;

/**
 * Logs what failed in the background of a service and is tried again: once in 10 s, since it may fail at each try.
 *
 * <p>Safe for use by any number of threads.
 */
final class Complaints {

    /** Of the service: that is where its users look. */
    private static final System.Logger LOG = System.getLogger(LockService.class.getName());

    private static final Duration PAUSE = Duration.ofSeconds(10);

    private final Time time;
    private final BooleanSupplier isOpen;
    private final AtomicLong last;

    /** @param isOpen whether the service is open: what fails while it ends is not logged */
    Complaints(Time time, BooleanSupplier isOpen) {
        this.time = time;
        this.isOpen = isOpen;
        this.last = new AtomicLong(time.nanoTime() - 2 * PAUSE.toNanos());
    }

    void log(String what, Throwable failure) {
        long now = time.nanoTime();
        long before = last.get();
        if (isOpen.getAsBoolean() && now - before > PAUSE.toNanos() && last.compareAndSet(before, now)) {
            LOG.log(System.Logger.Level.ERROR, "HF0104: " + what + " failed and goes on", failure);
        }
    }
}
