// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.holdfast.CheckReport;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.script.KnownScripts;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.VoterConnector;

/** The nodes of one lock service, and what it does with them: connections, notifications and inspections. */
public final class NodeGroup implements AutoCloseable {

    private final VoterConnector connector;
    private final ScriptCodec codec;
    private final KnownScripts scripts = new KnownScripts();
    private final AskedNodes nodes;
    private final Time time;
    private final Duration quarantine;
    private final Set<NodeConnections> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param connector knows the nodes
     * @param keyPrefix what every key on the nodes begins with
     * @param policy whether nodes that may have forgotten locks lose their votes
     * @param recorder receives what becomes of nodes
     * @param logLimiters of all lock services that share the nodes
     * @param looks has nodes inspected in time
     */
    public NodeGroup(
            VoterConnector connector,
            String keyPrefix,
            GuardPolicy policy,
            Time time,
            Recorder recorder,
            NodeLogLimiters logLimiters,
            WakeUp looks) {
        this.connector = connector;
        this.codec = new ScriptCodec(keyPrefix, policy.lingerMicros());
        this.nodes = new AskedNodes(connector, codec, policy, time, recorder, logLimiters, looks);
        this.time = time;
        this.quarantine = policy.settings().widest().quarantine();
        connector.onMove((node, term) -> {
            nodes.moved(node, term);
            open.forEach(NodeConnections::isUsable); // closes connections to the process that was the node
        });
    }

    /** Returns new connections for callers that wait for their answers. They are opened when they are first used. */
    public NodeConnections open() {
        return open(WakeUp.NONE);
    }

    /**
     * Returns new connections. They are opened when they are first used.
     *
     * @param reads has {@link NodeConnections#isUsable} called for what no caller waits for
     */
    public NodeConnections open(WakeUp reads) {
        NodeConnections connections = new NodeConnections(nodes, connector, codec, scripts, time, reads, open::remove);
        open.add(connections);
        if (closed) {
            connections.close();
        }
        return connections;
    }

    /**
     * Waits until every request on every connection has its answer, or its node is given up; until the deadline at the
     * most.
     */
    public void awaitAnswers(long deadline) {
        open.forEach(connections -> connections.awaitAnswers(deadline));
    }

    /**
     * Closes the connections that are still open: not every container ends the connections in its pool when their
     * adapter goes. Waits for what is under way, for 100 ms at the most.
     */
    @Override
    public void close() {
        closed = true;
        long deadline = System.nanoTime() + Math.min(NodeConnections.CLOSING_NANOS, connector.nodeTimeoutNanos());
        open.forEach(connections -> connections.close(deadline));
        connector.close();
    }

    /**
     * Returns what receives releases by other processes.
     *
     * @param threads gives a thread for as long as it takes
     */
    public Subscriber subscriber(Executor threads) {
        return new Subscriber(nodes, connector, codec, time, threads);
    }

    /** Returns whether a node may become another process, so that {@link #locate()} is to be called once a second. */
    public boolean isMoving() {
        return connector.isMoving();
    }

    /** Asks where the nodes are that may move. Blocks for a node timeout at the most. */
    public void locate() {
        connector.confirm();
    }

    /** Returns what inspects the nodes in the background. */
    public RedisProbe inspection() {
        return new RedisProbe(nodes, connector);
    }

    /**
     * Looks at every node now.
     *
     * @param maxSkewMicros by how much the wall clock of this machine may differ from those of a majority
     */
    public CheckReport check(long maxSkewMicros) {
        return new NodeCheck(nodes, connector, codec, time, quarantine).run(maxSkewMicros);
    }

    /** Returns what is known of each node, by address without secrets. */
    public Map<String, String> describeNodes() {
        Map<String, String> reasons = new LinkedHashMap<>();
        for (int node = 0; node < nodes.size(); node++) {
            reasons.put(nodes.address(node).toString(), nodes.health(node).reason());
        }
        return reasons;
    }

    /** Returns what is known of the nodes' clocks. */
    public ClockMonitor clockMonitor() {
        return nodes.clockMonitor();
    }
}
