// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.holdfast.CheckReport;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.guard.NodeMonitor;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.releases.Subscriber;
import org.holdfast.redis.script.KnownScripts;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.survey.FoundLocks;
import org.holdfast.redis.survey.LockScan;
import org.holdfast.redis.survey.NodeCheck;
import org.holdfast.redis.survey.Waiting;
import org.holdfast.redis.voter.VoterConnector;

/** Nodes that vote on the same names: all of a lock service, unless some are clusters. */
public final class NodeGroup implements GroupedNodes {

    /** So often a node is looked at. */
    public static final long LOOKS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final VoterConnector connector;
    private final ScriptCodec codec;
    private final KnownScripts scripts = new KnownScripts();
    private final AskedNodes nodes;
    private final Time time;
    private final Duration quarantine;
    private final RedisProbe probe;
    private final LockScan scan;
    private final NodeMonitor monitor;
    private volatile LongConsumer clockStoodStill = nanos -> {};
    private final Set<NodeConnections> open = ConcurrentHashMap.newKeySet();

    /** Whether a thread looks, or is about to: it has the probe's connections. */
    private final AtomicBoolean looking = new AtomicBoolean();

    private volatile boolean looksNoMore;
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
        this.probe = new RedisProbe(nodes, connector);
        this.scan = new LockScan(nodes, connector, keyPrefix, time);
        this.monitor = new NodeMonitor(time, nodes.clockMonitor(), probe, nanos -> clockStoodStill.accept(nanos));
        this.quarantine = policy.settings().widest().quarantine();
        this.looksNoMore = policy.observes(); // each connection is inspected all the same
        connector.onMove((node, term) -> {
            nodes.moved(node, term);
            open.forEach(NodeConnections::isUsable); // closes connections to the process that was the node
        });
    }

    @Override
    public NodeConnections open(WakeUp reads) {
        NodeConnections connections = new NodeConnections(nodes, connector, scripts, time, reads, open::remove);
        open.add(connections);
        if (closed) {
            connections.close();
        }
        return connections;
    }

    @Override
    public void awaitAnswers(long deadline) {
        open.forEach(connections -> connections.awaitAnswers(deadline));
    }

    @Override
    public void close() {
        closed = true;
        long deadline = System.nanoTime() + Math.min(NodeConnections.CLOSING_NANOS, connector.nodeTimeoutNanos());
        open.forEach(connections -> connections.close(deadline));
        connector.close();
    }

    @Override
    public Subscriber subscriber(Executor threads) {
        return new Subscriber(nodes, connector, codec, time, threads);
    }

    @Override
    public void onClockStoodStill(LongConsumer told) {
        clockStoodStill = told;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isWell() {
        return IntStream.range(0, nodes.size())
                .allMatch(node -> nodes.health(node).isAsked());
    }

    @Override
    public long nanosUntilLook() {
        return looksNoMore || looking.get() ? LOOKS_NANOS : monitor.nanosUntilDue();
    }

    @Override
    public void look() {
        claimLook().ifPresent(Runnable::run);
    }

    @Override
    public Optional<Runnable> claimLook() {
        return !looksNoMore && monitor.isDue() && looking.compareAndSet(false, true)
                ? Optional.of(this::lookOnce)
                : Optional.empty();
    }

    private void lookOnce() {
        try {
            if (!looksNoMore) {
                monitor.look();
            }
        } finally {
            looking.set(false);
        }
        if (looksNoMore) {
            stopLooking();
        }
    }

    /** Does not wait for a look that is under way: the thread that looks closes the connections. */
    @Override
    public void stopLooking() {
        looksNoMore = true;
        if (looking.compareAndSet(false, true)) {
            try {
                probe.close();
            } finally {
                looking.set(false);
            }
        }
    }

    @Override
    public void rearrange() {
        // a node that moves is the same node
    }

    @Override
    public CheckReport check(long maxSkewMicros) {
        return new NodeCheck(nodes, connector, time, quarantine).run(maxSkewMicros);
    }

    @Override
    public void find(FoundLocks found, long longestNanos) {
        scan.find(found, longestNanos);
    }

    @Override
    public List<Waiting> waiting(List<String> names) {
        return scan.waiting(names);
    }

    @Override
    public List<CheckReport.Node> known() {
        return IntStream.range(0, nodes.size())
                .mapToObj(node -> nodes.health(node).report())
                .toList();
    }

    @Override
    public Map<String, String> describeNodes() {
        Map<String, String> reasons = new LinkedHashMap<>();
        for (int node = 0; node < nodes.size(); node++) {
            reasons.put(nodes.address(node).toString(), nodes.health(node).reason());
        }
        return reasons;
    }

    @Override
    public String describeNode(int node) {
        String reason = nodes.health(node).reason();
        return connector.shard(node).map(shard -> shard + ": " + reason).orElse(reason);
    }

    /** Returns what looks at the nodes. */
    RedisProbe probe() {
        return probe;
    }
}
