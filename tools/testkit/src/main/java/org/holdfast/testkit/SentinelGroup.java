// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** A primary with replicas, and the Sentinels that watch over them, all as processes of their own. */
public final class SentinelGroup implements AutoCloseable {

    /** The name by which the Sentinels know the primary. */
    public static final String NAME = "locks";

    private static final int DOWN_AFTER_MILLIS = 700;
    private static final int FAILOVER_TIMEOUT_MILLIS = 4_000;

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    /** At which port all reach each of the servers. */
    private final List<Integer> shown = new ArrayList<>();

    /** At which all reach each other. */
    private final String host;

    /** Those of each group have the same ids, as where installations derive these from host names. */
    private int made;

    private SentinelGroup(String host) {
        this.host = host;
    }

    /**
     * Starts three Sentinels, a primary and replicas, and waits until all know each other.
     *
     * @param directory where they keep their files
     * @param options of the primary and of the replicas
     */
    public static SentinelGroup start(Path directory, int replicas, String... options) {
        return start(directory, replicas, port -> port, options);
    }

    /**
     * Does the same, where all reach the servers at other ports than those on which they listen.
     *
     * @param front starts what passes connections on to a port, and returns the port of that
     */
    public static SentinelGroup start(Path directory, int replicas, IntUnaryOperator front, String... options) {
        return new SentinelGroup("127.0.0.1").started(directory, replicas, front, options);
    }

    /** Does the same, where all reach each other at the loopback address of version 6 of IP. */
    public static SentinelGroup startOnVersion6(Path directory, int replicas) {
        return new SentinelGroup("::1").started(directory, replicas, port -> port, "--bind", "127.0.0.1", "::1");
    }

    private SentinelGroup started(Path directory, int replicas, IntUnaryOperator front, String... options) {
        try {
            begin(directory, replicas, front, options);
            return this;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void begin(Path directory, int replicas, IntUnaryOperator front, String... options) {
        for (int i = 0; i <= replicas; i++) {
            RedisServer server = RedisServer.start(directory, options);
            servers.add(server);
            shown.add(front.applyAsInt(server.port()));
            server.ask("CONFIG SET replica-announce-port " + shown.get(i));
            if (i > 0) {
                server.ask("REPLICAOF " + host + " " + shown.get(0));
            }
        }
        RedisServer primary = servers.get(0);
        Patience.await(
                "all replicas follow",
                () -> primary.ask("INFO replication").contains("connected_slaves:" + replicas)
                        && !primary.ask("INFO replication").contains("state=wait_bgsave")
                        && !primary.ask("INFO replication").contains("state=send_bulk"));
        startSentinels(directory, shown.get(0), replicas);
    }

    private void startSentinels(Path directory, int primary, int replicas) {
        for (int i = 0; i < 3; i++) {
            sentinels.add(RedisServer.startSentinel(
                    directory,
                    "sentinel myid " + String.format("%040x", ++made),
                    "bind 127.0.0.1" + (host.equals("127.0.0.1") ? "" : " " + host),
                    "sentinel monitor " + NAME + " " + host + " " + primary + " 2",
                    "sentinel down-after-milliseconds " + NAME + " " + DOWN_AFTER_MILLIS,
                    "sentinel failover-timeout " + NAME + " " + FAILOVER_TIMEOUT_MILLIS));
        }
        Patience.await("all Sentinels know each other", () -> sentinels.stream()
                .allMatch(sentinel -> fields(sentinel, "num-other-sentinels").equals("2")
                        && !fields(sentinel, "runid").isEmpty()
                        && fields(sentinel, "num-slaves").equals(Integer.toString(replicas))));
    }

    /** Ends all Sentinels, with their files, starts others that watch the same primary, and returns these. */
    public List<RedisServer> replaceSentinels(Path directory) {
        int present = named(sentinels.get(0));
        sentinels.forEach(RedisServer::close);
        sentinels.clear();
        startSentinels(directory, present, servers.size() - 1);
        return sentinels;
    }

    /** Returns a field of what a Sentinel says of the primary. */
    private static String fields(RedisServer sentinel, String name) {
        List<String> lines = sentinel.ask("SENTINEL MASTER " + NAME).lines().toList();
        int at = lines.indexOf(name);
        return at < 0 ? "" : lines.get(at + 2);
    }

    /** Returns the process that was the primary at the start, and then its replicas. */
    public List<RedisServer> servers() {
        return servers;
    }

    public List<RedisServer> sentinels() {
        return sentinels;
    }

    /** Returns the port of the primary as a Sentinel names it now. */
    private static int named(RedisServer sentinel) {
        List<String> lines =
                sentinel.ask("SENTINEL GET-MASTER-ADDR-BY-NAME " + NAME).lines().toList();
        return lines.size() == 5 ? Integer.parseInt(lines.get(4)) : 0;
    }

    /** Waits until all Sentinels that run name another primary than this port, the same one, and returns it. */
    public RedisServer awaitOtherThan(int port) {
        List<RedisServer> asked =
                sentinels.stream().filter(RedisServer::isAlive).toList();
        Patience.await(
                "another primary than " + port + " is named, by all",
                () -> asked.stream().map(SentinelGroup::named).distinct().count() == 1
                        && named(asked.get(0)) != port
                        && named(asked.get(0)) != 0);
        int now = named(asked.get(0));
        if (!shown.contains(now)) {
            throw new IllegalStateException("the Sentinels name port " + now);
        }
        return servers.get(shown.indexOf(now));
    }

    /**
     * Has an operator promote a replica, and returns it when all Sentinels name it and the others follow it. Sentinel
     * refuses soon after a failover, which is waited for too.
     *
     * <p>Meanwhile the Sentinels of a busy machine may find a healthy primary down and promote a replica themselves, so
     * that the operator promotes the primary of before. So the epoch tells what has changed, and not the address.
     */
    public RedisServer failOver() {
        AtomicLong before = new AtomicLong();
        Patience.await("Sentinel begins a failover", () -> {
            before.set(epochs().max().orElseThrow());
            return sentinels.get(0).ask("SENTINEL FAILOVER " + NAME).startsWith("+OK");
        });
        Patience.await("all Sentinels have a later epoch", () -> epochs().allMatch(epoch -> epoch > before.get()));
        RedisServer promoted = awaitOtherThan(0);
        // a Sentinel whose replicas follow not yet names it for as long as it does not answer, whatever the others do
        Patience.await("no Sentinel is about it any more", () -> sentinels.stream()
                .noneMatch(sentinel -> fields(sentinel, "flags").contains("failover_in_progress")));
        return promoted;
    }

    /** Returns the epoch in which the primary was named, for each Sentinel. */
    private LongStream epochs() {
        return sentinels.stream().mapToLong(sentinel -> {
            String epoch = fields(sentinel, "config-epoch");
            return epoch.isEmpty() ? 0 : Long.parseLong(epoch);
        });
    }

    /** Returns the address in the form that Holdfast takes. */
    public String uri() {
        return uri(
                host.contains(":") ? "[" + host + "]" : host,
                sentinels.stream().map(RedisServer::port).toList());
    }

    /** Returns the same where the Sentinels are reached at other ports. */
    public static String uri(List<Integer> ports) {
        return uri("127.0.0.1", ports);
    }

    private static String uri(String host, List<Integer> ports) {
        return ports.stream()
                .map(port -> host + ":" + port)
                .collect(Collectors.joining(",", "redis+sentinel://", "/" + NAME));
    }

    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
    }
}
