// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import org.holdfast.CheckReport;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.NodeMonitor;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Round;
import org.holdfast.redis.GroupedNodes;
import org.holdfast.redis.NodeChannel;
import org.holdfast.redis.releases.ReleaseSubscriber;
import org.holdfast.redis.survey.FoundLocks;
import org.holdfast.redis.survey.Waiting;

/** The shards that vote on the same names, as one client reaches them. */
final class SimulatedGroup implements GroupedNodes {

    private final World world;
    private final List<SimulatedCluster> clusters;
    private final Network network;
    private final View view;
    private final NodeMonitor monitor;
    private boolean closed;
    private LongConsumer clockStoodStill = nanos -> {};

    SimulatedGroup(World world, Network network, View view, List<SimulatedCluster> clusters) {
        this.world = world;
        this.clusters = clusters;
        this.network = network;
        this.view = view;
        this.monitor = new NodeMonitor(
                view.time,
                view.clockMonitor,
                new SimulatedSight(world, network, view),
                nanos -> clockStoodStill.accept(nanos));
    }

    @Override
    public NodeChannel open(WakeUp reads) {
        return new Channel(network.connect(view));
    }

    /** What the real ones do on threads of their own happens by itself here. */
    private record Channel(Nodes nodes) implements NodeChannel {

        @Override
        public int count() {
            return nodes.count();
        }

        @Override
        public String address(int node) {
            return nodes.address(node);
        }

        @Override
        public void prepare() {
            nodes.prepare();
        }

        @Override
        public boolean isClockSkewed(long wallMicros, long limitMicros) {
            return nodes.isClockSkewed(wallMicros, limitMicros);
        }

        @Override
        public Round send(Command command, NodeSet targets) {
            return nodes.send(command, targets);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isUsable() {
            return true;
        }

        @Override
        public void awaitAnswers(long deadline) {
            // each has its answer within a node timeout
        }

        @Override
        public void close() {
            // what was sent has its answer by then
        }

        @Override
        public void close(long deadline) {
            close();
        }
    }

    @Override
    public void awaitAnswers(long deadline) {
        // each has its answer within a node timeout
    }

    @Override
    public ReleaseSubscriber subscriber(Executor threads) {
        return new SimulatedSubscriber(world, network, view, clusters);
    }

    @Override
    public void onClockStoodStill(LongConsumer told) {
        clockStoodStill = told;
    }

    @Override
    public long nanosUntilLook() {
        return monitor.nanosUntilDue();
    }

    @Override
    public void look() {
        claimLook().ifPresent(Runnable::run);
    }

    @Override
    public Optional<Runnable> claimLook() {
        return monitor.isDue() ? Optional.of(monitor::look) : Optional.empty();
    }

    @Override
    public boolean isWell() {
        return true;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public String describeNode(int node) {
        return "";
    }

    @Override
    public void stopLooking() {
        // there are no connections
    }

    @Override
    public void rearrange() {
        // a node that moves is the same node
    }

    @Override
    public CheckReport check(long maxSkewMicros) {
        return new CheckReport(List.of(), "");
    }

    @Override
    public void find(FoundLocks found, long longestNanos) {
        throw new UnsupportedOperationException("no world lists locks");
    }

    @Override
    public List<Waiting> waiting(List<String> names) {
        throw new UnsupportedOperationException("no world lists locks");
    }

    @Override
    public List<CheckReport.Node> known() {
        return List.of();
    }

    @Override
    public Map<String, String> describeNodes() {
        return Map.of();
    }

    @Override
    public void close() {
        closed = true;
    }
}
