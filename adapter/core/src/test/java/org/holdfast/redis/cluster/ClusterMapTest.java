// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.cluster.NodeView.Primary;
import org.junit.jupiter.api.Test;

class ClusterMapTest {

    private static final Duration COUNTS = Duration.ofSeconds(7);
    private static final Duration ROUND = Duration.ofSeconds(2);

    private final VirtualTime time = new VirtualTime();
    private final ClusterMap map = new ClusterMap(time, COUNTS, ROUND, 0.01);

    private static Primary primary(String id, int first, int last, long epoch) {
        BitSet slots = new BitSet();
        slots.set(first, last + 1);
        return new Primary(id, new HostPort("10.0.0.1", 7_000), slots, epoch, false);
    }

    private static Primary failed(Primary one) {
        return new Primary(one.id(), one.place(), one.slots(), one.epoch(), true);
    }

    private static final Primary A = primary("a", 0, 9, 1);
    private static final Primary B = primary("b", 10, 19, 2);
    private static final Primary C = primary("c", 20, 29, 3);

    /** The next node of the slots of A. */
    private static final Primary R = primary("r", 0, 9, 4);

    private static NodeView view(Primary node, Primary... others) {
        return new NodeView(
                node.id(), Stream.concat(Stream.of(node), Stream.of(others)).toList(), new BitSet());
    }

    private List<ClusterMap.Move> confirm(NodeView... views) {
        return map.confirm(List.of(views), time.nanoTime(), time.epochMicros());
    }

    private void settle() {
        time.pass(COUNTS.plusSeconds(1).toNanos());
    }

    @Test
    void slot_thatAMajorityAssigns_hasThatShardForAWhile() {
        confirm(view(A, B, C), view(B, A, C));
        assertThat(map.shard(9)).isPresent();
        assertThat(map.shard(9)).isNotEqualTo(map.shard(10));
        assertThat(map.shard(30)).isEmpty();
        time.pass(COUNTS.minus(ROUND).plusMillis(1).toNanos());
        assertThat(map.shard(9)).isEmpty();
        assertThat(map.lastShard(9)).isPresent();
    }

    @Test
    void nodes_thatAreNoMajority_assignNothing() {
        confirm(view(A, B, C));
        assertThat(map.shard(0)).isEmpty();
        confirm(view(A, B, C), new NodeView("x", List.of(A, B, C), new BitSet()));
        assertThat(map.shard(0)).as("a replica has no voice").isEmpty();
    }

    @Test
    void primary_thatHasFailedForAWitness_isNotNamedByIt() {
        confirm(view(A, B, C), view(B, failed(A), C));
        assertThat(map.shard(0)).isEmpty();
        assertThat(map.shard(10)).isPresent();
    }

    @Test
    void shard_thatAnotherNodeBecomes_isTheSameInAnotherTerm() {
        confirm(view(A, B, C), view(B, A, C));
        Shard before = map.shard(0).orElseThrow();
        settle();
        List<ClusterMap.Move> moves = confirm(view(R, B, C), view(B, R, C));
        assertThat(map.shard(0)).hasValue(before);
        assertThat(moves).extracting(ClusterMap.Move::shard).containsExactly(before);
        assertThat(before.terms().unsettledNanos(before.terms().current().orElseThrow()))
                .isGreaterThan(COUNTS.toNanos());
        assertThat(map.settlesIn(0)).as("the slot has stayed where it was").isZero();
    }

    /** As a client sees it that was cut off while the slots were moved. */
    @Test
    void shard_whoseSlotsTwoNewNodesHave_isOneOfThemAndTheOtherIsNew() {
        confirm(view(A, B, C), view(B, A, C));
        settle();
        Primary first = primary("r", 0, 4, 5);
        Primary second = primary("s", 5, 9, 6);
        confirm(view(first, second, B, C), view(second, first, B, C), view(B, first, second, C));
        assertThat(map.shard(4)).isPresent().isNotEqualTo(map.shard(5));
        assertThat(map.shard(5)).isPresent();
        assertThat(confirm(view(first, second, B, C), view(second, first, B, C), view(B, first, second, C)))
                .as("each stays what it is")
                .isEmpty();
    }

    @Test
    void slot_thatMovesToAnotherShard_settlesThere() {
        confirm(view(A, B, C), view(B, A, C));
        settle();
        Primary fewer = primary("a", 0, 8, 1);
        Primary more = primary("b", 9, 19, 5);
        assertThat(confirm(view(fewer, more, C), view(more, fewer, C))).isEmpty();
        assertThat(map.shard(9)).isEqualTo(map.shard(10));
        assertThat(map.settlesIn(9)).isGreaterThan(COUNTS.toNanos());
        assertThat(map.settlesIn(10)).isZero();
        assertThat(map.shard(8)).isNotEqualTo(map.shard(9));
    }

    /** One that has missed a failover and the one back would be one of a majority for the node between. */
    @Test
    void witnesses_thatNameANodeInDifferentEpochs_areNoMajority() {
        confirm(view(primary("a", 0, 9, 7), B, C), view(B, A, C));
        assertThat(map.shard(0)).isEmpty();
    }

    @Test
    void voices_ofTheSameNodeTwice_areOne() {
        confirm(view(A, B, C), view(A, B, C));
        assertThat(map.shard(0)).isEmpty();
    }
}
