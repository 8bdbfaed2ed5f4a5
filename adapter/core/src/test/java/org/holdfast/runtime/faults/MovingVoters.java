// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.Standstills;
import org.holdfast.redis.cluster.Slot;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What a test of voters that move opens: servers and lock services, which end with the test, the last one first. */
final class MovingVoters implements AfterEachCallback {

    static final Path FILES = Path.of("target", "redis");

    /** Marks, where they are, and records of slots may stay. A script, as an answer has no room for all keys. */
    private static final String KEPT_FOR_EVER = "EVAL \"local kept = {}"
            + " local may = {birth = 1, home = 1, slots = 1, used = 1, kept = 1}"
            + " for _, key in ipairs(redis.call('KEYS', '*')) do"
            + " if redis.call('PTTL', key) == -1 and not may[string.match(key, '[^:]*$')] then kept[#kept + 1] = key end"
            + " end return kept\" 0";

    private static final int MOST_TIMES = 5;

    /** Clients look once a second, and some things are seen only if they look twice in two seconds. */
    private static final long MISSES_A_LOOK_MILLIS = 300;

    /** A machine that stands still for a moment is no node that hangs. */
    private static final long LONGEST_STANDSTILL_MILLIS = 900;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    <T extends AutoCloseable> T opened(T what) {
        open.push(what);
        return what;
    }

    /**
     * Opens a way to a server.
     *
     * @param ways which it is added to
     * @return the port at which it begins
     */
    int way(List<Link> ways, int port) {
        Link way = opened(new Link(port));
        ways.add(way);
        return way.port();
    }

    /** Opens a way to each node of a cluster, to which the nodes send their clients. */
    List<Link> ways(RedisCluster cluster) throws Exception {
        boolean isOld = cluster.servers().get(0).ask("INFO server").contains("redis_version:6.");
        assumeTrue(!isOld, "a node that runs cannot announce another port before Redis 7.0");
        List<Link> ways = new ArrayList<>();
        for (RedisServer server : cluster.servers()) {
            int port = way(ways, server.port());
            assertThat(server.command("CONFIG SET cluster-announce-port " + port))
                    .startsWith("+OK");
        }
        await().atMost(ofSeconds(20)).until(() -> ways.stream()
                .map(way -> ":" + way.port() + "@")
                .allMatch(shown -> cluster.servers().stream()
                        .allMatch(server -> server.ask("CLUSTER NODES").contains(shown))));
        return ways;
    }

    /** What clients show that look again and again. */
    interface Story {
        void happen() throws Exception;
    }

    /**
     * Has something happen that clients of this process have to see in time. One that stood still meanwhile has not
     * seen it, and may have a quarantine begin: then the story ends in another way, and is told again, on other nodes.
     */
    void whileLooking(Story story) throws Exception {
        for (int times = 1; ; times++) {
            try (Standstills standstills = Standstills.noted()) {
                try {
                    story.happen();
                    return;
                } catch (AssertionError | LockException e) {
                    if (times == MOST_TIMES || !standstills.isAnyOf(MISSES_A_LOOK_MILLIS)) {
                        throw e;
                    }
                }
            }
            closeAll();
        }
    }

    /** @param memory the longest TTL, and so the quarantine */
    static Map<String, String> settings(String nodes, Duration memory) {
        long half = memory.toMillis() / 2;
        return settings(nodes, memory, ofMillis(Math.min(LONGEST_STANDSTILL_MILLIS, half)));
    }

    private static Map<String, String> settings(String nodes, Duration memory, Duration nodeTimeout) {
        return Map.of(
                "nodes",
                nodes,
                "maxLeaseTtlMillis",
                Long.toString(memory.toMillis()),
                "nodeTimeoutMillis",
                Long.toString(nodeTimeout.toMillis()));
    }

    LockConnectionFactory locks(String nodes, Duration memory) {
        return opened(Holdfast.connect(settings(nodes, memory)));
    }

    LockConnection connect(String nodes, Duration memory) {
        return opened(locks(nodes, memory).getConnection());
    }

    /** For a test in which each request must be answered in time, also beside other work. */
    LockConnectionFactory patientLocks(String nodes, Duration memory) {
        return opened(Holdfast.connect(settings(nodes, memory, ofSeconds(1))));
    }

    /** For a test that keeps the nodes busy itself. */
    LockConnection connectPatiently(String nodes, Duration memory) {
        return opened(patientLocks(nodes, memory).getConnection());
    }

    /** Returns the slot in which a lock is in a cluster. */
    static int slot(String name) {
        return Slot.of("holdfast:{" + name + "}:lock");
    }

    /** Returns whether a lock is granted, which is held then. */
    static boolean isGranted(LockConnection locks, String name) throws Exception {
        try {
            return locks.tryAcquire(LockRequest.of(name).waitTimeout(Duration.ZERO))
                    .isPresent();
        } catch (QuorumUnavailableException e) {
            return false; // its next shard is not asked yet
        }
    }

    /** Waits until a node that comes to vote on a name has granted its lock. Callers contend for it. */
    static void awaitVote(RedisServer node, String name, Duration patience) {
        Set<String> owners = new HashSet<>(); // that of a lock which came along is the first one
        await().atMost(patience).pollInterval(ofMillis(20)).until(() -> {
            String[] lock = node.ask("GET holdfast:{" + name + "}:lock").split(" ", 3);
            return lock.length == 3 && lock[0].startsWith("$") && owners.add(lock[2]) && owners.size() > 1;
        });
    }

    /** Nor has a node keys of a slot that it does not have any more: the script would not be allowed to read them. */
    static void assertNothingIsKeptForEver(RedisCluster cluster) {
        cluster.servers().stream().filter(RedisServer::isAlive).forEach(server -> assertThat(server.ask(KEPT_FOR_EVER))
                .as("keys without a time to live on the node at port " + server.port())
                .isEqualTo("*0\r\n"));
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        closeAll();
    }

    private void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
