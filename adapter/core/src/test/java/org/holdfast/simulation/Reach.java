// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.holdfast.protocol.node.NodeSet;

/** What one client does not reach now, and how slow it is. */
final class Reach {

    /** Until when it takes long to send something. */
    long slowUntil;

    private final Map<SimulatedCluster, Long> misledUntil = new HashMap<>();
    private long cutOffUntil;
    private NodeSet cutOff = NodeSet.NONE;
    private long hiddenUntil;
    private Set<SimulatedNode> hidden = Set.of();

    /** Where this cluster was it finds another one. */
    void mislead(SimulatedCluster cluster, long until) {
        misledUntil.put(cluster, until);
    }

    /** Returns which cluster it finds at the addresses of one. */
    SimulatedCluster at(SimulatedCluster cluster, long now) {
        boolean misled = now < misledUntil.getOrDefault(cluster, 0L);
        return misled ? cluster.stranger().orElseThrow() : cluster;
    }

    /** It reaches none of these nodes, whichever processes they are. */
    void cutOff(NodeSet nodes, long until) {
        cutOff = nodes;
        cutOffUntil = until;
    }

    /** It reaches none of these processes. */
    void hide(Set<SimulatedNode> processes, long until) {
        hidden = processes;
        hiddenUntil = until;
    }

    boolean isCutOff(int node, long now) {
        return now < cutOffUntil && cutOff.contains(node);
    }

    boolean isHidden(SimulatedNode process, long now) {
        return now < hiddenUntil && hidden.contains(process);
    }
}
