// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.OptionalLong;
import org.holdfast.protocol.env.Time;

/**
 * What a client has heard of the epochs of a shard: of the node, and of the one before it.
 *
 * <p>Safe for use by any number of threads.
 */
final class EpochWatch {

    private static final long UNKNOWN = -1;

    private final Time time;
    private final long askedNanos;

    /** Since when a majority was asked without a gap which node the shard is; and when it was asked last. */
    private volatile long since;

    private volatile OptionalLong at = OptionalLong.empty();

    private volatile long now = UNKNOWN;
    private volatile long before = UNKNOWN;

    /** @param askedNanos at least so often a majority is asked */
    EpochWatch(Time time, long askedNanos) {
        this.time = time;
        this.askedNanos = askedNanos;
    }

    /**
     * Takes what a majority says.
     *
     * @param isSame whether the node is that which it has named before
     * @param askedAt when it was asked
     * @param askedSince since when it was asked without a gap from then on
     * @return whether this client has missed something since it asked last
     */
    synchronized boolean see(boolean isSame, long epoch, long askedAt, long askedSince) {
        boolean missed = at.isEmpty() || askedSince - at.getAsLong() > 0;
        if (!isSame) {
            before = missed ? UNKNOWN : now;
        }
        now = epoch;
        since = askedSince;
        at = OptionalLong.of(askedAt);
        return missed;
    }

    /** Returns whether this is the epoch that the node before had, as long as this client watched it. */
    boolean wasBefore(long epoch) {
        return epoch == before;
    }

    /** Returns since when this client has asked without a gap; now if it has not asked lately. */
    long since() {
        long moment = time.nanoTime();
        return at.isPresent() && moment - at.getAsLong() <= askedNanos ? since : moment;
    }
}
