// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Randomness;

/**
 * Draws the pause before the next attempt: random, so that contenders which split the votes do not meet again, from a
 * range that doubles with each attempt up to a bound.
 */
public final class RetryDelay {

    /** Several times what an acquisition takes on a local network. */
    private static final long FIRST_RANGE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** How long a release by another process may go unnoticed at the most, where it is not announced. */
    private static final long LARGEST_RANGE_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

    /**
     * And where it is, if the announcement was lost. Up to that each pause is about as long as all before it together:
     * a caller comes too late by about as much as it has waited.
     */
    private static final long HEARD_RANGE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** And where the caller has had votes: others may have had the rest, and none of them has the lock. */
    private static final long HEARD_SPLIT_RANGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The range of the first attempt, doubled so often, is more than any other range. */
    private static final int MOST_DOUBLINGS = 11;

    /**
     * If a lock is held for longer, its waiter asks once more before that ends: most holders have renewed it by then.
     */
    private static final long NEAR_MILLIS = 200;

    /** So long callers that took each other's votes ask again at the least, ten times or so on a local network. */
    static final Duration SPLIT = Duration.ofMillis(500);

    /** And at the most. */
    private static final long LONGEST_SPLIT_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** Where an attempt takes long, so many times as long: for four attempts and the pauses between them. */
    private static final int SPLIT_TIMES = 32;

    private static final long LARGEST_SPLIT_RANGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Randomness randomness;

    public RetryDelay(Randomness randomness) {
        this.randomness = randomness;
    }

    /**
     * @param attempts how many attempts have failed, 1 or more
     * @return nanoseconds, at least half of the range
     */
    long nanosAfter(int attempts) {
        return upperHalf(Math.min(LARGEST_RANGE_NANOS, range(attempts)));
    }

    /** Returns for how long callers that took each other's votes ask again, where the last attempt took so long. */
    static long splitNanos(long tookNanos) {
        return Math.min(LONGEST_SPLIT_NANOS, Math.max(SPLIT.toNanos(), SPLIT_TIMES * tookNanos));
    }

    /**
     * Returns how long a caller waits that has lost votes to others, and they to it. The range is several times as long
     * as an attempt takes: callers that begin within a round trip of each other, each of them nearest to another node,
     * would take the same votes again.
     *
     * @param attempts how many attempts have failed, 1 or more
     * @param tookNanos how long the last one took
     */
    long nanosAfterSplit(int attempts, long tookNanos) {
        long afterSlow = tookNanos << Math.min(attempts + 1, 4);
        return upperHalf(Math.max(
                Math.min(LARGEST_RANGE_NANOS, range(attempts)), Math.min(LARGEST_SPLIT_RANGE_NANOS, afterSlow)));
    }

    private static long range(int attempts) {
        return FIRST_RANGE_NANOS << Math.min(attempts - 1, MOST_DOUBLINGS);
    }

    /**
     * Returns how long to wait for an announcement. The wait grows step by step: contenders that have split the votes
     * have all been refused, and no release will announce to them that the lock is free.
     *
     * @param attempts how many attempts have failed since the last announcement, 1 or more
     * @param remainingMillis for how long the present holder keeps the lock if it does not renew it
     * @param hadVotes whether the last attempt had votes
     */
    long nanosWhileHeard(int attempts, long remainingMillis, boolean hadVotes) {
        long most = hadVotes ? HEARD_SPLIT_RANGE_NANOS : HEARD_RANGE_NANOS;
        long longest = upperHalf(Math.min(most, range(attempts)));
        if (remainingMillis > NEAR_MILLIS) { // before we add to it: a node may send anything
            return Math.min(longest, TimeUnit.MILLISECONDS.toNanos(remainingMillis) / 2);
        }
        long untilExpiry = TimeUnit.MILLISECONDS.toNanos(remainingMillis + 1) + randomness.below(FIRST_RANGE_NANOS);
        return Math.min(untilExpiry, longest);
    }

    private long upperHalf(long range) {
        return range / 2 + randomness.below(range / 2 + 1);
    }
}
