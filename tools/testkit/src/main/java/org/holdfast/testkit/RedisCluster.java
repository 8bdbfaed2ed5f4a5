// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A Redis Cluster: primaries that share the slots, and a replica for each, all as processes of their own. */
public final class RedisCluster implements AutoCloseable {

    /** How many slots there are. */
    public static final int SLOTS = 16_384;

    private static final long MEET_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Duration NODE_TIMEOUT = Duration.ofMillis(1_500);

    private final List<RedisServer> servers = new ArrayList<>();
    private final Path directory;

    private final Duration nodeTimeout;
    private final boolean linked;

    private final List<String> options = new ArrayList<>();
    private Optional<ClockShim> clockOfReplicas = Optional.empty();

    /** The ways that nodes take to each other, if they can be cut. */
    private final BusLinks ways = new BusLinks();

    /** By node the port on which it speaks TLS, if they do. */
    private final Map<RedisServer, Integer> encrypted = new HashMap<>();

    private RedisCluster(Path directory, Duration nodeTimeout, boolean linked) {
        this.directory = directory;
        this.nodeTimeout = nodeTimeout;
        this.linked = linked;
    }

    /**
     * Starts the processes, and waits until all know each other and all slots.
     *
     * @param directory where they keep their files
     * @param primaries how many primaries share the slots
     * @param replicas how many replicas there are, the first for the first primary and so on
     */
    public static RedisCluster start(Path directory, int primaries, int replicas) {
        return start(directory, primaries, replicas, NODE_TIMEOUT);
    }

    /**
     * Does the same.
     *
     * @param nodeTimeout after which a node that does not answer has failed
     */
    public static RedisCluster start(Path directory, int primaries, int replicas, Duration nodeTimeout) {
        return start(new RedisCluster(directory, nodeTimeout, false), primaries, replicas);
    }

    /** Does the same, and the ways between the nodes can be cut. */
    public static RedisCluster startLinked(Path directory, int primaries) {
        return startLinked(directory, primaries, NODE_TIMEOUT);
    }

    /**
     * Does the same.
     *
     * @param nodeTimeout for so long a primary goes on that is cut off from the others
     */
    public static RedisCluster startLinked(Path directory, int primaries, Duration nodeTimeout) {
        return start(new RedisCluster(directory, nodeTimeout, true), primaries, 0);
    }

    /** Starts primaries with these options, added to ours, as on the command line of redis-server. */
    public static RedisCluster startWith(Path directory, int primaries, String... options) {
        RedisCluster cluster = new RedisCluster(directory, NODE_TIMEOUT, false);
        cluster.options.addAll(List.of(options));
        return start(cluster, primaries, 0);
    }

    /** Starts one whose nodes write to the disk before they answer, with a replica for each primary. */
    public static RedisCluster startDurable(Path directory, int primaries) {
        return startDurable(directory, primaries, Optional.empty());
    }

    /** Does the same with another clock for the replicas than the machine's, which the primaries have. */
    public static RedisCluster startDurable(Path directory, int primaries, ClockShim clock) {
        return startDurable(directory, primaries, Optional.of(clock));
    }

    private static RedisCluster startDurable(Path directory, int primaries, Optional<ClockShim> clock) {
        RedisCluster cluster = new RedisCluster(directory, NODE_TIMEOUT, false);
        cluster.options.addAll(List.of("--appendonly", "yes", "--appendfsync", "always"));
        cluster.clockOfReplicas = clock;
        return start(cluster, primaries, primaries);
    }

