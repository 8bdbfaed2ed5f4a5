// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets clients that know a shard go first, where this client has not looked at it for a while.
 *
 * <p>While the slot of the mark is being moved, no look can be noted. What clients see then they note when that is
 * over, at their next look, within a second. A client that looks just then for the first time, or for the first time
 * since it stood still, would rely on a mark that does not say it.
 *
 * <p>Safe for use by any number of threads.
 */
final class Newcomer {

    /** Clients look once a second: a mark that is older shows that none has, or that none could note it. */
    private static final long NOTED_MICROS = TimeUnit.MILLISECONDS.toMicros(2_500);

    /** Two looks of others, and more for one that is late. */
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(3_500);

    /** One that has looked before may not have been able to, as the others: this ends sooner. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final long MISSED_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** When it has begun to wait; empty if it does not. */
    private volatile OptionalLong since = OptionalLong.empty();

    /**
     * Returns for how long this client must not ask for a new lock; 0 if it may.
     *
     * @param last what it saw before, in whichever term; null if it has not looked yet
     */
    long waitsNanos(NodeFacts facts, BirthMark mark, MemoryCheck.@Nullable LastLook last, long askedAt) {
        boolean isNew = last == null || askedAt - last.at() > MISSED_NANOS;
        if (!facts.clustered() || !isNew || facts.nowMicros() - mark.seenMicros() < NOTED_MICROS) {
            since = OptionalLong.empty();
            return 0;
        }
        OptionalLong begun = since.isEmpty() ? OptionalLong.of(askedAt) : since;
        long left = begun.getAsLong() + (last == null ? FIRST_NANOS : AGAIN_NANOS) - askedAt;
        since = left > 0 ? begun : OptionalLong.empty();
        return Math.max(0, left);
    }
}
