// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.redis.cluster.ClusterViews.A;
import static org.holdfast.redis.cluster.ClusterViews.B;
import static org.holdfast.redis.cluster.ClusterViews.C;
import static org.holdfast.redis.cluster.ClusterViews.COUNTS;
import static org.holdfast.redis.cluster.ClusterViews.EMPTY;
import static org.holdfast.redis.cluster.ClusterViews.R;
import static org.holdfast.redis.cluster.ClusterViews.ROUND;
import static org.holdfast.redis.cluster.ClusterViews.beside;
import static org.holdfast.redis.cluster.ClusterViews.failed;
import static org.holdfast.redis.cluster.ClusterViews.ids;
import static org.holdfast.redis.cluster.ClusterViews.primary;
import static org.holdfast.redis.cluster.ClusterViews.view;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.redis.cluster.NodeView.Primary;
import org.junit.jupiter.api.Test;

/** A primary is replaced while slots are moved away from it: its replica does not know of that. */
class SlotMoveTest {

    private final ClusterViews cluster = new ClusterViews();
    private final VirtualTime time = cluster.time;
    private final ClusterMap map = cluster.map;

    private void confirm(NodeView... views) {
        cluster.confirm(views);
    }

    /** Returns what stands on a node of slots 0 to 9 after two looks, ten seconds after one another. */
    private String record(Shard shard, Runnable between) {
        String text = "";
        for (long micros : new long[] {100_000_000, 110_000_000}) {
            between.run();
            String tag = shard.homeTag().orElseThrow();
            SlotRecord.Sight sight = new SlotRecord.Sight(tag, text, ReplicationIds.UNKNOWN, micros, 0, false, true);
            Shard.Update update = shard.update(sight, slot -> 0, List.of()).orElseThrow();
            text = update.text();
            update.isWritten();
        }
        return text;
    }

    /** B goes on importing slot 3 from A, which has failed: its replica R does not know that. */
    @Test
    void slot_thatTheNodeBeforeWasMovingAway_isInDoubtAtTheNext_asLongAsTheTargetSaysSo() {
        confirm(view(A, B, C), view(B, A, C), view(C, A, B));
        Primary rest = failed(primary("a", 3, 3, 1));
        NodeView target = new NodeView(
                "b", ids(List.of(B, R, C, rest)), List.of(B, R, C, rest), List.of(), new BitSet(), Map.of(3, "a"));
        confirm(view(R, B, C), target, view(C, B, R));
        Shard shard = map.shard(3).orElseThrow();
        assertThat(shard.firstUse().lacksWitnesses())
                .as("of three primaries, two name it")
                .isEmpty();
        time.pass(COUNTS.multipliedBy(2).toNanos());
        assertThat(record(shard, () -> confirm(view(R, B, C), target, view(C, B, R))))
                .endsWith(" 4 0-2:100000000 3:110000000 4-9:100000000");
    }

    /** It has no slots yet, and so no voice: nothing but that it imports the slot is of weight. */
    @Test
    void slot_thatTheNodeBeforeWasMovingToAPrimaryWithoutSlots_isInDoubtAtTheNext() {
        confirm(view(A, B, C), view(B, A, C), view(C, A, B));
        List<Primary> all = List.of(B, R, C, failed(primary("a", 3, 3, 1)));
        NodeView target = new NodeView("e", ids(all), all, List.of(EMPTY), new BitSet(), Map.of(3, "a"));
        confirm(view(R, B, C), view(B, R, C), view(C, B, R), target);
        Shard shard = map.shard(3).orElseThrow();
        time.pass(COUNTS.multipliedBy(2).toNanos());
        assertThat(record(shard, () -> confirm(view(R, B, C), view(B, R, C), view(C, B, R), target)))
                .endsWith(" 4 0-2:100000000 3:110000000 4-9:100000000");
    }

    private final NodeView[] before = {beside(EMPTY, view(A, B, C)), view(B, A, C), view(C, A, B), view(EMPTY, A, B, C)
    };
    private final NodeView[] after = {beside(EMPTY, view(R, B, C)), view(B, R, C), view(C, B, R), view(EMPTY, R, B, C)};

    /** These answer a moment later. */
    private void confirmLater(NodeView... views) {
        time.pass(ROUND.dividedBy(2).toNanos());
        confirm(views);
    }

