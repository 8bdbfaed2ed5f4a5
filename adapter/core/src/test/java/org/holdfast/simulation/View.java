// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.guard.NodeGuard;
import org.holdfast.protocol.node.NodeSet;

/**
 * The nodes as one client sees them: which it cannot reach now, what it knows of their clocks, and how slow it is
 * itself.
 */
final class View {

    final SimulatedTime time;
    final World.Machine machine;
    final ClockMonitor clockMonitor;
    final List<NodeGuard> guards;
    final Whereabouts whereabouts;

    /** Until when it takes long to send something. */
    long slowUntil;

    private long cutOffUntil;
    private NodeSet cutOff = NodeSet.NONE;
    private NodeSet setAside = NodeSet.NONE;

    View(
            SimulatedTime time,
            World.Machine machine,
            ClockMonitor clockMonitor,
            List<NodeGuard> guards,
            Whereabouts whereabouts) {
        this.whereabouts = whereabouts;
        this.time = time;
        this.machine = machine;
        this.clockMonitor = clockMonitor;
        this.guards = guards;
    }

    void cutOff(NodeSet nodes, long until) {
        cutOff = nodes;
        cutOffUntil = until;
    }

    boolean isCutOff(int node, long now) {
        return now < cutOffUntil && cutOff.contains(node);
    }

    boolean isAsked(int node) {
        return !setAside.contains(node) && !clockMonitor.isDoubted(node);
    }

    /** A node has been looked at. */
    void looked(int node, boolean admitted) {
        setAside = admitted ? setAside.without(NodeSet.of(node)) : setAside.with(node);
    }
}
