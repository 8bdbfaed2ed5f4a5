// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.state;

/** Milliseconds since the launcher started. All times of the page are on this clock. */
public final class Clock {

    private static final double NANOS_PER_MILLI = 1_000_000.0;
    private static final double MICROS_PER_MILLI = 1_000.0;

    private final long start = System.nanoTime();

    public long now() {
        return (long) millis(System.nanoTime());
    }

    /** Translates a moment of {@link System#nanoTime()}, to a thousandth of a millisecond. */
    public double millis(long nanoTime) {
        return Math.floor((nanoTime - start) / NANOS_PER_MILLI * MICROS_PER_MILLI) / MICROS_PER_MILLI;
    }
}