    private static NodeView[] first(int count, NodeView... views) {
        return List.of(views).subList(0, count).toArray(NodeView[]::new);
    }

    @Test
    void shard_thatAnotherNodeHasBecome_isContinuedOnceAllWereHeardThatMayHaveGotSlots() {
        confirm(before);
        long moment = time.nanoTime();
        Shard shard = map.shard(3).orElseThrow();
        assertThat(shard.hasWatchedSince(moment)).isTrue();
        confirmLater(after);
        assertThat(shard.hasWatchedSince(moment))
                .as("answers of the time before")
                .isFalse();
        confirmLater(first(3, after));
        assertThat(shard.hasWatchedSince(moment)).as("one has not answered").isFalse();
        confirmLater(after);
        assertThat(shard.hasWatchedSince(moment)).isTrue();
        confirmLater(first(3, after));
        assertThat(shard.hasWatchedSince(moment))
                .as("what it has said is known")
                .isTrue();
    }

    /** It may have been there in between, have got slots, and not say so any more. */
    @Test
    void shard_thatAnotherNodeHasBecome_isNotContinuedByAClientThatHasNotHeardATargetForAWhile() {
        confirm(before);
        long moment = time.nanoTime();
        for (int i = 0; i < 3; i++) {
            confirmLater(beside(EMPTY, view(B, A, C)), view(C, A, B));
        }
        confirmLater(after);
        confirmLater(after);
        assertThat(map.shard(3).orElseThrow().hasWatchedSince(moment)).isFalse();
    }

    /** It says itself what it moves away: gaps of before do not matter. */
    @Test
    void shard_thatAnotherNodeHasBecome_isContinued_whereTheNodeBeforeWasHeardAfterAGap() {
        confirm(before);
        for (int i = 0; i < 3; i++) {
            confirmLater(first(3, before));
        }
        confirmLater(before);
        long moment = time.nanoTime();
        confirmLater(after);
        confirmLater(after);
        assertThat(map.shard(3).orElseThrow().hasWatchedSince(moment)).isTrue();
    }

    /** Its last answer tells nothing of what it has moved since. */
    @Test
    void shard_thatAnotherNodeHasBecome_isNotContinued_whereTheNodeBeforeWasNotHeardSinceAGapOfATarget() {
        confirm(first(3, before));
        long moment = time.nanoTime();
        for (int i = 0; i < 3; i++) {
            confirmLater(before[1], before[2], beside(EMPTY, view(B, A, C)));
        }
        confirmLater(before[1], before[2], before[3]);
        confirmLater(after);
        confirmLater(after);
        assertThat(map.shard(3).orElseThrow().hasWatchedSince(moment)).isFalse();
    }

    /** Primaries that hand over one after the other are heard until then. */
    @Test
    void shard_thatAnotherNodeHasBecome_isContinued_whereAnotherShardChangesToo() {
        confirm(before);
        long moment = time.nanoTime();
        Primary next = new Primary("s", B.place(), B.slots(), 5, false);
        NodeView[] both = {view(R, next, C), view(next, R, C), view(C, next, R), view(EMPTY, R, next, C)};
        confirmLater(after);
        confirmLater(both);
        confirmLater(both);
        confirmLater(both);
        assertThat(map.shard(3).orElseThrow().hasWatchedSince(moment)).isTrue();
        assertThat(map.shard(13).orElseThrow().hasWatchedSince(moment)).isTrue();
    }

    /** One that crashes at the same time may have got slots, also if it is a replica when it is back. */
    @Test
    void shard_thatAnotherNodeHasBecome_isNotContinued_whereAnotherPrimaryCrashedToo() {
        confirm(before);
        long moment = time.nanoTime();
        Primary next = new Primary("s", B.place(), B.slots(), 5, false);
        NodeView[] both = {view(R, next, C), view(next, R, C), view(C, next, R), view(EMPTY, R, next, C)};
        for (int i = 0; i < 3; i++) {
            confirmLater(view(C, A, B), view(EMPTY, A, B, C));
        }
        confirmLater(both);
        confirmLater(both);
        assertThat(map.shard(3).orElseThrow().hasWatchedSince(moment)).isFalse();
        assertThat(map.shard(13).orElseThrow().hasWatchedSince(moment)).isFalse();
    }

