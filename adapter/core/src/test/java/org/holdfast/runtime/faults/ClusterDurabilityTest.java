// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.redis.cluster.Slot;
import org.holdfast.testkit.ClockShim;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster whose failovers lose no acknowledged write: here those that an operator asks for. */
@Tag("thorough")
@Timeout(150)
class ClusterDurabilityTest {

    private static final Duration MEMORY = ofSeconds(16);
    private static final Duration AHEAD = ofSeconds(6);

    /** By then it is known, whatever the clock of the next primary, that the slots have been here for long enough. */
    private static final Duration SETTLED = ofSeconds(10);

    /** The same, where that clock is right: then it takes longer until it is known. */
    private static final Duration SETTLED_BY_THE_SAME_CLOCK = ofSeconds(16);

    /** Until the next primary is asked, and some more on a busy machine: less than with a quarantine. */
    private static final Duration PAUSE = ofSeconds(20);

    private static final Path FILES = Path.of("target", "redis");

    private static LockConnectionFactory connect(RedisCluster cluster) {
        return Holdfast.connect(Map.of(
                "nodes",
                cluster.uri() + "?durable=true",
                "maxLeaseTtlMillis",
                Long.toString(MEMORY.toMillis()),
                "nodeTimeoutMillis",
                "400")); // a machine that stands still for a moment is not a node that hangs
    }

    /** The next primary's clock is ahead: by it, a lease that is in force has ended. */
    @Test
    void failover_toAClockAhead_grantsFreeLocksWithoutQuarantineAndNoneThatIsInForce() throws Exception {
        ClockShim ahead = ClockShim.in(FILES).orElse(null);
        assumeTrue(ahead != null, ClockShim.NEEDS);
        ahead.set(AHEAD);
        try (RedisCluster cluster = RedisCluster.startDurable(FILES, 3, ahead);
                LockConnectionFactory locks = connect(cluster);
                LockConnectionFactory others = connect(cluster);
                LockConnection holder = locks.getConnection();
                LockConnection waiter = others.getConnection()) {
            LockRequest free = LockRequest.of("{a}free").ttl(ofSeconds(5)).waitTimeout(ofSeconds(60));
            holder.acquire(free).release();
            waiter.acquire(free).release();
            await().atMost(SETTLED.plusSeconds(5)).pollDelay(SETTLED).until(() -> true);
            long begun = System.nanoTime();
            holder.acquire(LockRequest.of("{a}fixed").fixedTtl(MEMORY));

            RedisServer primary = cluster.owner(Slot.of("holdfast:{{a}fixed}:lock"));
            cluster.failOver(cluster.servers().get(cluster.servers().indexOf(primary) + 3));
            long failedOver = System.nanoTime();
            waiter.acquire(LockRequest.of("{a}other").ttl(ofSeconds(5)).waitTimeout(ofSeconds(60)))
                    .release();
            Duration pause = Duration.ofNanos(System.nanoTime() - failedOver);
            assertThat(pause).as("until a free lock is granted").isLessThan(PAUSE);

            LockRequest inForce = LockRequest.of("{a}fixed").ttl(ofSeconds(5));
            Duration rest = MEMORY.minusSeconds(1).minusNanos(System.nanoTime() - begun);
            assertThat(waiter.tryAcquire(inForce.waitTimeout(rest)))
                    .as("what has ended by the clock of the next primary only")
                    .isEmpty();
        }
    }

    /** The word is not kept: the replica lacks a lock, and the last looks of clients. */
    @Test
    void failover_toAReplicaThatLagsBehind_grantsNothingThatThePrimaryHasGranted() throws Exception {
        try (RedisCluster cluster = RedisCluster.startDurable(FILES, 3);
                LockConnectionFactory locks = connect(cluster);
                LockConnectionFactory others = connect(cluster);
                LockConnection holder = locks.getConnection();
                LockConnection waiter = others.getConnection()) {
            LockRequest used = LockRequest.of("{a}used").ttl(ofSeconds(5)).waitTimeout(ofSeconds(60));
            holder.acquire(used).release();
            waiter.acquire(used).release();
            await().atMost(SETTLED_BY_THE_SAME_CLOCK.plusSeconds(5))
                    .pollDelay(SETTLED_BY_THE_SAME_CLOCK)
                    .until(() -> true);

            RedisServer primary = cluster.owner(Slot.of("holdfast:{{a}lost}:lock"));
            RedisServer replica = cluster.servers().get(cluster.servers().indexOf(primary) + 3);
            cluster.holdBack(replica, primary);
            await().pollDelay(ofSeconds(2)).until(() -> true); // each client looks, and notes that
            Lease held = holder.acquire(LockRequest.of("{a}lost").fixedTtl(MEMORY));
            cluster.takeOver(replica);
            while (held.isHeld()) {
                Optional<Lease> next = tryAcquire(waiter, LockRequest.of("{a}lost"));
                assertThat(next.isPresent() && held.isHeld()).as("two holders").isFalse();
            }
            Lease next = waiter.acquire(LockRequest.of("{a}lost").waitTimeout(ofSeconds(60)));
            assertThat(next.token()).isGreaterThan(held.token());
        }
    }

    private static Optional<Lease> tryAcquire(LockConnection locks, LockRequest request) throws Exception {
        try {
            return locks.tryAcquire(request.waitTimeout(Duration.ZERO));
        } catch (QuorumUnavailableException e) {
            return Optional.empty();
        }
    }
}
