// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.holdfast.protocol.Throttle;
import org.holdfast.protocol.Time;

/**
 * How often the log speaks of nodes: of each sort of message there is one a second and node at the most, however many lock
 * services share the nodes, and what all of them find is said by one.
 *
 * <p>Remembers the nodes of those who share it, and goes with them. Safe for use by any number of threads.
 */
public final class NodeThrottles {

    private final Time time;
    private final Throttle majority;
    private final Map<NodeAddress, OfNode> byAddress = new ConcurrentHashMap<>();

    public NodeThrottles(Time time) {
        this.time = time;
        this.majority = new Throttle(time);
    }

    /** Returns the throttle of what the log says of all nodes together. */
    Throttle majority() {
        return majority;
    }

    /**
     * What may be said of one node.
     *
     * @param aside that it is not asked
     * @param tellers who has said so, and has not said that it is asked again
     * @param remembers since when it remembers everything
     * @param mute that it does not let us listen
     */
    record OfNode(Throttle aside, Set<NodeHealth> tellers, Throttle remembers, Throttle mute) {}

    OfNode of(NodeAddress address) {
        return byAddress.computeIfAbsent(
                address,
                node -> new OfNode(
                        new Throttle(time), ConcurrentHashMap.newKeySet(), new Throttle(time), new Throttle(time)));
    }
}
