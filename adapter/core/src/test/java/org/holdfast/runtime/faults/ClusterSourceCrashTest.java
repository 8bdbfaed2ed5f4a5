// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
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

    /** The lock has gone to the next node, and what shows that the slot was used has not. */
    private static RedisServer crashWhileMoving(RedisCluster cluster, int slot, RedisServer source) {
        RedisServer target = cluster.servers().get((cluster.servers().indexOf(source) + 1) % 3);
        cluster.beginMove(slot, source, target);
        cluster.moveKeys(slot, source, target, key -> !key.endsWith(":kept"));
        source.kill();
        return target;
    }

    @Test
    void lock_thatHasGoneToTheNextNode_isNotFreeAtTheReplicaOfTheFormerOne() throws Exception {
        try (RedisCluster cluster = RedisCluster.startDurable(files, 3);
                LockConnectionFactory locks = connect(cluster);
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
            crashWhileMoving(cluster, slot, source);
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
            crashWhileMoving(cluster, slot, source);

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
