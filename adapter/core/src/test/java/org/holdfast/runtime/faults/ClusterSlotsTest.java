// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.testkit.ClusterNode;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A voter that is a Redis Cluster whose slots are moved while locks are held and waited for, on real processes. */
@Tag("thorough")
@Timeout(150)
class ClusterSlotsTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    /** For a lease that outlives a move, and the time in which the slot's next node is not asked. */
    private static final Duration LONG_MEMORY = ofSeconds(18);

    private static final Duration FIRST_USE = ofSeconds(25);

    /** For a failover, for clients to learn of it, and for the quarantine, on a busy machine. */
    private static final Duration RECOVERY = ofSeconds(40);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    @Test
    void slot_movedWithItsKeysUnderAHolderAndAWaiter_keepsTheLockAndHandsItOn() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        LockConnection locks = voters.connect(cluster.uri(), LONG_MEMORY);
        LockConnection other = voters.connect(cluster.uri(), LONG_MEMORY);
        Lease held = locks.acquire(LockRequest.of("moved").ttl(ofSeconds(15)).waitTimeout(FIRST_USE.plus(LONG_MEMORY)));
        CompletableFuture<Lease> waiter =
                other.acquireAsync(LockRequest.of("moved").ttl(ofSeconds(10)).waitTimeout(ofSeconds(90)));
        int slot = MovingVoters.slot("moved");
        RedisServer from = cluster.owner(slot);
        RedisServer to = cluster.servers().stream()
                .filter(server -> server != from)
                .findFirst()
                .orElseThrow();

        cluster.move(slot, to);
        Thread.sleep(17_000); // longer than the lease would have lasted
        assertThat(held.isHeld()).isTrue();
        assertThat(waiter).isNotDone();
        held.release();
        assertThat(waiter.get(60, TimeUnit.SECONDS).token()).isGreaterThan(held.token());
        waiter.get().release();
        assertThat(ClusterNode.keys(slot, from)).as("left behind").isEmpty();
    }

    @Test
    void slot_thatComesWithoutItsKeys_grantsNothingThatIsHeld() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        LockConnection locks = voters.connect(cluster.uri(), LONG_MEMORY);
        LockConnection other = voters.connect(cluster.uri(), LONG_MEMORY);
        Duration patience = FIRST_USE.plus(LONG_MEMORY);
        Lease held =
                locks.acquire(LockRequest.of("lost").fixedTtl(ofSeconds(17)).waitTimeout(patience));
        int slot = MovingVoters.slot("lost");
        RedisServer from = cluster.owner(slot);
        RedisServer to = cluster.servers().stream()
                .filter(server -> server != from)
                .findFirst()
                .orElseThrow();

        cluster.endMove(slot, to);
        Lease next = other.acquire(LockRequest.of("lost").ttl(ofSeconds(2)).waitTimeout(patience.multipliedBy(2)));
        assertThat(held.isHeld()).isFalse();
        assertThat(next.token()).isGreaterThan(held.token());
    }

    @Test
    void slot_whoseMoveIsGivenUpHalfWay_grantsNothingThatIsHeld() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        LockConnection locks = voters.connect(cluster.uri(), LONG_MEMORY);
        LockConnection other = voters.connect(cluster.uri(), LONG_MEMORY);
        Duration patience = FIRST_USE.plus(LONG_MEMORY);
        Lease held =
                locks.acquire(LockRequest.of("half").fixedTtl(ofSeconds(17)).waitTimeout(patience));
        int slot = MovingVoters.slot("half");
        RedisServer from = cluster.owner(slot);
        RedisServer to = cluster.servers().stream()
                .filter(server -> server != from)
                .findFirst()
                .orElseThrow();

        cluster.beginMove(slot, from, to);
        Thread.sleep(2_500); // clients look once a second
        cluster.moveKeys(slot, from, to, key -> key.contains("{half}"));
        cluster.abandonMove(slot, from, to);
        Lease next = other.acquire(LockRequest.of("half").ttl(ofSeconds(2)).waitTimeout(patience.multipliedBy(2)));
        assertThat(held.isHeld()).isFalse();
        assertThat(next.token()).isGreaterThan(held.token());
    }
}
