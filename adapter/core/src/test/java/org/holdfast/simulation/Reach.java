// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.Set;
import org.holdfast.protocol.node.NodeSet;

/** What one client does not reach now, and how slow it is. */
final class Reach {

    /** Until when it takes long to send something. */
    long slowUntil;

    private long cutOffUntil;
    private NodeSet cutOff = NodeSet.NONE;
    private long hiddenUntil;
    private Set<SimulatedNode> hidden = Set.of();

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
