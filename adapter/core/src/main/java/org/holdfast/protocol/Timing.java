// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The times that the algorithm works with. A deployment agrees on them.
 *
 * @param nodeTimeout how long an answer of one node is waited for
 * @param maxLeaseTtl the longest TTL that may be asked for
 * @param fenceRetention how long nodes remember the last token of a lock after its lease has ended
 * @param driftFactor bound on the error of clock rates, as a part of the TTL
 * @param commitMargin what a commit may take: a lease with less left is renewed before
 * @param ticketTtl how long somebody who waits in line and gives no sign of life keeps those behind waiting
 */
public record Timing(
        Duration nodeTimeout,
        Duration maxLeaseTtl,
        Duration fenceRetention,
        double driftFactor,
        Duration commitMargin,
        Duration ticketTtl) {

    /** Redis expires with a resolution of 1 ms, and so do we: the constant part of the drift. */
    private static final long DRIFT_CONSTANT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Returns for how long a lease may be relied on, from before its first request was sent. */
    long validityNanos(long ttlMillis) {
        long ttl = TimeUnit.MILLISECONDS.toNanos(ttlMillis);
        return ttl - (long) (ttl * driftFactor) - DRIFT_CONSTANT_NANOS;
    }

    /** Returns how much of a lease's validity must be left when its transaction commits: half of it at the most. */
    long commitMarginNanos(long ttlMillis) {
        return Math.min(commitMargin.toNanos(), validityNanos(ttlMillis) / 2);
    }

    /** Returns how long a lock may last that a node has forgotten, by any clock within the drift. */
    public Duration memory() {
        long ttl = maxLeaseTtl.toNanos();
        return Duration.ofNanos(ttl + (long) (ttl * driftFactor) + DRIFT_CONSTANT_NANOS);
    }

    /** Returns how long to wait for answers: never so long that nothing of the lease would be left. */
    long patienceNanos(long ttlMillis) {
        return Math.min(nodeTimeout.toNanos(), TimeUnit.MILLISECONDS.toNanos(ttlMillis) / 2);
    }

    /** Returns how long a node remembers the token of a lease. */
    long fenceMillis(long ttlMillis) {
        return ttlMillis + fenceRetention.toMillis();
    }

    /**
     * Returns how far a token may be from the clock of a node that grants it, ahead or behind.
     *
     * <p>Half of the retention, so that tokens grow even if the fence of the last one has expired: that one was at most half of
     * the retention ahead when it was granted, its fence has lasted for the whole retention since, and a token that is at most
     * half of it behind by now is larger.
     */
    long maxSkewMicros() {
        return TimeUnit.MILLISECONDS.toMicros(fenceRetention.toMillis()) / 2;
    }

    /**
     * Returns how far ahead of our clock a token may be that was granted: it was near the clock of a node, and so is ours, or
     * nothing is granted to us.
     */
    long maxTokenLeadMicros() {
        return 2 * maxSkewMicros();
    }
}
