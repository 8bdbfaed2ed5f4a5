// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long something took, by the number of times: exact to a fifth, whatever the range, in 2 KiB.
 *
 * <p>Safe for use by any number of threads; to note one takes some nanoseconds and no lock.
 */
public final class Latencies {

    /** Each doubling of the time has so many classes. */
    private static final int PARTS = 4;

    private static final int PART_BITS = 2;

    private final AtomicLongArray counts = new AtomicLongArray(Long.SIZE * PARTS);
    private final AtomicLong longest = new AtomicLong();

    public void note(long nanos) {
        long time = Math.max(1, nanos);
        counts.incrementAndGet(classOf(time));
        if (time > longest.get()) {
            longest.accumulateAndGet(time, Math::max);
        }
    }

    /** The doubling, and the two bits after the first. */
    private static int classOf(long time) {
        int doubling = Long.SIZE - 1 - Long.numberOfLeadingZeros(time);
        int part = doubling < PART_BITS ? 0 : (int) (time >>> doubling - PART_BITS) & PARTS - 1;
        return doubling * PARTS + part;
    }

    /** Returns the end of a class. */
    private static double endOf(int index) {
        int doubling = index / PARTS;
        return Math.scalb(1.0 + (index % PARTS + 1.0) / PARTS, doubling);
    }

    /** Returns the longest so far in nanoseconds, or 0. */
    public long longestNanos() {
        return longest.get();
    }

    /**
     * Returns how long it took at the most in a part of all cases.
     *
     * @param part 0 to 1: 0.5 for the median
     * @return nanoseconds, at most a quarter too long; 0 if there was none
     */
    public long nanosOf(double part) {
        long all = 0;
        for (int i = 0; i < counts.length(); i++) {
            all += counts.get(i);
        }
        long wanted = (long) Math.ceil(all * part);
        long seen = 0;
        for (int i = 0; i < counts.length() && all > 0; i++) {
            seen += counts.get(i);
            if (seen >= wanted && seen > 0) {
                return Math.min((long) endOf(i), longest.get());
            }
        }
        return 0;
    }
}
