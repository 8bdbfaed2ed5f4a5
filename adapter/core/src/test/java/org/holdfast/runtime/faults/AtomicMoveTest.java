// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.testkit.AtomicMove;
import org.holdfast.testkit.ClusterNode;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A cluster that moves a slot with all its keys at once, under a holder, on real processes. */
@Timeout(150)
class AtomicMoveTest {

    /** The longest TTL here, and so the quarantine: longer than the time in which the slot's next node is not asked. */
    private static final Duration MEMORY = ofSeconds(18);

    private static final Duration PATIENCE = ofSeconds(60);

    private static final String NAME = "moved";
    private static final int SLOT = MovingVoters.slot(NAME);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private RedisCluster cluster;
    private RedisServer from;
    private RedisServer to;
    private LockConnection locks;
    private LockConnection other;

    @BeforeEach
    void start() {
        cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        from = cluster.owner(SLOT);
        assumeTrue(AtomicMove.isKnownTo(from), AtomicMove.NEEDS);
        to = cluster.servers().stream()
                .filter(server -> server != from)
                .findFirst()
                .orElseThrow();
        locks = voters.connect(cluster.uri(), MEMORY);
        other = voters.connect(cluster.uri(), MEMORY);
    }

    private Lease hold() throws Exception {
        return locks.acquire(LockRequest.of(NAME).ttl(ofSeconds(15)).waitTimeout(PATIENCE));
    }

    @Test
    void slot_movedUnderAHolderAndAWaiter_keepsTheLockAndHandsItOn() throws Exception {
        Lease held = hold();
        CompletableFuture<Lease> waiter =
                other.acquireAsync(LockRequest.of(NAME).ttl(ofSeconds(10)).waitTimeout(PATIENCE.multipliedBy(2)));

        AtomicMove.move(cluster, SLOT, to);
        assertIsAlone(held);
        assertThat(waiter).isNotDone();
        held.release();
        assertThat(waiter.get(60, TimeUnit.SECONDS).token()).isGreaterThan(held.token());
        waiter.get().release();
        assertThat(ClusterNode.keys(SLOT, from)).as("left behind").isEmpty();
    }

    /** Both moves are over before a client looks at the cluster again, which it does once a second. */
    @Test
    void slot_movedThereAndBack_keepsTheLock() throws Exception {
        Lease held = hold();

        AtomicMove.move(cluster, SLOT, to);
        AtomicMove.move(cluster, SLOT, from);
        assertIsAlone(held);
        held.release();
    }

    /** The former node goes on with the slot when it has waited for long enough; the other one may still take it. */
    @Test
    void slot_whoseNextNodeStandsStillWhileItMoves_keepsTheLock() throws Exception {
        Lease held = hold();

        AtomicMove.begin(cluster, SLOT, to);
        to.freeze();
        assertIsAloneFor(ofSeconds(6), held);
        to.thaw();
        assertIsAlone(held);
        held.release();
    }

    /** For longer than the lease would have lasted without a renewal. */
    private void assertIsAlone(Lease held) throws Exception {
        assertIsAloneFor(ofSeconds(17), held);
    }

    private void assertIsAloneFor(Duration time, Lease held) throws Exception {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < time.toNanos()) {
            assertThat(MovingVoters.isGranted(other, NAME)).isFalse();
            assertThat(held.isHeld()).isTrue();
        }
    }
}
