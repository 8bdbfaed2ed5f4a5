// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A slot whose move takes longer than a lease lasts, and moves no key yet. Redis 8.0 looks for a key of such a slot in
 * the slot that the command before it has used, in a script that uses several.
 */
@Tag("thorough")
@Timeout(150)
class ClusterLongMoveTest {

    private static final Duration MEMORY = ofSeconds(8);
    private static final Duration TTL = ofSeconds(4);
    private static final String NAME = "long-move";
    private static final int SLOT = MovingVoters.slot(NAME);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    @Test
    void lease_inASlotThatIsBeingMoved_isRenewed() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer from = cluster.owner(SLOT);
        RedisServer to = cluster.servers().stream()
                .filter(server -> server != from)
                .findFirst()
                .orElseThrow();
        LockConnection locks = voters.connect(cluster.uri(), MEMORY);
        Lease held = locks.acquire(LockRequest.of(NAME).ttl(TTL).waitTimeout(ofSeconds(60)));

        cluster.beginMove(SLOT, from, to);
        await().pollDelay(TTL.multipliedBy(2)).until(() -> true);
        assertThat(held.isHeld()).as("held after two TTLs").isTrue();
        cluster.abandonMove(SLOT, from, to);
    }
}
