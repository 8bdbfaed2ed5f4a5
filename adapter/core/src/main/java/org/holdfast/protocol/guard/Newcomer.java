// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets clients that know a shard go first, where this client has not looked at it for a while.
 *
 * <p>While the slot of the mark is being moved, no look can be noted. What clients see then they note when that is
 * over, at their next look. A client that looks just then for the first time, or for the first time since it stood
 * still, would rely on a mark that does not say it. One that has heard of the shard all the time does not wait, though
 * its looks failed: it is the one for which others wait.
 *
 * <p>Safe for use by any number of threads.
 */
final class Newcomer {

    static final String REASON = "clients that have watched the primary before it come first: they may know more";

    static final String UNLED = "it is not known yet in which of its slots clients look there";

    static final String MISSED =
            "no client has watched the primary before it until it was replaced, and heard of all slots"
                    + " that it was moving away";

    /** Clients look once a second: a mark that is older shows that none has, or that none could note it. */
    private static final long NOTED_MICROS = TimeUnit.MILLISECONDS.toMicros(2_500);

    /** Looks of others that failed are repeated sooner. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(3_500);

    /** When it has begun to wait; empty if it does not. */
    private volatile OptionalLong since = OptionalLong.empty();

    /**
     * Returns whether this client has watched the node since its last look, at the process before. Else that may have
     * shown what is not noted, such as another epoch, or a clock that jumped.
     */
    static boolean hasWatched(NodeProbe probe, MemoryCheck.@Nullable LastLook last) {
        return last != null && probe.hasWatchedSince(last.at());
    }

    /** Returns for how long this client, which has not, leaves it to others to take over what that process had. */
    long takesOverInNanos(long askedAt) {
        return leftNanos(askedAt);
    }

    /**
     * Returns for how long this client must not ask for a new lock; 0 if it may.
     *
     * @param last what it saw before, in whichever term; null if it has not looked yet
     * @param heardSince since when it has heard of the shard without a gap
     */
    long waitsNanos(
            NodeFacts facts, BirthMark mark, MemoryCheck.@Nullable LastLook last, long heardSince, long askedAt) {
        boolean isNew = last == null || heardSince - last.at() > 0;
        if (!facts.clustered() || !isNew || facts.nowMicros() - mark.seenMicros() < NOTED_MICROS) {
            since = OptionalLong.empty();
            return 0;
        }
        return leftNanos(askedAt);
    }

    private long leftNanos(long askedAt) {
        OptionalLong begun = since.isEmpty() ? OptionalLong.of(askedAt) : since;
        long left = begun.getAsLong() + PATIENCE_NANOS - askedAt;
        since = left > 0 ? begun : OptionalLong.empty();
        return Math.max(0, left);
    }
}
