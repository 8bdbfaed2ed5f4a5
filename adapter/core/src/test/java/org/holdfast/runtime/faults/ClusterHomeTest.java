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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In which slot a node of a cluster remembers what it is: clients that differ would not know what others have seen. */
@Tag("thorough")
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
        RedisServer other = otherThan(node, cluster);
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
        awaitFirstUse(cluster);
        String mark = markKey(node);
        String key = mark.replace("birth", kept);
        assertThat(node.ask("SET " + key + " \"\\xff\\xfe\"")).startsWith("+OK");

        voters.connect(cluster.uri(), SHORT_MEMORY).acquire(request()).release();
        assertThat(node.ask("STRLEN " + key).trim()).as("length of " + key).isNotEqualTo(":2");
    }

    /** A client that starts when the node has just got a slot may look there before the others have been. */
    @Test
    void secondMark_whileOthersLookElsewhere_isVoid_andTheNodeIsInNoQuarantine() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer node = cluster.owner(MovingVoters.slot(NAME));
        LockConnection first = voters.connect(cluster.uri(), SHORT_MEMORY);
        first.acquire(request()).release();
        String mark = markKey(node);
        int preferred = preferredSlot(cluster, node);
        String since = since(node, mark);
        cluster.move(preferred, node);
        String other = in(preferred, mark);
        writeMark(node, mark, other, "here");

        await().atMost(ofSeconds(10))
                .until(() -> node.ask("STRLEN " + other).trim().equals(":0"));
        first.acquire(request()).release();
        assertThat(since(node, mark)).as("since when its memory is whole").isEqualTo(since);
    }

    /** What clients have noted elsewhere since then is not in it. */
    @Test
    void markThatWasLeftInASlot_whenTheOthersAreThereNoMore_isNotTrusted() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer node = cluster.owner(MovingVoters.slot(NAME));
        RedisServer third = otherThan(node, cluster);
        awaitFirstUse(cluster);
        String mark = markKey(node);
        String since = since(node, mark);
        int preferred = preferredSlot(cluster, node);
        cluster.move(preferred, node);
        String left = in(preferred, mark);
        writeMark(node, mark, left, Slot.tag(Slot.of(mark)));
        cluster.move(Slot.of(mark), third);
        assertThat(since(node, left)).as("what is left there").isEqualTo(since);

        voters.connect(cluster.uri(), SHORT_MEMORY).acquire(request()).release();
        assertThat(since(node, left)).as("since when its memory is whole").isNotEqualTo(since);
    }

    /**
     * Clients would leave a mark behind. A node that has the largest epoch does not raise it for a slot that comes: so
     * nothing would show, where that mark is, that they have been elsewhere.
     */
    @Test
    void homeOfAnotherNode_thatComesWithItsSign_leadsNoClientThere() throws Exception {
        voters.whileLooking(this::homeOfAnotherNodeLeadsNoClientThere);
    }

    private void homeOfAnotherNodeLeadsNoClientThere() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer node = cluster.owner(MovingVoters.slot(NAME));
        RedisServer third = otherThan(node, cluster);
        LockConnection first = voters.connect(cluster.uri(), SHORT_MEMORY);
        first.acquire(request()).release();
        String mark = markKey(node);
        String since = since(node, mark);
        int preferred = preferredSlot(cluster, node);
        int home = IntStream.range(0, Slot.COUNT)
                .filter(slot -> slot != preferred && cluster.owner(slot) == third)
                .findFirst()
                .orElseThrow();
        String sign = in(preferred, mark).replace("birth", "home");
        RedisServer before = cluster.owner(preferred);
        assertThat(before.ask(
                        "SET " + sign + " \"" + Slot.tag(home) + " " + "0".repeat(40) + "@" + "1".repeat(40) + "\""))
                .startsWith("+OK");
        cluster.move(home, node);
        cluster.move(preferred, node);

        await().atMost(ofSeconds(10)).until(() -> node.ask("GET " + sign).contains(Slot.tag(Slot.of(mark)) + " "));
        first.acquire(request().waitTimeout(Duration.ofMillis(500))).release();
        assertThat(since(node, mark)).as("since when its memory is whole").isEqualTo(since);
    }

    /** No client was there to write a sign. What is begun at the door would lack what stands at the home. */
    @Test
    void home_ofANodeThatHasGotADoorMeanwhile_isFoundByAClientThatStarts() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer node = cluster.owner(MovingVoters.slot(NAME));
        LockConnectionFactory locks = voters.locks(cluster.uri(), MEMORY);
        try (LockConnection first = locks.getConnection()) {
            first.acquire(request()).release();
        }
        String mark = markKey(node);
        String since = since(node, mark);
        int preferred = preferredSlot(cluster, node);
        locks.close();
        cluster.move(preferred, node);

        voters.connect(cluster.uri(), MEMORY).acquire(request()).release();
        assertThat(since(node, mark)).as("since when its memory is whole").isEqualTo(since);
        assertThat(node.ask("GET " + in(preferred, mark).replace("birth", "home")))
                .contains(Slot.tag(Slot.of(mark)) + " ");
        assertThat(node.ask("STRLEN " + in(preferred, mark)).trim())
                .as("length of what came with the slot from another node")
                .isEqualTo(":0");
    }

    /** Clients that have started meanwhile may look elsewhere, and note there what the first one does not know. */
    @Test
    void sign_thatHasGoneWithItsSlot_letsNoClientBeGranted_butLeasesAreRenewed() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer node = cluster.owner(MovingVoters.slot(NAME));
        LockConnection first = voters.connect(cluster.uri(), MEMORY);
        Lease held = first.acquire(request());
        String mark = markKey(node);
        int preferred = preferredSlot(cluster, node);
        RedisServer other = cluster.owner(preferred);
        cluster.move(preferred, node);
        String sign = in(preferred, mark).replace("birth", "home");
        await().atMost(ofSeconds(10)).until(() -> node.ask("GET " + sign).contains(Slot.tag(Slot.of(mark)) + " "));

        cluster.beginMove(preferred, node, other);
        cluster.moveKeys(preferred, node, other, key -> key.equals(sign));
        await().pollDelay(ofSeconds(2)).until(() -> true); // it has looked
        String noted = node.ask("GET " + mark);
        await().pollDelay(ofSeconds(4)).until(() -> true); // longer than the lease lasts if it is not renewed
        assertThat(held.isHeld()).isTrue();
        String more = anotherNameOn(node, cluster);
        assertThat(MovingVoters.isGranted(first, more)).isFalse();
        assertThat(node.ask("GET " + mark)).as("what is noted of looks").isEqualTo(noted);

        cluster.abandonMove(preferred, node, other);
        assertThat(first.acquire(LockRequest.of(more).waitTimeout(ofSeconds(10)))
                        .isHeld())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"birth", "slots", "home"})
    void key_ofAnotherType_isReplacedAndTheShardVotes(String kept) throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer node = cluster.owner(MovingVoters.slot(NAME));
        awaitFirstUse(cluster);
        String key = markKey(node).replace("birth", kept);
        assertThat(node.ask("EVAL \"redis.call('DEL', KEYS[1]) return redis.call('RPUSH', KEYS[1], 1)\" 1 " + key))
                .startsWith(":1");

        voters.connect(cluster.uri(), SHORT_MEMORY).acquire(request()).release();
        assertThat(node.ask("TYPE " + key)).contains("string");
    }

    private static RedisServer otherThan(RedisServer node, RedisCluster cluster) {
        return cluster.servers().stream()
                .filter(server -> server != node)
                .findFirst()
                .orElseThrow();
    }

    private static String anotherNameOn(RedisServer node, RedisCluster cluster) {
        return IntStream.range(0, 1_000)
                .mapToObj(Integer::toString)
                .filter(name -> cluster.owner(MovingVoters.slot(name)) == node)
                .findFirst()
                .orElseThrow();
    }

    private void awaitFirstUse(RedisCluster cluster) throws Exception {
        try (LockConnectionFactory locks = voters.locks(cluster.uri(), SHORT_MEMORY);
                LockConnection first = locks.getConnection()) {
            first.acquire(request()).release();
        }
    }

    private static String markKey(RedisServer node) {
        return node.ask("KEYS *:birth").lines().skip(2).findFirst().orElseThrow();
    }

    /** Returns the key of the mark if that were kept in another slot. */
    private static String in(int slot, String mark) {
        return mark.replace(Slot.tag(Slot.of(mark)), Slot.tag(slot));
    }

    /** Returns since when the memory of the node is whole, as a mark says. */
    private static String since(RedisServer node, String mark) {
        return node.ask("GETRANGE " + mark + " 0 15");
    }

    /** Has a mark and its heartbeat stand in another slot too, and a sign of the node there. */
    private static void writeMark(RedisServer node, String mark, String other, String sign) {
        String copy = "for _, name in ipairs({'birth', 'heartbeat'}) do"
                + " redis.call('SET', (string.gsub(ARGV[2], 'birth', name)),"
                + " redis.call('GET', (string.gsub(ARGV[1], 'birth', name))) or 'over', 'PX', 600000) end"
                + " local owner = string.match(redis.call('GET', (string.gsub(ARGV[1], 'birth', 'home'))), ' .*')"
                + " return redis.call('SET', (string.gsub(ARGV[2], 'birth', 'home')), ARGV[3] .. owner)";
        assertThat(node.ask("EVAL \"" + copy + "\" 0 " + mark + " " + other + " " + sign))
                .startsWith("+OK");
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
