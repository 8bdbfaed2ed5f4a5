// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Proposes fencing tokens: the wall clock in microseconds, or a little more than the largest token seen, whichever is larger.
 *
 * <p>Because proposals follow the clock, tokens go on growing even after every node lost its memory. Because they jump
 * over every token seen, a slow clock costs one extra round once and not each time. The number after a token is left to its
 * tombstone: who gives up an attempt must not be refused by that at the next.
 */
public final class TokenClock {

    private static final long STEP = 2;

    private final Time time;
    private final AtomicLong largest = new AtomicLong();

    public TokenClock(Time time) {
        this.time = time;
    }

    /**
     * Returns a token larger than any that was returned or seen before, and than their tombstones.
     *
     * @param more how many tokens after it are reserved with it
     */
    long next(int more) {
        long now = time.epochMicros();
        return largest.updateAndGet(seen -> Math.max(now, seen + STEP) + more) - more;
    }

    /** Takes note of a token that has to be exceeded. There is no way back. */
    void observe(long token) {
        largest.accumulateAndGet(token, Math::max);
    }
}
