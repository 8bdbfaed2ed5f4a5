// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Redis Cluster: primaries that share the slots, and a replica for each, all as processes of their own. */
public final class RedisCluster implements AutoCloseable {

    /** How many slots there are. */
    public static final int SLOTS = 16_384;

    private static final Duration NODE_TIMEOUT = Duration.ofMillis(1_500);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long POLL_MILLIS = 20;

    private final List<RedisServer> servers = new ArrayList<>();
    private final Path directory;

    private final Duration nodeTimeout;
    private final List<String> options;

    private RedisCluster(Path directory, Duration nodeTimeout, List<String> options) {
        this.directory = directory;
        this.nodeTimeout = nodeTimeout;
        this.options = options;
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
        return start(new RedisCluster(directory, nodeTimeout, List.of()), primaries, replicas, Optional.empty());
    }

    /**
     * Starts one whose nodes write to the disk before they answer, with a replica for each primary.
     *
     * @param clock of the replicas; those of the primaries have the machine's
     */
    public static RedisCluster startDurable(Path directory, int primaries, ClockShim clock) {
        List<String> durable = List.of("--appendonly", "yes", "--appendfsync", "always");
        return start(new RedisCluster(directory, NODE_TIMEOUT, durable), primaries, primaries, Optional.of(clock));
    }

