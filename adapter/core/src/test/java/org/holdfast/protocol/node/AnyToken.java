// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.util.Optional;

/** Commands of tests that count tokens from one: nodes grant them however far from their clocks those are. */
public final class AnyToken {

    public static final long MAX_SKEW_MICROS = Long.MAX_VALUE;

    private AnyToken() {}

    /** Takes it, whichever callers wait. */
    public static Command.Acquire acquire(Claim claim) {
        return new Command.Acquire(claim, Optional.empty(), MAX_SKEW_MICROS);
    }

    /** Ends a lease with a tombstone, or undoes an attempt without one. */
    public static Command.Release release(Claim claim, boolean tombstone) {
        return new Command.Release(claim, tombstone, tombstone);
    }

    /** Undoes an attempt whose answer is missing. */
    public static Command.Release undoLost(Claim claim) {
        return Command.Release.ofLostAttempt(claim);
    }

    /** Takes it only if no caller waits. */
    public static Command.Acquire acquireIfNobodyWaits(Claim claim) {
        return new Command.Acquire(claim, Optional.of(new Command.Queueing(Optional.empty())), MAX_SKEW_MICROS);
    }
}
