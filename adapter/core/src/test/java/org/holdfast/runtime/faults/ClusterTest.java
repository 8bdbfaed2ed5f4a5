// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.term.Terms;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A voter that is a Redis Cluster whose primaries are killed, frozen and replaced, on real processes. */
@Timeout(150)
class ClusterTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    /** For a lease that outlives a move, and the time in which the slot's next node is not asked. */
    private static final Duration LONG_MEMORY = ofSeconds(18);

    private static final Duration FIRST_USE = ofSeconds(25);

    /** For a failover, for clients to learn of it, and for the quarantine, on a busy machine. */
    private static final Duration RECOVERY = ofSeconds(40);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private Contenders contenders(RedisCluster cluster) {
        Contenders contenders = voters.opened(new Contenders(ofSeconds(2)));
        for (int i = 0; i < 6; i++) {
            contenders.add(MovingVoters.settings(cluster.uri(), MEMORY), i % 2 == 0 ? ofMillis(100) : ofSeconds(3));
        }
        contenders.untilTaken(5, FIRST_USE);
        return contenders;
    }

    private static void use(LockConnection locks, String name) throws Exception {
        try (Lease lease = locks.acquire(LockRequest.of(name).ttl(ofSeconds(2)).waitTimeout(RECOVERY))) {
            lease.requireHeld();
        }
    }

    @Test
    void names_ofAllKinds_areLockedOnTheirShards() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        LockConnection locks = voters.connect(cluster.uri(), MEMORY);
        LockConnection other = voters.connect(cluster.uri(), MEMORY);
        use(locks, "first");
        for (String name : List.of(
                "a", "b", "c", "{tag}x", "a}b", "}", "}x", "a{b", "{}", "{}x", "\u00e9\u4e2d", "n".repeat(1_024))) {
            LockRequest request = LockRequest.of(name).ttl(ofSeconds(2)).waitTimeout(RECOVERY);
            try (Lease lease = locks.acquire(request)) {
                assertThat(other.tryAcquire(request.waitTimeout(Duration.ZERO)))
                        .as(name)
                        .isEmpty();
                assertThat(lease.renew()).as(name).isTrue();
            }
            other.acquire(request.fair(true)).release();
            other.acquire(request.mode(LockMode.READ)).release();
        }
        Lease both = locks.acquire(
                LockRequest.allOf("{order-7}stock", "{order-7}money").waitTimeout(RECOVERY));
        assertThat(other.tryAcquire(LockRequest.of("{order-7}money").waitTimeout(Duration.ZERO)))
                .isEmpty();
        both.release();
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> locks.acquire(LockRequest.allOf("stock", "money")))
                .withMessageContaining("[stock, money]")
                .withMessageContaining("{order-7}stock");
    }

    @Test
    @Tag("thorough")
    void primary_killedFrozenAndReplacedByHand_neverHasTwoHoldersAndLocksComeBack() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 3));
        Contenders contenders = contenders(cluster);
        RedisServer first = cluster.owner(MovingVoters.slot(Contenders.NAME));
        RedisServer replica = cluster.servers().get(cluster.servers().indexOf(first) + 3);

        first.kill();
        cluster.awaitSuccessor(first, List.of(replica));
        contenders.untilTaken(5, RECOVERY);
        first.start();
        cluster.awaitRole(first, false);
        contenders.untilTaken(5, RECOVERY);

        cluster.failOver(first);
        contenders.untilTaken(5, RECOVERY);
        cluster.awaitRole(replica, false);

        first.freeze();
        cluster.awaitSuccessor(first, List.of(replica));
        contenders.untilTaken(5, RECOVERY);
        first.thaw();
        contenders.untilTaken(5, RECOVERY);
        contenders.assertExclusive();
    }

    @Test
    void shard_whoseMajorityIsNotHeard_givesNoVotes() throws Exception {
        RedisCluster cluster = voters.opened(
                RedisCluster.start(MovingVoters.FILES, 3, 0, ofSeconds(120))); // it would go on for so long
        LockConnection locks = voters.connect(cluster.uri(), MEMORY);
        use(locks, "heard");
        RedisServer owner = cluster.owner(MovingVoters.slot("heard"));
        cluster.servers().stream().filter(server -> server != owner).forEach(RedisServer::freeze);

        await().atMost(Terms.COUNTS.plusSeconds(20)) // on a busy machine the node refuses for other reasons before
                .untilAsserted(() -> assertThatExceptionOfType(QuorumUnavailableException.class)
                        .isThrownBy(() -> locks.acquire(LockRequest.of("heard").waitTimeout(Duration.ZERO))
                                .release()) // else it would be re-entered until it is lost
                        .withMessageContaining("2 of its primaries must say so"));
        cluster.servers().forEach(RedisServer::thaw);
        use(locks, "heard");
    }

    /** What clients grant relies on looks that are not long ago. */
    @Test
    @Tag("thorough")
    void shards_thatHang_delayNoLooksAtOthers() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 9, 0, ofSeconds(120)));
        Map<String, String> settings = new HashMap<>(MovingVoters.settings(cluster.uri(), MEMORY));
        settings.put("nodeTimeoutMillis", "1000");
        use(voters.opened(voters.opened(Holdfast.connect(settings)).getConnection()), "looks");
        RedisServer watched = cluster.owner(MovingVoters.slot("looks"));
        String mark = watched.ask("KEYS *birth").lines().skip(2).findFirst().orElseThrow();
        cluster.servers().stream().filter(server -> server != watched).limit(4).forEach(RedisServer::freeze);
        long longest = 0;
        long last = lookedAt(watched, mark);
        for (long end = System.nanoTime() + ofSeconds(8).toNanos(); System.nanoTime() < end; ) {
            long look = lookedAt(watched, mark);
            longest = Math.max(longest, look - last);
            last = look;
        }
        assertThat(longest).as("microseconds between looks").isBetween(1L, 3_000_000L);
    }

    private static long lookedAt(RedisServer server, String mark) throws Exception {
        Thread.sleep(20);
        return Long.parseLong(server.ask("GET " + mark).split("[ ,]")[1]);
    }

    /** Each with three primaries, and one that is no cluster. */
    @Test
    void clusters_asVotersBesideASingleNode_goOnWithoutOneOfThem() throws Exception {
        RedisCluster one = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisCluster other = voters.opened(RedisCluster.start(MovingVoters.FILES, 2, 0));
        RedisServer single = voters.opened(RedisServer.start(MovingVoters.FILES));
        String nodes = String.join(",", one.uri(), other.uri(), single.uri());
        LockConnection locks = voters.connect(nodes, MEMORY);
        LockConnection others = voters.connect(nodes, MEMORY);
        for (String name : List.of("a", "b", "c", "d")) {
            use(locks, name);
        }
        one.servers().forEach(RedisServer::kill);
        for (String name : List.of("a", "b", "c", "d")) {
            LockRequest request = LockRequest.of(name).ttl(ofSeconds(2)).waitTimeout(RECOVERY);
            try (Lease lease = locks.acquire(request)) {
                assertThat(others.tryAcquire(request.waitTimeout(Duration.ZERO)))
                        .isEmpty();
                assertThat(lease.renew()).isTrue();
            }
            others.acquire(request).release();
        }
    }
}
