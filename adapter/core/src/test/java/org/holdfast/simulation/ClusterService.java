// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongConsumer;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.queue.ReleaseNotifications;
import org.holdfast.redis.GroupedNodes;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.sharded.ShardedNodes;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.voter.LocatorsBridge;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.ConnectionSecurity;
import org.holdfast.redis.wire.NodeConnector;

/**
 * The clusters, as one client finds them: the real {@link Locators} and {@link ShardedNodes} decide what is worth what
 * is heard, and which shards vote.
 */
final class ClusterService {

    /** Votes count for so long; the real ones for more than three times that. */
    private static final Duration COUNTS = Duration.ofMillis(1_500);

    /** The real one is twice as long. */
    private static final Duration HEARING = Duration.ofSeconds(1);

    /** So often it asks where slots are. */
    private static final long LOCATING = 700_000_000L;

    private final World world;
    private final World.Machine machine;
    private final Network network;
    private final List<SimulatedCluster> clusters;
    private final SimulatedTime time;
    private final Reach reach;
    private final long nodeTimeout;
    private final Locators locators;
    private final ShardedNodes nodes;
    private World.Task locator;
    private boolean misdirected;

    ClusterService(
            World world,
            World.Machine machine,
            Network network,
            List<SimulatedCluster> clusters,
            Setting setting,
            SimulatedTime time,
            Reach reach) {
        this.world = world;
        this.machine = machine;
        this.network = network;
        this.clusters = clusters;
        this.time = time;
        this.reach = reach;
        this.nodeTimeout = setting.timing().nodeTimeout().toNanos();
        NodeConnector connector = new NodeConnector(
                ConnectionSecurity.DEFAULT,
                setting.timing().nodeTimeout(),
                task -> {
                    throw new RejectedExecutionException("one thread asks all");
                },
                time);
        this.locators = LocatorsBridge.locators(
                List.copyOf(clusters.stream().map(SimulatedCluster::address).toList()),
                connector,
                COUNTS,
                HEARING,
                this::ask,
                setting.timing().driftFactor(),
                time);
        locators.onMisdirected(nanos -> askSoon());
        this.nodes = new ShardedNodes(locators, network.codec(), this::open, time);
    }

    private GroupedNodes open(VoterConnector connector) {
        ClockMonitor clockMonitor = new ClockMonitor(clusters.size(), network.settings());
        View view = new View(
                time,
                machine,
                clockMonitor,
                network.guards(clockMonitor, time),
                new ShardPlaces(
                        connector,
                        (voter, place) -> at(clusters.get(voter), place),
                        clusters.size(),
                        network.codec(),
                        network.settings(),
                        time),
                reach);
        connector.onMove((voter, term) -> clockMonitor.begin(voter, term.number()));
        return new SimulatedGroup(world, network, view, clusters);
    }

    /** Returns whether it has used all of them: one that starts uses what it finds. */
    boolean knowsAll() {
        return locators.slots().stream()
                .anyMatch(slot -> locators.lastShards(slot).stream().allMatch(Optional::isPresent));
    }

    Nodes connect() {
        return nodes.open();
    }

    /** Returns what receives releases, without a thread. */
    ReleaseNotifications subscriber() {
        return nodes.subscriber(task -> {
            throw new RejectedExecutionException("it needs none");
        });
    }

    void onClockStoodStill(LongConsumer told) {
        nodes.onClockStoodStill(told);
    }

    boolean isDue() {
        return nodes.nanosUntilLook() <= 0;
    }

    void look() {
        nodes.look();
    }

    void locate() {
        locators.confirm();
        nodes.rearrange();
    }

    /** The calling thread does nothing else. */
    void locateAgainAndAgain() {
        locator = world.current();
        while (true) {
            if (!misdirected) {
                world.waitUntil(world.now() + LOCATING);
            }
            misdirected = false;
            locate();
        }
    }

    private void askSoon() {
        misdirected = true;
        if (locator != null) {
            world.wake(locator);
        }
    }

    /** Asks nodes of any of the clusters, and waits for their answers for a node timeout at the most. */
    private Map<HostPort, String> ask(List<HostPort> places) {
        Map<HostPort, String> heard = new LinkedHashMap<>();
        for (HostPort place : places) {
            clusters.stream()
                    .filter(cluster -> at(cluster, place).isPresent())
                    .findFirst()
                    .ifPresent(cluster -> network.later(() -> arrive(cluster, place, heard)));
        }
        world.waitUntil(world.now() + Math.min(nodeTimeout, network.roundTrips()));
        return new LinkedHashMap<>(heard);
    }

    /** Returns which member of a cluster is at a place, as far as this client can reach it; or which of another one. */
    private Optional<ClusterMember> at(SimulatedCluster cluster, HostPort place) {
        return cluster.at(place)
                .map(member -> reach.at(cluster, world.now()).member(member.index))
                .or(() -> cluster.stranger().flatMap(other -> other.at(place)));
    }

    private void arrive(SimulatedCluster cluster, HostPort place, Map<HostPort, String> heard) {
        ClusterMember member = at(cluster, place).orElseThrow();
        SimulatedNode process = member.process;
        boolean cutOff = reach.isCutOff(clusters.indexOf(cluster), world.now()) || reach.isHidden(process, world.now());
        if (process.isUp() && process.readyAt() <= world.now() && !cutOff) {
            String said = member.answers.nodes();
            network.later(() -> heard.put(place, said));
        }
    }
}
