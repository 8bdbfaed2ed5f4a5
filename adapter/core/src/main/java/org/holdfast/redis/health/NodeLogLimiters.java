// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.holdfast.protocol.env.LogRateLimiter;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.address.VoterAddress;

/**
 * How often the log speaks of nodes: of each sort of message there is one a second and node at the most, however many
 * lock services share the nodes, and what all of them find is logged by one.
 *
 * <p>Remembers the nodes of the lock services that share it, and lives as long as these. Safe for use by any number of
 * threads.
 */
public final class NodeLogLimiters {

    private final Time time;
    private final LogRateLimiter majority;
    private final Map<VoterAddress, OfNode> byAddress = new ConcurrentHashMap<>();

    public NodeLogLimiters(Time time) {
        this.time = time;
        this.majority = new LogRateLimiter(time);
    }

    /** Returns the throttle of what the log says of all nodes together. */
    LogRateLimiter majority() {
        return majority;
    }

    /**
     * What may be said of one node.
     *
     * @param aside that it is not asked, and that it is asked again
     * @param remembers since when it remembers everything
     * @param refusedSubscriptions that it refuses the subscription to releases
     * @param moves that it is another process from now on
     */
    record OfNode(
            AsideLog aside, LogRateLimiter remembers, LogRateLimiter refusedSubscriptions, LogRateLimiter moves) {}

    OfNode of(VoterAddress address) {
        return byAddress.computeIfAbsent(
                address,
                node -> new OfNode(
                        new AsideLog(time),
                        new LogRateLimiter(time),
                        new LogRateLimiter(time),
                        new LogRateLimiter(time)));
    }
}
