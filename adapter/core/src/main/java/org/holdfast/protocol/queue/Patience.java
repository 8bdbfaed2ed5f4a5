// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.time.Duration;
import org.holdfast.protocol.env.Time;

/**
 * How long one caller waits for a lock: from now on for its wait timeout. Safe for use by any number of threads,
 * but only one of them {@linkplain #lastFor makes it longer}.
 */
public final class Patience {

    private final Time time;
    private final long begun;
    private volatile long nanos;

    public Patience(Time time, Duration waitTimeout) {
        this.time = time;
        this.begun = time.nanoTime();
        this.nanos = saturatedNanos(waitTimeout);
    }

    private static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /** Returns whether there is time to wait at all. */
    public boolean mayWait() {
        return nanos > 0;
    }

    /** Returns how much of the wait timeout is left; 0 or less if nothing. */
    public long left() {
        return nanos - waitedNanos();
    }

    /** Lets the caller wait for so long from now on, at the least. */
    public void lastFor(long longerNanos) {
        nanos = Math.max(nanos, waitedNanos() + longerNanos);
    }

    /** Returns how long the caller has waited. */
    public Duration waited() {
        return Duration.ofNanos(waitedNanos());
    }

    public long waitedNanos() {
        return time.nanoTime() - begun;
    }

    /** Returns whether the caller was here already at this moment. */
    public boolean hasBegunBy(long moment) {
        return moment - begun >= 0;
    }
}
