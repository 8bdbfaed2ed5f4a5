// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.TimeUnit;

/**
 * Draws the pause before the next attempt: random, so that contenders which split the votes do not meet again, from a range
 * that doubles with each attempt up to a bound.
 */
final class RetryDelay {

    /** Several times what an acquisition takes on a local network. */
    private static final long FIRST_RANGE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** How long a release by another process may go unnoticed at the most. */
    private static final long LARGEST_RANGE_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

    private final Randomness randomness;

    RetryDelay(Randomness randomness) {
        this.randomness = randomness;
    }

    /**
     * @param attempts how many attempts have failed, 1 or more
     * @return nanoseconds, at least half of the range
     */
    long nanosAfter(int attempts) {
        long range = Math.min(LARGEST_RANGE_NANOS, FIRST_RANGE_NANOS << Math.min(attempts - 1, 10));
        return range / 2 + randomness.below(range / 2 + 1);
    }
}
