// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;

/**
 * The times of a setting in ticks of the model, by a right clock: that of the world. What a client or a node measures
 * by its own clock differs by {@link #SPREAD} of the drift at the most.
 */
final class ModelTime {

    /** So fine that what moments lose by being cut to ticks is less than what clocks may differ by. */
    static final long TICK_NANOS = 100_000;

    /** See {@link Setting#clockRate}. */
    private static final double SPREAD = 0.45;

    /** Nodes cut moments to milliseconds. */
    private static final double GRAIN = 1_000_000;

    private final double spread;
    private final double shortestLease;
    private final Duration ttl;
    private final double quarantine;
    private final double validity;
    private final double counts;
    private final double settles;

    /** @param ttl of all leases */
    ModelTime(Setting setting, Duration ttl) {
        this.ttl = ttl;
        this.spread = setting.timing().driftFactor() * SPREAD;
        this.validity = setting.timing().validityNanos(ttl.toMillis()) / (1 - spread);
        this.shortestLease = ttl.toNanos() / (1 + spread) - GRAIN;
        this.quarantine = setting.acceptedSettings().widest().quarantine().toNanos() / (1 + spread);
        Duration round = setting.timing().nodeTimeout();
        Duration whole = Whereabouts.counts(setting);
        this.counts = whole.minus(round).toNanos();
        this.settles = whole.toNanos() * (1 + 2 * setting.timing().driftFactor());
        if (drift() < 0 || validity() > tick(shortestLease) - 1) {
            throw new IllegalArgumentException(
                    "a client relies on a lease for longer than a node keeps it: " + setting);
        }
    }

    /** Returns the tick of a moment. */
    static long tick(double nanos) {
        return (long) Math.floor(nanos / TICK_NANOS);
    }

    /** Returns for how long a node keeps a lock at the most. */
    long ttl() {
        return tick(ttl.toNanos() / (1 - spread)) + 2;
    }

    /** Returns by how much less a node may keep it, and a client relies on it. */
    long drift() {
        return ttl() - validity();
    }

    /** Returns for how long a client relies on a lease at the most. */
    private long validity() {
        return tick(validity) + 2;
    }

    /** Returns for how long a vote counts at the most, from the question to the witnesses on. */
    long fresh() {
        return tick(counts / (1 - spread)) + 2;
    }

    /** Returns for how long a client does not ask a process that is new to it, at the least. */
    long settling() {
        return tick(settles / (1 + spread)) - 1;
    }

    /** Returns how long a quarantine is at the least. */
    long quarantine() {
        return tick(quarantine) - 1;
    }
}
