// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real nodes that the guard refuses whatever they remember: replicas, nodes that may evict, members of a cluster. */
@Timeout(60)
class RefusedNodesTest extends GuardOnProcesses {

    @Test
    void replica_isRefused() throws Exception {
        RedisServer primary = node();
        RedisServer replica = RedisServer.start(
                Path.of("target", "redis"), "--replicaof", "127.0.0.1", Integer.toString(primary.port()));
        nodes.add(replica);
        assertRefused(connect(List.of(replica.uri())), "replica", "independent primary");
    }

    @Test
    void node_thatMayEvict_isRefusedAndToldWhatToSet() {
        node("--maxmemory", "100mb", "--maxmemory-policy", "volatile-lru");
        assertRefused(connect(), "may evict locks", "maxmemory-policy noeviction");
    }

    @Test
    void node_thatDoesNotLetUsLook_isRefusedAndToldWhatToAllow() throws Exception {
        RedisServer node = node();
        node.command("ACL SETUSER app on >secret ~* +@all -info");
        node.command("ACL SETUSER app &*"); // which Redis 6.0 does not know
        assertRefused(
                connect(List.of("redis://app:secret@127.0.0.1:" + node.port())),
                "the guard cannot look at it: allow INFO to its user");
    }

    @Test
    void user_withoutConfig_isNoReasonToRefuse() throws Exception {
        RedisServer node = node();
        node.command("ACL SETUSER app on >secret ~* +@all -config");
        node.command("ACL SETUSER app &*"); // which Redis 6.0 does not know
        acquireAfterQuarantine(connect(List.of("redis://app:secret@127.0.0.1:" + node.port())));
    }

    @Test
    void node_thatMayEvictFromNowOn_isRefused_andInQuarantineWhenThatIsOver() throws Exception {
        RedisServer node = node();
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        node.command("CONFIG SET maxmemory 100mb");
        node.command("CONFIG SET maxmemory-policy volatile-lru");
        await().untilAsserted(() -> assertRefused(connection, "may evict locks"));
        node.command("CONFIG SET maxmemory-policy noeviction");
        assertThat(connection.tryAcquire(within(MEMORY.plusSeconds(6)))).isPresent(); // it is looked at once a second
    }

    @Test
    void node_madeAReplicaWhileItRuns_isRefused() throws Exception {
        RedisServer node = node();
        RedisServer other = node();
        LockConnection connection = connect(List.of(node.uri()));
        acquireAfterQuarantine(connection);
        node.command("REPLICAOF 127.0.0.1 " + other.port());
        await().untilAsserted(() -> assertRefused(connection, "replica"));
    }

    @Test
    void node_ofARedisCluster_isRefused_andMayBeUsedWithoutTheGuardIfItHasAllSlots() throws Exception {
        RedisServer node = node("--cluster-enabled", "yes");
        for (int first = 0; first < 16_384; first += 4_096) {
            String slots = IntStream.range(first, first + 4_096)
                    .mapToObj(Integer::toString)
                    .collect(Collectors.joining(" "));
            node.command("CLUSTER ADDSLOTS " + slots);
        }
        assertRefused(connect(), "part of a Redis Cluster", "independent");
        try (LockConnectionFactory unguarded = Holdfast.connect(Map.of("nodes", node.uri(), "guard", "OFF"));
                LockConnection connection = unguarded.getConnection()) {
            await().ignoreExceptions()
                    .until(() -> connection.tryAcquire(within(ofSeconds(1))).isPresent());
        }
    }
}
