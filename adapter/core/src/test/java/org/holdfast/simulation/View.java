// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.guard.NodeGuard;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.redis.script.NodeKeys;
import org.holdfast.redis.script.ScriptCodec;

/**
 * The nodes that vote on the same names as one client sees them: where they are, which it uses, and what it knows of
 * their clocks.
 */
final class View {

    final SimulatedTime time;
    final World.Machine machine;
    final ClockMonitor clockMonitor;
    final List<NodeGuard> guards;
    final Places places;
    final Reach reach;
    private NodeSet setAside = NodeSet.NONE;

    View(
            SimulatedTime time,
            World.Machine machine,
            ClockMonitor clockMonitor,
            List<NodeGuard> guards,
            Places places,
            Reach reach) {
        this.places = places;
        this.reach = reach;
        this.time = time;
        this.machine = machine;
        this.clockMonitor = clockMonitor;
        this.guards = guards;
    }

    boolean isCutOff(int node, long now) {
        return reach.isCutOff(node, now);
    }

    boolean isCutOff(int node, SimulatedNode process, long now) {
        return reach.isCutOff(node, now) || reach.isHidden(process, now);
    }

    /** Returns the process that it finds where a node is. */
    SimulatedNode process(int node) {
        return places.of(node).orElseThrow().process();
    }

    /** Returns what keys are called on a node, besides those of locks. */
    NodeKeys keys(int node) {
        return places.codec(node).map(ScriptCodec::keys).orElse(SimulatedNode.KEYS);
    }

    boolean isAsked(int node) {
        return !setAside.contains(node) && !clockMonitor.isDoubted(node);
    }

    /** A node has been looked at. */
    void looked(int node, boolean admitted) {
        setAside = admitted ? setAside.without(NodeSet.of(node)) : setAside.with(node);
    }
}