    /** It may be back, get slots and fail again between two looks of this client. */
    @Test
    void shard_thatAnotherNodeHasBecome_isNotContinued_whereAnotherPrimaryHasFailedBefore() {
        confirm(before);
        for (int i = 0; i < 5; i++) {
            confirmLater(view(A, B, C), view(B, A, C), view(C, A, B));
        }
        Primary dead = failed(EMPTY);
        confirmLater(beside(dead, view(A, B, C)), beside(dead, view(B, A, C)), beside(dead, view(C, A, B)));
        long moment = time.nanoTime();
        NodeView[] next = {beside(dead, view(R, B, C)), beside(dead, view(B, R, C)), beside(dead, view(C, B, R))};
        confirmLater(next);
        confirmLater(next);
        assertThat(map.shard(3).orElseThrow().hasWatchedSince(moment)).isFalse();
    }

    /** A and B were primaries before, were replaced after a crash, and have their places back at the same moment. */
    @Test
    void shards_thatFormerPrimariesHaveBack_areContinued() {
        Primary next = new Primary("s", B.place(), B.slots(), 5, false);
        confirm(before);
        for (int i = 0; i < 5; i++) {
            confirmLater(view(C, A, B), view(EMPTY, A, B, C));
        }
        NodeView[] replaced = {view(R, next, C), view(next, R, C), view(C, next, R), view(EMPTY, R, next, C)};
        for (int i = 0; i < 20; i++) {
            confirmLater(replaced);
        }
        long moment = time.nanoTime();
        Primary a = primary("a", 0, 9, 6);
        Primary b = primary("b", 10, 19, 7);
        NodeView[] back = {view(a, b, C), view(b, a, C), view(C, a, b), view(EMPTY, a, b, C)};
        confirmLater(back);
        confirmLater(back);
        confirmLater(back);
        assertThat(map.shard(3).orElseThrow().hasWatchedSince(moment)).isTrue();
        assertThat(map.shard(13).orElseThrow().hasWatchedSince(moment)).isTrue();
    }

    /** Returns the slots whose keys may have gone, as is written down at the next look. */
    private static IntStream inDoubt(Shard shard) {
        String tag = shard.homeTag().orElseThrow();
        SlotRecord.Sight sight = new SlotRecord.Sight(tag, "", ReplicationIds.UNKNOWN, 100_000_000, 0, false, true);
        Shard.Update update = shard.update(sight, slot -> 0, List.of()).orElseThrow();
        return update.seenThen().doubts().uncertain(update.record(), 100_000_000).stream();
    }

    /** An operator gives the move up at the target, as the source does not answer. */
    @Test
    void slot_thatWasComingToATargetWhileTheNodeWasSilent_isInDoubtAtTheNext() {
        confirm(before);
        NodeView target = new NodeView(
                "e", ids(List.of(A, B, C)), List.of(A, B, C), List.of(EMPTY), new BitSet(), Map.of(3, "a"));
        confirmLater(view(B, A, C), view(C, A, B), target);
        confirmLater(view(B, failed(A), C), view(C, failed(A), B), view(EMPTY, failed(A), B, C));
        confirmLater(after);
        assertThat(inDoubt(map.shard(3).orElseThrow())).containsExactly(3);
    }

    /** No majority names the node any more, as it has failed, and none names the next one yet. */
    @Test
    void slot_thatWasComingToATargetWhileNoNodeWasNamed_isInDoubtAtTheNext() {
        confirm(before);
        NodeView target = new NodeView(
                "e", ids(List.of(A, B, C)), List.of(failed(A), B, C), List.of(EMPTY), new BitSet(), Map.of(3, "a"));
        confirmLater(view(B, failed(A), C), view(C, failed(A), B), target);
        confirmLater(after);
        assertThat(inDoubt(map.shard(3).orElseThrow())).containsExactly(3);
    }

    /** The source itself says whether it still moves the slot. */
    @Test
    void slot_thatComesFromTheNodeThatHasIt_isNotInDoubt_whereThatHasEndedTheMove() {
        NodeView target =
                new NodeView("b", ids(List.of(B, A, C)), List.of(B, A, C), List.of(), new BitSet(), Map.of(3, "a"));
        confirm(view(A, B, C), target, view(C, A, B));
        Shard shard = map.shard(3).orElseThrow();
        time.pass(COUNTS.multipliedBy(2).toNanos());
        assertThat(record(shard, () -> confirm(view(A, B, C), target, view(C, A, B))))
                .endsWith(" 1 0-9:100000000");
    }
}
