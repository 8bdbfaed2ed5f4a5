// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.testkit.ClockShim;
import org.holdfast.testkit.ClusterNode;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node of a cluster whose clock was ahead when it got its slots. */
@Tag("thorough")
@Timeout(150)
class ClusterClockTest {

    private static final Duration MEMORY = ofSeconds(3);
    private static final Duration AHEAD = ofSeconds(600);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    @Test
    void slots_thatCameWhileTheClockWasAhead_areUsedSoonAfterThatIsSetRight() throws Exception {
        ClockShim clock = ClockShim.in(MovingVoters.FILES).orElse(null);
        assumeTrue(clock != null, ClockShim.NEEDS);
        clock.set(AHEAD);
        RedisCluster cluster = voters.opened(RedisCluster.startDurable(MovingVoters.FILES, 3, clock));
        LockConnection locks = voters.connect(cluster.uri(), MEMORY);
        LockRequest request = LockRequest.of("early").ttl(ofSeconds(2)).waitTimeout(ofSeconds(60));
        locks.acquire(request).release();
        RedisServer primary = cluster.owner(MovingVoters.slot("early"));
        RedisServer replica = cluster.servers().get(cluster.servers().indexOf(primary) + 3);
        cluster.failOver(replica);
        await().atMost(ofSeconds(40)).until(() -> recordOf(replica).contains(ClusterNode.id(replica)));
        clock.setRight();
        locks.acquire(request).release();
    }

    private static String recordOf(RedisServer server) {
        String key = server.ask("KEYS holdfast:{*}:slots").lines().reduce("", (one, other) -> other);
        return server.ask("GET " + key);
    }
}