    private static RedisCluster start(
            RedisCluster cluster, int primaries, int replicas, Optional<ClockShim> clockOfReplicas) {
        try {
            cluster.begin(primaries, replicas, clockOfReplicas);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void begin(int primaries, int replicas, Optional<ClockShim> clockOfReplicas) {
        for (int i = 0; i < primaries + replicas; i++) {
            servers.add(startNode(i < primaries ? Optional.empty() : clockOfReplicas));
        }
        for (int i = 0; i < primaries; i++) {
            require(servers.get(i), "CLUSTER SET-CONFIG-EPOCH " + (i + 1));
            int from = SLOTS * i / primaries;
            int to = SLOTS * (i + 1) / primaries;
            for (int first = from; first < to; first += 512) { // a command line has a length
                require(
                        servers.get(i),
                        IntStream.range(first, Math.min(to, first + 512))
                                .mapToObj(Integer::toString)
                                .collect(Collectors.joining(" ", "CLUSTER ADDSLOTS ", "")));
            }
        }
        servers.stream().skip(1).forEach(server -> meet(servers.get(0), server));
        awaitMembers();
        for (int i = 0; i < replicas; i++) {
            RedisServer replica = servers.get(primaries + i);
            String primary = id(servers.get(i % primaries));
            await("a replica follows", () -> ask(replica, "CLUSTER REPLICATE " + primary)
                    .startsWith("+OK"));
        }
        await("the cluster is ready", () -> servers.stream().allMatch(RedisCluster::isReady));
        await("replicas are connected", () -> servers.stream()
                .skip(primaries)
                .allMatch(server -> ask(server, "INFO replication").contains("master_link_status:up")));
    }

    private RedisServer startNode(Optional<ClockShim> clock) {
        List<String> all = new ArrayList<>(List.of(
                "--cluster-enabled",
                "yes",
                "--cluster-config-file",
                "nodes.conf",
                "--cluster-node-timeout",
                Long.toString(nodeTimeout.toMillis()),
                "--repl-diskless-sync-delay",
                "0"));
        all.addAll(options);
        String[] words = all.toArray(String[]::new);
        return clock.map(set -> RedisServer.startWithClock(directory, set, words))
                .orElseGet(() -> RedisServer.start(directory, words));
    }

    private static void meet(RedisServer one, RedisServer other) {
        require(one, "CLUSTER MEET 127.0.0.1 " + other.port());
    }

    private void awaitMembers() {
        await("all nodes know each other", () -> servers.stream()
                .allMatch(server -> ask(server, "CLUSTER INFO").contains("cluster_known_nodes:" + servers.size())));
    }

    private static boolean isReady(RedisServer server) {
        String info = ask(server, "CLUSTER INFO");
        return info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:" + SLOTS);
    }

    /** Adds a primary without slots. */
    public RedisServer addPrimary() {
        RedisServer added = startNode(Optional.empty());
        meet(servers.get(0), added);
        servers.add(added);
        awaitMembers();
        await("the new node is ready", () -> isReady(added));
        return added;
    }

    /** Returns the processes: those that were primaries at the start, then the others. */
    public List<RedisServer> servers() {
        return servers;
    }

    /** Returns the id of a node. */
    public static String id(RedisServer server) {
        return ask(server, "CLUSTER MYID").lines().skip(1).findFirst().orElse("");
    }

    /** Returns whether a node that runs is a primary, as it sees itself. */
    public static boolean isPrimary(RedisServer server) {
        return ask(server, "INFO replication").contains("role:master");
    }

    /** Waits until all others that run take this node for a primary, or not. */
    public void awaitRole(RedisServer server, boolean primary) {
        await("the role of " + server.port() + " changes", () -> isPrimary(server) == primary);
    }

    /** Waits until a node has been replaced by one of its replicas, and returns that. */
    public RedisServer awaitSuccessor(RedisServer failed, List<RedisServer> replicas) {
        await("a replica becomes a primary", () -> replicas.stream().anyMatch(RedisCluster::isPrimary));
        RedisServer successor =
                replicas.stream().filter(RedisCluster::isPrimary).findFirst().orElseThrow();
        await("the cluster is ready", () -> servers.stream()
                .filter(server -> server != failed && server.isAlive())
                .allMatch(RedisCluster::isReady));
        return successor;
    }

    /** Returns which process has a slot, as the first one that runs says. */
    public RedisServer owner(int slot) {
        for (RedisServer server : servers) {
            if (isPrimary(server) && hasSlot(server, slot)) {
                return server;
            }
        }
        throw new IllegalStateException("no node has slot " + slot);
    }

    private static boolean hasSlot(RedisServer server, int slot) {
        return !ask(server, "CLUSTER COUNTKEYSINSLOT " + slot).startsWith("-")
                && ask(server, "CLUSTER NODES")
                        .lines()
                        .filter(line -> line.contains("myself"))
                        .flatMap(line -> List.of(line.split(" ")).stream().skip(8))
                        .filter(word -> !word.startsWith("["))
                        .anyMatch(word -> isWithin(slot, word.trim()));
    }

    private static boolean isWithin(int slot, String range) {
        String[] ends = range.split("-");
        return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
    }

    /** Begins to move a slot: keys that are not there any more are asked for at its new place. */
    public void beginMove(int slot, RedisServer from, RedisServer to) {
        require(to, "CLUSTER SETSLOT " + slot + " IMPORTING " + id(from));
        require(from, "CLUSTER SETSLOT " + slot + " MIGRATING " + id(to));
    }

    /** Moves the keys of a slot, as far as a predicate wants them. */
    public void moveKeys(int slot, RedisServer from, RedisServer to, Predicate<String> wanted) {
        List<String> keys = keys(slot, from).stream().filter(wanted).toList();
        for (String key : keys) {
            require(from, "MIGRATE 127.0.0.1 " + to.port() + " \"" + key + "\" 0 5000 REPLACE");
        }
    }

    /** Returns the keys of a slot on a node. */
    public static List<String> keys(int slot, RedisServer server) {
        return ask(server, "CLUSTER GETKEYSINSLOT " + slot + " 100")
                .lines()
                .filter(line -> !line.startsWith("*") && !line.startsWith("$"))
                .toList();
    }

    /**
     * Ends the move of a slot: the new place has it from now on, whatever keys it has. The node of before drops those
     * that it still has.
     */
    public void endMove(int slot, RedisServer to) {
        String line = "CLUSTER SETSLOT " + slot + " NODE " + id(to);
        require(to, line);
        servers.stream().filter(server -> server != to && server.isAlive()).forEach(server -> ask(server, line));
        await("all know where the slot is", () -> servers.stream()
                .filter(server -> server != to && server.isAlive() && isPrimary(server))
                .noneMatch(server -> hasSlot(server, slot)));
    }

    /** Gives up the move of a slot: the keys that were moved stay at the other place. */
    public void abandonMove(int slot, RedisServer from, RedisServer to) {
        require(from, "CLUSTER SETSLOT " + slot + " STABLE");
        require(to, "CLUSTER SETSLOT " + slot + " STABLE");
    }

    /** Moves a slot with all its keys, as {@code redis-cli --cluster reshard} does. */
    public void move(int slot, RedisServer to) {
        RedisServer from = owner(slot);
        beginMove(slot, from, to);
        moveKeys(slot, from, to, key -> true);
        endMove(slot, to);
    }

    /** Has an operator put a replica in the place of its primary, which hands over to it. */
    public void failOver(RedisServer replica) {
        require(replica, "CLUSTER FAILOVER");
        awaitRole(replica, true);
    }

    private static void require(RedisServer server, String line) {
        String answer = ask(server, line);
        if (!answer.startsWith("+")) {
            throw new IllegalStateException(
                    line.substring(0, Math.min(60, line.length())).toLowerCase(Locale.ROOT) + ": " + answer);
        }
    }

    private static String ask(RedisServer server, String line) {
        try {
            return server.command(line);
        } catch (IOException e) {
            return "";
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("waited in vain until " + what);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS); // other processes: there is nothing to be notified by
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting until " + what, e);
            }
        }
    }

    /** Returns the address in the form that Holdfast takes. */
    public String uri() {
        return servers.stream()
                .limit(3)
                .map(server -> "127.0.0.1:" + server.port())
                .collect(Collectors.joining(",", "redis+cluster://", ""));
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