    private static RedisCluster start(RedisCluster cluster, int primaries, int replicas) {
        try {
            cluster.begin(primaries, replicas);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void begin(int primaries, int replicas) {
        for (int i = 0; i < primaries + replicas; i++) {
            servers.add(startNode(i < primaries ? Optional.empty() : clockOfReplicas));
        }
        for (int i = 0; i < primaries; i++) {
            ClusterNode.require(servers.get(i), "CLUSTER SET-CONFIG-EPOCH " + (i + 1));
            ClusterNode.addSlots(servers.get(i), SLOTS * i / primaries, SLOTS * (i + 1) / primaries);
        }
        servers.stream().skip(1).forEach(server -> meet(servers.get(0), server));
        awaitMembers();
        for (int i = 0; i < replicas; i++) {
            ClusterNode.replicate(servers.get(primaries + i), servers.get(i % primaries));
        }
        Patience.await("the cluster is ready", () -> servers.stream().allMatch(ClusterNode::isReady));
        Patience.await("replicas are connected", () -> servers.stream()
                .skip(primaries)
                .allMatch(server -> server.ask("INFO replication").contains("master_link_status:up")));
    }

    private RedisServer startNode(Optional<ClockShim> clock) {
        boolean speaksTls = options.contains("--tls-cluster");
        int tlsPort = speaksTls ? FreePort.findWithBus() : 0;
        RedisServer server = launch(tlsPort, clock);
        if (speaksTls) {
            encrypted.put(server, tlsPort);
        }
        if (linked) {
            ClusterNode.require(
                    server, "CONFIG SET cluster-announce-bus-port " + ways.lead(server, server.port() + FreePort.BUS));
        }
        return server;
    }

    private RedisServer launch(int tlsPort, Optional<ClockShim> clock) {
        List<String> all = new ArrayList<>(List.of(
                "--cluster-enabled",
                "yes",
                "--cluster-config-file",
                "nodes.conf",
                "--cluster-node-timeout",
                Long.toString(nodeTimeout.toMillis()),
                "--repl-diskless-sync-delay",
                "0",
                "--tls-port",
                Integer.toString(tlsPort)));
        all.addAll(options);
        String[] words = all.toArray(String[]::new);
        return clock.map(set -> RedisServer.startWithClock(directory, set, words))
                .orElseGet(() -> RedisServer.start(directory, words));
    }

    private void meet(RedisServer one, RedisServer other) {
        int bus = ways.port(other).orElse(port(other) + FreePort.BUS);
        ClusterNode.require(one, "CLUSTER MEET 127.0.0.1 " + port(other) + " " + bus);
    }

    /** A node that stands still for longer than the node timeout forgets that it was to meet another one. */
    private void awaitMembers() {
        AtomicLong metAt = new AtomicLong(System.nanoTime());
        Patience.await("all nodes know each other", () -> {
            boolean known = servers.stream()
                    .allMatch(server -> server.ask("CLUSTER INFO").contains("cluster_known_nodes:" + servers.size()));
            if (!known && System.nanoTime() - metAt.get() > MEET_AGAIN_NANOS) {
                servers.stream().skip(1).forEach(server -> meet(servers.get(0), server));
                metAt.set(System.nanoTime());
            }
            return known;
        });
    }

    /** Adds a primary without slots. */
    public RedisServer addPrimary() {
        RedisServer added = startNode(Optional.empty());
        meet(servers.get(0), added);
        servers.add(added);
        awaitMembers();
        Patience.await("the new node is ready", () -> ClusterNode.isReady(added));
        return added;
    }

    /** Adds a replica, and waits until it has what its primary has. */
    public RedisServer addReplica(RedisServer primary) {
        RedisServer added = addPrimary();
        ClusterNode.replicate(added, primary);
        Patience.await(
                "the replica is connected", () -> added.ask("INFO replication").contains("master_link_status:up"));
        return added;
    }

    /** Returns the ways that nodes take to each other, if the cluster was started with links. */
    public BusLinks ways() {
        return ways;
    }

    /** Returns the processes: those that were primaries at the start, then the others. */
    public List<RedisServer> servers() {
        return servers;
    }

    /** Returns the port that a node shows. */
    public int port(RedisServer server) {
        return encrypted.getOrDefault(server, server.port());
    }

    /** Waits until all others that run take this node for a primary, or not. */
    public void awaitRole(RedisServer server, boolean primary) {
        Patience.await("the role of " + server.port() + " changes", () -> ClusterNode.isPrimary(server) == primary);
    }

    /** Waits until a node has been replaced by one of its replicas, and returns that. */
    public RedisServer awaitSuccessor(RedisServer failed, List<RedisServer> replicas) {
        Patience.await("a replica becomes a primary", () -> replicas.stream().anyMatch(ClusterNode::isPrimary));
        RedisServer successor =
                replicas.stream().filter(ClusterNode::isPrimary).findFirst().orElseThrow();
        Patience.await("the cluster is ready", () -> servers.stream()
                .filter(server -> server != failed && server.isAlive())
                .allMatch(ClusterNode::isReady));
        return successor;
    }

    /** Waits until the others have found that another node answers where one of them was. */
    public void awaitForgottenAddress(RedisServer lost) {
        Patience.await("its address is forgotten", () -> servers.stream()
                .filter(server -> server != lost)
                .allMatch(server -> server.ask("CLUSTER NODES").contains("noaddr")));
    }

    /** Returns which process has a slot, as the first one that runs says. */
    public RedisServer owner(int slot) {
        for (RedisServer server : servers) {
            if (ClusterNode.isPrimary(server) && ClusterNode.hasSlot(server, slot)) {
                return server;
            }
        }
        throw new IllegalStateException("no node has slot " + slot);
    }

    /** Begins to move a slot: keys that are not there any more are asked for at its new place. */
    public void beginMove(int slot, RedisServer from, RedisServer to) {
        ClusterNode.require(to, "CLUSTER SETSLOT " + slot + " IMPORTING " + ClusterNode.id(from));
        ClusterNode.require(from, "CLUSTER SETSLOT " + slot + " MIGRATING " + ClusterNode.id(to));
    }

    /** Moves the keys of a slot, as far as a predicate wants them. */
    public void moveKeys(int slot, RedisServer from, RedisServer to, Predicate<String> wanted) {
        List<String> keys = ClusterNode.keys(slot, from).stream().filter(wanted).toList();
        for (String key : keys) {
            ClusterNode.require(from, "MIGRATE 127.0.0.1 " + to.port() + " \"" + key + "\" 0 5000 REPLACE");
        }
    }

    /**
     * Ends the move of a slot: the new place has it from now on, whatever keys it has. The node of before drops those
     * that it still has, and up to Redis 6.2 would say for ever that it moves the slot.
     */
    public void endMove(int slot, RedisServer to) {
        String line = "CLUSTER SETSLOT " + slot + " NODE " + ClusterNode.id(to);
        ClusterNode.require(to, line);
        servers.stream().filter(server -> server != to && server.isAlive()).forEach(server -> server.ask(line));
        Patience.await("all know where the slot is", () -> servers.stream()
                .filter(server -> server != to && server.isAlive() && ClusterNode.isPrimary(server))
                .noneMatch(server -> ClusterNode.hasSlot(server, slot)));
        servers.stream().filter(RedisServer::isAlive).forEach(one -> one.ask("CLUSTER SETSLOT " + slot + " STABLE"));
    }

    /** Gives up the move of a slot: the keys that were moved stay at the other place. */
    public void abandonMove(int slot, RedisServer from, RedisServer to) {
        ClusterNode.require(from, "CLUSTER SETSLOT " + slot + " STABLE");
        ClusterNode.require(to, "CLUSTER SETSLOT " + slot + " STABLE");
    }

    /** Moves a slot with all its keys, as {@code redis-cli --cluster reshard} does. */
    public void move(int slot, RedisServer to) {
        RedisServer from = owner(slot);
        beginMove(slot, from, to);
        moveKeys(slot, from, to, key -> true);
        endMove(slot, to);
    }

    /** Ends what a replica receives from its primary, for ever: it stays a replica, and lags behind. */
    public void holdBack(RedisServer replica, RedisServer primary) {
        ClusterNode.require(replica, "CONFIG SET masterauth refused"); // by a primary that has no password
        primary.ask("CLIENT KILL TYPE replica");
        Patience.await("the replica is disconnected", () -> replica.ask("INFO replication")
                .contains("master_link_status:down"));
    }

    /** Has an operator put a replica in the place of its primary, whatever the others say. */
    public void takeOver(RedisServer replica) {
        ClusterNode.require(replica, "CLUSTER FAILOVER TAKEOVER");
        awaitRole(replica, true);
    }

    /**
     * Has an operator put a replica in the place of its primary, which hands over to it. A primary that has not heard
     * of its replica yet would ignore that.
     */
    public void failOver(RedisServer replica) {
        String id = ClusterNode.id(replica);
        Patience.await("its primary knows the replica", () -> servers.stream()
                .filter(server -> server != replica && server.isAlive())
                .map(server -> server.ask("CLUSTER NODES"))
                .anyMatch(nodes -> ClusterNode.isOwnReplica(id, nodes)));
        ClusterNode.require(replica, "CLUSTER FAILOVER");
        awaitRole(replica, true);
    }

    /** Returns the address in the form that Holdfast takes. */
    public String uri() {
        return uri("");
    }

    /**
     * Returns the same for a user.
     *
     * @param entry what stands before the hosts: user, password and {@code @}; or nothing
     */
    public String uri(String entry) {
        return servers.stream()
                .limit(3)
                .map(server -> "127.0.0.1:" + port(server))
                .collect(Collectors.joining(",", scheme() + "://" + entry, ""));
    }

    private String scheme() {
        return encrypted.isEmpty() ? "redis+cluster" : "rediss+cluster";
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
        ways.close();
    }
}
