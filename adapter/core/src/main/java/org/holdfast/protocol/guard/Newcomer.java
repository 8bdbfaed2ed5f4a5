// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Lets clients that know a shard go first where this client has not looked at it yet.
 *
 * <p>While the slot of the mark is being moved, no look can be noted. What clients see then they note when that is
 * over, at their next look, within a second. A client that starts just then would rely on a mark that does not say it.
 *
 * <p>Safe for use by any number of threads.
 */
final class Newcomer {

    static final String REASON = "no client has noted a look at it for some seconds: one that knows it may come first";

    /** Clients look once a second: a mark that is older shows that none has, or that none could note it. */
    private static final long NOTED_MICROS = TimeUnit.MILLISECONDS.toMicros(2_500);

    /** For so long it waits: two looks of others, and half a second more for one that is late. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(3_500);

    /** When it has looked for the first time, and had to wait. */
    private volatile OptionalLong waitsSince = OptionalLong.empty();

    /** Returns for how long it must not use the node; 0 if it may. */
    long waitsNanos(NodeFacts facts, BirthMark mark, long askedAt) {
        if (!facts.clustered() || facts.nowMicros() - mark.seenMicros() < NOTED_MICROS) {
            return 0;
        }
        if (waitsSince.isEmpty()) {
            waitsSince = OptionalLong.of(askedAt);
        }
        return Math.max(0, waitsSince.getAsLong() + PATIENCE_NANOS - askedAt);
    }
}
