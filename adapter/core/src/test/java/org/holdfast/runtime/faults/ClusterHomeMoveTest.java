// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.ReleaseResult;
import org.holdfast.redis.cluster.Slot;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * An operator moves the slot in which a node of a cluster keeps what it knows of itself, on real processes. A key that
 * is missing in such a slot cannot be read, nor written.
 */
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
        locks = voters.connect(cluster.uri(), MEMORY);
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
}
