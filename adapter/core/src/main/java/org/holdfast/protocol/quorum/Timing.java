// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.SharedSettings;

/**
 * The times that the algorithm works with. A deployment agrees on them.
 *
 * @param nodeTimeout how long an answer of one node is waited for
 * @param maxLeaseTtl the longest TTL of any lease of the deployment
 * @param fenceRetention how long nodes remember the last token of a lock after its lease has ended
 * @param driftFactor bound on the error of clock rates, as a part of the TTL
 * @param commitMargin what a commit may take: a lease with less left is renewed before
 * @param ticketTtl how long a waiter in line that does not refresh its ticket delays the waiters behind it
 * @param maxSkew by how much our wall clock may differ from those of a quorum before our tokens cannot be trusted to
 *     grow
 */
public record Timing(
        Duration nodeTimeout,
        Duration maxLeaseTtl,
        Duration fenceRetention,
        double driftFactor,
        Duration commitMargin,
        Duration ticketTtl,
        Duration maxSkew) {

    /**
     * Times of a deployment whose settings are not about to change: clocks agree within half of the fence retention.
     */
    public Timing(
            Duration nodeTimeout,
            Duration maxLeaseTtl,
            Duration fenceRetention,
            double driftFactor,
            Duration commitMargin,
            Duration ticketTtl) {
        this(
                nodeTimeout,
                maxLeaseTtl,
                fenceRetention,
                driftFactor,
                commitMargin,
                ticketTtl,
                fenceRetention.dividedBy(2));
    }

    /** Returns for how long a lease may be relied on, from before its first request was sent. */
    public long validityNanos(long ttlMillis) {
        long ttl = TimeUnit.MILLISECONDS.toNanos(ttlMillis);
        return ttl - (long) (ttl * driftFactor) - SharedSettings.DRIFT_CONSTANT_NANOS;
    }

    /** Returns how long after it was drawn a token may be granted: less than any quarantine. */
    long tokenNanos() {
        return validityNanos(maxLeaseTtl.toMillis());
    }

    /** Returns how much of a lease's validity must be left when its transaction commits: half of it at the most. */
    public long commitMarginNanos(long ttlMillis) {
        return Math.min(commitMargin.toNanos(), validityNanos(ttlMillis) / 2);
    }

    /** Returns how long to wait for answers: never so long that nothing of the lease would be left. */
    long patienceNanos(long ttlMillis) {
        return Math.min(nodeTimeout.toNanos(), TimeUnit.MILLISECONDS.toNanos(ttlMillis) / 2);
    }

    /** Returns how long a node remembers the token of a lease. */
    public long fenceMillis(long ttlMillis) {
        return ttlMillis + fenceRetention.toMillis();
    }

    /**
     * Returns how far a token may be from the clock of a node that grants it, ahead or behind.
     *
     * <p>Half of the retention, so that tokens grow even if the fence of the last one has expired: that one was at most
     * half of the retention ahead when it was granted, its fence has lasted for the whole retention since, and a token
     * that is at most half of it behind by now is larger.
     */
    public long maxSkewMicros() {
        return TimeUnit.NANOSECONDS.toMicros(maxSkew.toNanos());
    }

    /**
     * Returns how far ahead of our clock a token may be that was granted: it was near the clock of a node, and so is
     * ours, or nothing is granted to us.
     */
    public long maxTokenLeadMicros() {
        return 2 * maxSkewMicros();
    }
}
