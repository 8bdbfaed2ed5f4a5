// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A primary of a cluster crashes in the middle of a slot that is moved away from it. Up to Redis 8 its replica does not
 * know that; only the node to which the slot goes does.
 */
@Tag("thorough")
@Timeout(200)
class ClusterSourceCrashTest {

    private static final Duration MEMORY = ofSeconds(30);

    /** By then clients have watched the slots of a durable cluster for long enough. */
    private static final Duration SETTLED = ofSeconds(24);

    /** Of two clients that ask once a second, one asks so soon after the other. */
    private static final Duration NEAR = ofMillis(550);

    /** Up to Redis 6.2 all questions about the cluster are one command. */
    private static final Pattern CALLS = Pattern.compile("cmdstat_cluster(?:\\|nodes)?:calls=(\\d+)");

    @TempDir
    private Path files;

    private static LockConnectionFactory connect(RedisCluster cluster) {
        Map<String, String> settings = new HashMap<>(MovingVoters.settings(cluster.uri(), MEMORY));
        settings.put("nodes", cluster.uri() + "?durable=true");
        return Holdfast.connect(settings);
    }

    private static Optional<Lease> tryAcquire(LockConnection locks, LockRequest request) throws Exception {
        try {
            return locks.tryAcquire(request.waitTimeout(Duration.ZERO));
        } catch (QuorumUnavailableException e) {
            return Optional.empty();
        }
    }

    /** Waits until a lock is granted, and returns for how long. */
    private static Duration untilGranted(LockConnection locks, LockRequest request) throws Exception {
        long begun = System.nanoTime();
        locks.acquire(request.ttl(ofSeconds(5)).waitTimeout(ofSeconds(120))).release();
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    /** Waits until both clients have just asked the node: neither does so for some tenths of a second then. */
    private static void awaitQuestions(RedisServer node) {
        long before = asked(node);
        long last = Long.MIN_VALUE / 2;
        while (true) {
            long now = asked(node);
            if (now > before) {
                long moment = System.nanoTime();
                if (now - before > 1 || moment - last < NEAR.toNanos()) {
                    return;
                }
                before = now;
                last = moment;
            }
        }
    }

    private static long asked(RedisServer node) {
        Matcher calls = CALLS.matcher(node.ask("INFO commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    /** The lock has gone to the next node, and what shows that the slot was used has not. */
    private static void crashWhileMoving(RedisCluster cluster, int slot, RedisServer source, RedisServer target) {
        cluster.beginMove(slot, source, target);
        cluster.moveKeys(slot, source, target, key -> !key.endsWith(":kept"));
        source.kill();
    }

    private static RedisServer next(RedisCluster cluster, RedisServer primary) {
        return cluster.servers().get((cluster.servers().indexOf(primary) + 1) % 3);
    }

    @Test
    void lock_thatHasGoneToTheNextNode_isNotFreeAtTheReplicaOfTheFormerOne() throws Exception {
        try (RedisCluster cluster = RedisCluster.startDurable(files, 3)) {
            assertOneHolder(cluster, source -> next(cluster, source), target -> {});
        }
    }

    @Test
    void lock_thatHasGoneToAPrimaryWithoutSlots_isNotFreeAtTheReplicaOfTheFormerOne() throws Exception {
        try (RedisCluster cluster = RedisCluster.startDurable(files, 3)) {
            RedisServer added = cluster.addPrimary();
            assertOneHolder(cluster, source -> added, target -> {});
        }
    }

    @Test
    void lock_thatHasGoneToANodeThatCrashesToo_isNotFreeAtTheReplicaOfTheFormerOne() throws Exception {
        try (RedisCluster cluster = RedisCluster.startDurable(files, 3)) {
            RedisServer added = cluster.addPrimary();
            assertOneHolder(cluster, source -> added, RedisServer::kill);
        }
    }

    /**
     * A lock is held, goes to another node, and the node of before crashes.
     *
     * @param target gives the node to which it goes, of that on which it is
     * @param then happens to that one afterwards
     */
    private static void assertOneHolder(
            RedisCluster cluster, UnaryOperator<RedisServer> target, Consumer<RedisServer> then) throws Exception {
        try (LockConnectionFactory locks = connect(cluster);
                LockConnectionFactory others = connect(cluster);
                LockConnection holder = locks.getConnection();
                LockConnection waiter = others.getConnection()) {
            LockRequest free = LockRequest.of("{a}free").ttl(ofSeconds(5)).waitTimeout(ofSeconds(90));
            holder.acquire(free).release();
            waiter.acquire(free).release();
            await().atMost(SETTLED.plusSeconds(20)).pollDelay(SETTLED).until(() -> true);

            Lease held = holder.acquire(LockRequest.of("{a}held").fixedTtl(MEMORY));
            int slot = MovingVoters.slot("{a}held");
            RedisServer source = cluster.owner(slot);
            RedisServer taking = target.apply(source);
            awaitQuestions(source);
            crashWhileMoving(cluster, slot, source, taking);
            then.accept(taking);
            RedisServer replica = cluster.servers().get(cluster.servers().indexOf(source) + 3);
            cluster.awaitRole(replica, true);
            source.start(); // as its supervisor does: it is a replica by now
            while (held.isHeld()) {
                Optional<Lease> next = tryAcquire(waiter, LockRequest.of("{a}held"));
                assertThat(next.isPresent() && held.isHeld()).as("two holders").isFalse();
            }
        }
    }

    /** The node to which the slot was to go has it as one of the crashed node for ever. */
    @Test
    void locks_ofOtherSlots_goOnAtTheReplica_whileTheCrashedNodeStaysAway() throws Exception {
        try (RedisCluster cluster = RedisCluster.startDurable(files, 3);
                LockConnectionFactory locks = connect(cluster);
                LockConnection connection = locks.getConnection()) {
            connection
                    .acquire(LockRequest.of("{a}free").ttl(ofSeconds(5)).waitTimeout(ofSeconds(90)))
                    .release();
            await().atMost(SETTLED.plusSeconds(20)).pollDelay(SETTLED).until(() -> true);
            int slot = MovingVoters.slot("{a}held");
            RedisServer source = cluster.owner(slot);
            String other = nameAt(cluster, source, slot);
            Lease held = connection.acquire(
                    LockRequest.of(other).ttl(MEMORY).detached().waitTimeout(ofSeconds(90)));
            crashWhileMoving(cluster, slot, source, next(cluster, source));

            assertThat(untilGranted(connection, LockRequest.of(other + "-free")))
                    .as("until another lock of the shard is granted")
                    .isLessThan(MEMORY.plusSeconds(30));
            assertThat(held.isHeld()).as("a lease that was held before").isTrue();
        }
    }

    /** Returns a name at the same node, and in a slot that is not moved. */
    private static String nameAt(RedisCluster cluster, RedisServer node, int moved) {
        for (int i = 0; ; i++) {
            String name = "{other-" + i + "}";
            int slot = MovingVoters.slot(name);
            if (slot != moved && cluster.owner(slot) == node) {
                return name;
            }
        }
    }
}
