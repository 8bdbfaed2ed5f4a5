// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.ReleaseResult;
import org.holdfast.redis.cluster.Slot;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * An operator moves the slot in which a node of a cluster keeps what it knows of itself, on real processes. A key that
 * is missing in such a slot cannot be read, nor written.
 */
@Tag("thorough")
@Timeout(150)
class ClusterHomeMoveTest {

    private static final Duration MEMORY = ofSeconds(8);
    private static final Duration TTL = ofSeconds(4);
    private static final Duration RECOVERY = ofSeconds(60);

    /** All in one slot. */
    private static final String TAG = "{home-move}";

    private static final String NAME = TAG + "held";

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private RedisCluster cluster;
    private RedisServer from;
    private RedisServer to;
    private LockConnectionFactory factory;
    private LockConnection locks;
    private Lease held;
    private int home;

    private void hold() throws Exception {
        cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        from = cluster.owner(MovingVoters.slot(NAME));
        to = cluster.servers().stream()
                .filter(server -> server != from)
                .findFirst()
                .orElseThrow();
        factory = voters.patientLocks(cluster.uri(), MEMORY);
        locks = voters.opened(factory.getConnection());
        held = locks.acquire(LockRequest.of(NAME).ttl(TTL).waitTimeout(RECOVERY));
        home = Slot.of(mark());
    }

    private String mark() {
        return from.ask("KEYS holdfast:{*}:birth").lines().skip(2).findFirst().orElseThrow();
    }

    private static void passes(Duration time) {
        await().pollDelay(time).atMost(time.plusSeconds(5)).until(() -> true);
    }

    @Test
    void lease_whileTheHomeOfItsNodeIsBeingMoved_isRenewed_andAMoveThatIsGivenUpLeavesNoQuarantine() throws Exception {
        hold();
        cluster.beginMove(home, from, to);
        passes(TTL.multipliedBy(2));
        assertThat(held.isHeld()).as("held after two TTLs").isTrue();
        locks.acquire(LockRequest.of(TAG + "meanwhile").waitTimeout(TTL)).release();

        cluster.abandonMove(home, from, to);
        locks.acquire(LockRequest.of(TAG + "after").waitTimeout(ofSeconds(2))).release();
        passes(ofSeconds(3));
        locks.acquire(LockRequest.of(TAG + "later").waitTimeout(ofSeconds(2))).release();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    void lease_whenTheHomeOfItsNodeHasMoved_isRenewed_andTheNodeHasItsMarkInAnotherSlot() throws Exception {
        hold();
        cluster.move(home, to);
        passes(TTL.multipliedBy(2));
        assertThat(held.isHeld()).as("held after two TTLs").isTrue();
        assertThat(Slot.of(mark())).isNotEqualTo(home);
        locks.acquire(LockRequest.of(TAG + "after").waitTimeout(RECOVERY)).release();
    }

    /** Nothing shows then whether the node's clock has been watched, so it renews nothing. */
    @Test
    void lease_whileTheMarkOfItsNodeIsElsewhere_isLost_andLocksAreGrantedAgainLater() throws Exception {
        hold();
        cluster.beginMove(home, from, to);
        cluster.moveKeys(home, from, to, key -> true);
        await().atMost(TTL.multipliedBy(3)).until(() -> !held.isHeld());
        cluster.endMove(home, to);
        locks.acquire(LockRequest.of(NAME).waitTimeout(RECOVERY)).release();
    }

    /** Redis 8.0 looks for a key of that slot in the slot of the lock, unless a command without keys comes before. */
    @Test
    void locksOfEachKind_whileTheHomeOfTheirNodeIsBeingMoved_areTakenAndReleased() throws Exception {
        hold();
        List<LockRequest> kinds = List.of(
                LockRequest.of(TAG + "one"),
                LockRequest.of(TAG + "fair").fair(true),
                LockRequest.of(TAG + "written").mode(LockMode.WRITE),
                LockRequest.of(TAG + "read").mode(LockMode.READ),
                LockRequest.semaphore(TAG + "permit", 2),
                LockRequest.allOf(TAG + "first", TAG + "second"));
        cluster.beginMove(home, from, to);
        passes(ofSeconds(2));
        LockConnection others = voters.connectPatiently(cluster.uri(), MEMORY);
        for (LockRequest kind : kinds) {
            Lease first = locks.acquire(kind.ttl(TTL).waitTimeout(ofSeconds(20)));
            if (kind != kinds.get(3) && kind != kinds.get(4)) {
                assertThat(others.tryAcquire(kind.waitTimeout(Duration.ZERO)))
                        .as(first.name())
                        .isEmpty();
            }
            assertThat(factory.holders(kind)).as(first.name()).isNotEmpty();
            assertThat(first.release()).as(first.name()).isEqualTo(ReleaseResult.RELEASED);
            others.acquire(kind.waitTimeout(ofSeconds(2))).release();
        }
        Lease lost = locks.acquire(LockRequest.of(TAG + "lost").waitTimeout(ofSeconds(2)));
        assertThat(factory.forceRelease(lost.name())).hasSize(1);
        assertThat(lost.release()).isNotEqualTo(ReleaseResult.RELEASED);
        cluster.abandonMove(home, from, to);
    }
}
