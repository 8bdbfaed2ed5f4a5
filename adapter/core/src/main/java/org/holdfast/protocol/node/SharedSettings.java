// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The settings that all processes of a deployment must share. Each node keeps them with its birth mark, and a process
 * that has others is refused.
 *
 * <p>A process with a shorter longest TTL would end the quarantine of a node too early, and would cut the locks of
 * others. One with a shorter fence retention would let tokens fall.
 *
 * @param maxLeaseTtlMillis the longest TTL of a lease in milliseconds, 1 or more
 * @param fenceRetentionMillis for how many milliseconds nodes keep the last token after its lease, 1 or more
 * @param driftFactor bound on the error of clock rates, as a part of the time that passes, 0 to 1
 */
public record SharedSettings(long maxLeaseTtlMillis, long fenceRetentionMillis, double driftFactor) {

    /** Redis expires with a resolution of 1 ms, and so do we: the constant part of the drift. */
    public static final long DRIFT_CONSTANT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** A look that is so much later than the node's clock shows that the clock was set back. */
    public static final Duration FUTURE = Duration.ofMillis(500);

    /** So much longer than a forgotten lock may last a lock's key stays after its lease, as quarantine.lua knows. */
    public static final Duration LINGER_MARGIN = Duration.ofMillis(5_500);

    private static final Pattern FORM = Pattern.compile("(\\d{1,15})/(\\d{1,15})/([0-9.E-]{1,24})");

    public SharedSettings {
        if (maxLeaseTtlMillis < 1 || fenceRetentionMillis < 1 || !(driftFactor >= 0 && driftFactor <= 1)) {
            throw new IllegalArgumentException("no settings to agree on: " + maxLeaseTtlMillis + " ms, "
                    + fenceRetentionMillis + " ms, " + driftFactor);
        }
    }

    /** Returns the settings that a text stands for, or nothing if it is none of ours. */
    public static Optional<SharedSettings> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new SharedSettings(
                    Long.parseLong(matcher.group(1)),
                    Long.parseLong(matcher.group(2)),
                    Double.parseDouble(matcher.group(3))));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the text that stands for these settings in a birth mark. */
    public String text() {
        return maxLeaseTtlMillis + "/" + fenceRetentionMillis + "/" + driftFactor;
    }

    /** Returns for how long a lock may last that a node has forgotten, by any clock within the drift. */
    public Duration quarantine() {
        long ttl = TimeUnit.MILLISECONDS.toNanos(maxLeaseTtlMillis);
        return Duration.ofNanos(ttl + (long) (ttl * driftFactor) + DRIFT_CONSTANT_NANOS);
    }

    /**
     * Returns for how long the heartbeat lasts that a look leaves on a node. No lease is in force when it ends by
     * itself: leases are granted up to three and a half seconds after the last look that was noted.
     */
    public Duration heartbeat() {
        return linger().minus(FUTURE);
    }

    /**
     * Returns for how long a lock's key stays on a node after its lease. It outlasts the heartbeat of each look that
     * was made while the lease was in force, also by a clock that was ahead by {@link #FUTURE}: a jump of the clock
     * that deletes the lock deletes that heartbeat too.
     */
    public Duration linger() {
        return quarantine().plus(LINGER_MARGIN);
    }

    /** Returns settings that are safe beside processes that have these and beside processes that have the others. */
    public SharedSettings widest(SharedSettings other) {
        return new SharedSettings(
                Math.max(maxLeaseTtlMillis, other.maxLeaseTtlMillis),
                Math.max(fenceRetentionMillis, other.fenceRetentionMillis),
                Math.max(driftFactor, other.driftFactor));
    }

    /** Returns the settings by their names. */
    @Override
    public String toString() {
        return "maxLeaseTtlMillis=" + maxLeaseTtlMillis + ", fenceRetentionMillis=" + fenceRetentionMillis
                + ", driftFactor=" + driftFactor;
    }
}
