// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockOperations;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An operator's process beside applications, where the locks are on the shards of a Redis Cluster. */
@Tag("thorough")
@Timeout(150)
class OperateOnMovingVotersTest {

    private static final Duration MEMORY = ofSeconds(3);
    private static final Duration FIRST_USE = ofSeconds(40);

    /** On all shards. */
    private static final List<String> NAMES = List.of("a", "b", "c", "d");

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    @TempDir
    Path directory;

    /** Returns the notes of the guard. Applications write them meanwhile, and an operator's process must not. */
    private static SortedMap<String, String> keys(RedisCluster cluster) {
        SortedMap<String, String> keys = new TreeMap<>();
        for (RedisServer server : cluster.servers()) {
            for (String key : server.ask("KEYS *")
                    .lines()
                    .filter(line -> line.startsWith("holdfast"))
                    .toList()) {
                keys.put(server.port() + " " + key, server.ask("DUMP " + key));
            }
        }
        return keys;
    }

    @Test
    void locks_onAllShards_areSeenCountedAndTakenAway() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(directory, 3, 0)) {
            LockConnectionFactory locks = voters.locks(cluster.uri(), MEMORY);
            LockConnection connection = voters.opened(locks.getConnection());
            List<Lease> leases = new java.util.ArrayList<>();
            for (String name : NAMES) {
                leases.add(connection.acquire(
                        LockRequest.of(name).detached().ttl(MEMORY).waitTimeout(FIRST_USE)));
            }
            LockOperations operator = voters.opened(Holdfast.operate(MovingVoters.settings(cluster.uri(), MEMORY)));
            await().atMost(FIRST_USE).until(() -> operator.check().isReady());
            assertThat(operator.locks(10).locks()).extracting(LockState::name).containsExactlyElementsOf(NAMES);

            CompletableFuture<Lease> waiter = connection.acquireAsync(
                    LockRequest.of("a").fair(true).ttl(MEMORY).waitTimeout(FIRST_USE));
            await().atMost(FIRST_USE).untilAsserted(() -> assertThat(operator.state(LockRequest.of("a")))
                    .extracting(LockState::inLine, LockState::listening)
                    .containsExactly(1, 1));
            assertThat(operator.forceRelease(LockRequest.of("a"), "a test")).hasSize(1);
            Lease next = waiter.get(FIRST_USE.toSeconds(), TimeUnit.SECONDS);
            assertThat(next.token()).isGreaterThan(leases.get(0).token());
            await().atMost(FIRST_USE).until(() -> !leases.get(0).isHeld());
            assertThat(leases.subList(1, NAMES.size())).allMatch(Lease::isHeld);
        }
    }

    @Test
    void nodes_thatNoApplicationUses_stayAsTheyAre() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(directory, 3, 0)) {
            LockOperations operator = voters.opened(Holdfast.operate(MovingVoters.settings(cluster.uri(), MEMORY)));
            await().atMost(FIRST_USE).untilAsserted(() -> assertThat(
                            operator.check().nodes().get(0).cause())
                    .contains("no process that takes locks has looked at it"));
            assertThat(keys(cluster)).isEmpty();

            try (LockConnectionFactory locks = Holdfast.connect(MovingVoters.settings(cluster.uri(), MEMORY));
                    LockConnection connection = locks.getConnection()) {
                for (String name : NAMES) {
                    connection
                            .acquire(LockRequest.of(name).ttl(MEMORY).waitTimeout(FIRST_USE))
                            .release();
                }
            }
            SortedMap<String, String> before = keys(cluster);
            for (int i = 0; i < 10; i++) {
                operator.check();
            }
            SortedMap<String, String> after = keys(cluster);
            before.keySet().retainAll(after.keySet()); // the others have ended meanwhile
            assertThat(after).isEqualTo(before);
            assertThat(after.keySet()).anyMatch(key -> key.endsWith(":birth"));
        }
    }
}
