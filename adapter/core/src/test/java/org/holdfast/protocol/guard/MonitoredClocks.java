// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.protocol.node.Target;

/** Three nodes whose clocks a client compares with its own. */
abstract class MonitoredClocks {

    static final Command.Acquire ACQUIRE =
            AnyToken.acquire(new Claim(new Target.Exclusive("x"), new Owner("a".repeat(40)), 7, 1_000, 2_000));

    static final double DRIFT = 0.01;
    static final SharedSettings SETTINGS = new SharedSettings(30_000, 600_000, DRIFT);
    static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    static final long EPOCH_MICROS = 1_800_000_000_000_000L;

    /** Ours begins anywhere: here it passes the largest number after two seconds. */
    static final long ORIGIN = Long.MAX_VALUE - 2 * SECOND;

    final ClockMonitor clockMonitor = new ClockMonitor(3, SETTINGS);

    /** A node answers half way between, with a clock that is ahead by so much. */
    boolean told(int node, long sent, long received, long aheadNanos) {
        long micros = EPOCH_MICROS + ((sent + received) / 2 + aheadNanos) / 1_000;
        return clockMonitor.note(node, 0, ORIGIN + sent, ORIGIN + received, micros);
    }
}
