// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.redis.cluster.Slot;
import org.holdfast.testkit.ClusterNode;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In which slot a node of a cluster remembers what it is: clients that differ would not know what others have seen. */
@Timeout(150)
class ClusterHomeTest {

    private static final Duration MEMORY = ofSeconds(18);
    private static final Duration SHORT_MEMORY = ofSeconds(3);
    private static final Duration RECOVERY = ofSeconds(60);
    private static final String NAME = "at home";

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private static LockRequest request() {
        return LockRequest.of(NAME).ttl(ofSeconds(2)).waitTimeout(RECOVERY);
    }

    /** Returns a slot of others in which a client that starts now would look first, if this node had it. */
    private static int preferredSlot(RedisCluster cluster, RedisServer node) {
        int present = IntStream.range(0, Slot.COUNT)
                .filter(slot -> ClusterNode.keys(slot, node).stream().anyMatch(key -> key.contains("birth")))
                .findFirst()
                .orElseThrow();
        return IntStream.range(0, Slot.COUNT)
                .filter(slot -> slot * 40_503 % Slot.COUNT < present * 40_503 % Slot.COUNT)
                .filter(slot -> cluster.owner(slot) != node)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatOneClientHasSeen_isKnownToOneThatStartsWhenTheNodeHasMoreSlots() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        int slot = MovingVoters.slot(NAME);
        RedisServer node = cluster.owner(slot);
        RedisServer other = cluster.servers().stream()
                .filter(server -> server != node)
                .findFirst()
                .orElseThrow();
        LockConnection first = voters.connect(cluster.uri(), MEMORY);
        first.acquire(request()).release();
        cluster.move(preferredSlot(cluster, node), node);
        await().pollDelay(ofSeconds(3)).until(() -> true);
        try (LockConnectionFactory locks = voters.locks(cluster.uri(), MEMORY);
                LockConnection second = locks.getConnection()) {
            second.acquire(request()).release();
        }

        Lease held = first.acquire(request().fixedTtl(MEMORY));
        cluster.beginMove(slot, node, other);
        cluster.moveKeys(slot, node, other, key -> true);
        await().pollDelay(ofSeconds(3)).until(() -> true); // the first client sees that
        cluster.abandonMove(slot, node, other);
        await().pollDelay(ofSeconds(2)).until(() -> true);
        LockConnection third = voters.connect(cluster.uri(), MEMORY);
        while (held.isHeld()) {
            boolean granted = isGranted(third);
            assertThat(granted && held.isHeld()).as("two holders").isFalse();
        }
    }

    /** Whatever another application has written there: it is compared byte by byte when it is replaced. */
    @ParameterizedTest
    @ValueSource(strings = {"birth", "slots", "home"})
    void key_thatHoldsNoText_isWrittenAnewAndTheShardVotes(String kept) throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer node = cluster.owner(MovingVoters.slot(NAME));
        try (LockConnectionFactory locks = voters.locks(cluster.uri(), SHORT_MEMORY);
                LockConnection first = locks.getConnection()) {
            first.acquire(request()).release();
        }
        String mark = node.ask("KEYS *:birth").lines().skip(2).findFirst().orElseThrow();
        String key = mark.replace("birth", kept);
        assertThat(node.ask("SET " + key + " \"\\xff\\xfe\"")).startsWith("+OK");

        voters.connect(cluster.uri(), SHORT_MEMORY).acquire(request()).release();
        assertThat(node.ask("STRLEN " + key).trim()).as("length of " + key).isNotEqualTo(":2");
    }

    private static boolean isGranted(LockConnection locks) throws Exception {
        try {
            return locks.tryAcquire(LockRequest.of(NAME).ttl(ofSeconds(2)).waitTimeout(Duration.ZERO))
                    .isPresent();
        } catch (QuorumUnavailableException e) {
            return false;
        }
    }
}
