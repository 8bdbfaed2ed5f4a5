// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.protocol.env.Time;

/**
 * Proposes fencing tokens: the wall clock in microseconds, or a little more than the largest token seen, whichever is
 * larger.
 *
 * <p>Because proposals follow the clock, tokens go on growing even after every node lost its memory. Because they jump
 * over every token seen, a slow clock costs one extra round once and not each time. The number after a token is left to
 * its tombstone: a client that gives up an attempt must not be refused by that tombstone at its next attempt.
 *
 * <p>What was drawn or seen counts only while it is near the wall clock. A clock that was wrong for a moment, here or
 * in another process, must not lead the tokens of all processes for ever: each would follow the others.
 */
public final class TokenClock {

    private static final long STEP = 2;

    private final Time time;
    private final long maxLeadMicros;
    private final AtomicLong largest = new AtomicLong();

    /** @param maxLeadMicros how far ahead of the wall clock a token may be to be followed */
    public TokenClock(Time time, long maxLeadMicros) {
        this.time = time;
        this.maxLeadMicros = maxLeadMicros;
    }

    /**
     * Returns a token larger than any that was returned or seen before, and than their tombstones.
     *
     * @param more how many tokens after it are reserved with it
     */
    public long next(int more) {
        long now = time.epochMicros();
        long seen;
        long next;
        do {
            seen = largest.get();
            next = Math.max(now, isNear(seen, now) ? seen + STEP : 0);
        } while (!largest.compareAndSet(seen, next + more));
        return next;
    }

    /**
     * Takes note of a token that has to be exceeded, unless it is so far ahead that no right clock can have proposed
     * it.
     */
    public void observe(long token) {
        if (isNear(token, time.epochMicros())) {
            largest.accumulateAndGet(token, Math::max);
        }
    }

    /**
     * Forgets what was drawn and seen: nodes have refused a token, since it is too far from their clocks.
     *
     * <p>Tokens of the same name grow all the same: each node compares with what it has on record.
     */
    public void forget() {
        largest.set(0);
    }

    private boolean isNear(long token, long now) {
        return token - now <= maxLeadMicros;
    }
}
