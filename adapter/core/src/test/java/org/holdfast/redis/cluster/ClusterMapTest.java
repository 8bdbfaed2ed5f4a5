// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
        return new Primary(id, Optional.of(new HostPort("10.0.0.1", 7_000)), slots, epoch, false);
    }

    private static Primary failed(Primary one) {
        return new Primary(one.id(), one.place(), one.slots(), one.epoch(), true);
    }

    private static final Primary A = primary("a", 0, 9, 1);
    private static final Primary B = primary("b", 10, 19, 2);
    private static final Primary C = primary("c", 20, 29, 3);

    /** The next node of the slots of A. */
    private static final Primary R = primary("r", 0, 9, 4);

    /** A primary without slots. */
    private static final Primary EMPTY =
            new Primary("e", Optional.of(new HostPort("10.0.0.1", 7_000)), new BitSet(), 0, false);

    private static NodeView view(Primary node, Primary... others) {
        List<Primary> all = Stream.concat(Stream.of(node), Stream.of(others))
                .filter(one -> one != EMPTY)
                .toList();
        return new NodeView(node.id(), ids(all), all, new BitSet());
    }

    /** All know R, which may be a replica. */
    private static Set<String> ids(List<Primary> primaries) {
        return Stream.concat(primaries.stream().map(Primary::id), Stream.of("r"))
                .collect(Collectors.toSet());
    }

    private List<ClusterMap.Move> confirm(NodeView... views) {
        return map.confirm(List.of(views), time.nanoTime(), time.epochMicros());
    }

    /** Time passes, in which this client asks again and again. */
    private void settle(NodeView... views) {
        for (Duration passed = Duration.ZERO; passed.compareTo(COUNTS) <= 0; passed = passed.plus(ROUND)) {
            time.pass(ROUND.toNanos());
            confirm(views);
        }
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
        confirm(view(A, B, C), new NodeView("x", Set.of("a", "b", "c", "x"), List.of(A, B, C), new BitSet()));
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
        settle(view(A, B, C), view(B, A, C));
        time.pass(ROUND.toNanos());
        List<ClusterMap.Move> moves = confirm(view(R, B, C), view(B, R, C));
        assertThat(map.shard(0)).hasValue(before);
        assertThat(moves).extracting(ClusterMap.Move::shard).containsExactly(before);
        assertThat(before.firstUse().unsettledNanos()).isGreaterThan(COUNTS.toNanos());
        assertThat(map.settlesIn(0)).as("the slot has stayed where it was").isZero();
        assertThat(map.otherOwners())
                .as("A was named last")
                .isNotEmpty()
                .allMatch(other -> other.slots().last() < 10 && other.agoNanos() == ROUND.toNanos());
    }

    /** As a client sees it that was cut off while the slots were moved. */
    @Test
    void shard_whoseSlotsTwoNewNodesHave_isOneOfThemAndTheOtherIsNew() {
        confirm(view(A, B, C), view(B, A, C));
        settle(view(A, B, C), view(B, A, C));
        Primary first = primary("r", 0, 4, 5);
        Primary second = primary("s", 5, 9, 6);
        confirm(view(first, second, B, C), view(second, first, B, C), view(B, first, second, C));
        assertThat(map.shard(4)).isPresent().isNotEqualTo(map.shard(5));
        assertThat(map.shard(5)).isPresent();
        assertThat(confirm(view(first, second, B, C), view(second, first, B, C), view(B, first, second, C)))
                .as("each stays what it is")
                .isEmpty();
    }

    /** Meanwhile R may have been the shard, and other clients may count its votes for a while. */
    @Test
    void shard_thatThisClientHasNotHeardOfForAWhile_settlesAnew() {
        confirm(view(A, B, C), view(B, A, C), view(C, A, B));
        Shard shard = map.shard(0).orElseThrow();
        settle(view(A, B, C), view(B, A, C), view(C, A, B));
        assertThat(shard.firstUse().unsettledNanos()).isZero();
        assertThat(map.settlesIn(0)).isZero();

        time.pass(ROUND.plusMillis(1).toNanos());
        confirm(view(A, B, C), view(B, A, C));
        assertThat(map.shard(0)).hasValue(shard);
        assertThat(shard.firstUse().lacksWitnesses())
                .as("B may name A, and C may name R")
                .hasValue(2);
        confirm(view(A, B, C), view(B, A, C), view(C, A, B));
        assertThat(shard.firstUse().lacksWitnesses()).isEmpty();
        assertThat(shard.firstUse().unsettledNanos()).isGreaterThan(COUNTS.toNanos());
        assertThat(map.settlesIn(0)).isGreaterThan(COUNTS.toNanos());
    }

    @Test
    void slot_thatMovesToAnotherShard_settlesThere() {
        confirm(view(A, B, C), view(B, A, C));
        settle(view(A, B, C), view(B, A, C));
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

    private static NodeView seesBefore(Primary node) { // it has not heard of R
        return view(node, Stream.of(A, B, C).filter(one -> one != node).toArray(Primary[]::new));
    }

    /** R was promoted by votes of B and C, and B has not heard what came of it. */
    @Test
    void shard_thatTooFewOthersName_isNotUsedForTheFirstTime() {
        confirm(view(R, B, C), view(C, R, B));
        Shard shard = map.shard(0).orElseThrow();
        assertThat(shard.firstUse().lacksWitnesses()).as("B may name A").hasValue(2);
        settle(view(R, B, C), view(C, R, B));
        confirm(view(R, B, C), view(C, R, B), view(B, R, C));
        assertThat(shard.firstUse().lacksWitnesses()).isEmpty();
        assertThat(shard.firstUse().unsettledNanos()).as("from then on").isGreaterThan(COUNTS.toNanos());
        settle(view(R, B, C), view(C, R, B));
        confirm(view(R, B, C), view(C, R, B));
        assertThat(shard.firstUse().lacksWitnesses())
                .as("they cannot name A any more")
                .isEmpty();
        assertThat(shard.firstUse().unsettledNanos()).isZero();
    }

    /** A and B do not know D, which has got its first slot since they were cut off: to them, two of three name A. */
    @Test
    void shard_besideAPrimaryThatIsNew_isNamedByAllOthers() {
        Primary fewer = primary("c", 21, 29, 3);
        Primary d = primary("d", 20, 20, 8);
        confirm(view(R, B, fewer, d), view(fewer, R, B, d), view(d, R, B, fewer));
        Shard shard = map.shard(0).orElseThrow();
        assertThat(shard.firstUse().lacksWitnesses()).hasValue(3);
        confirm(
                view(R, B, fewer, d),
                view(fewer, R, B, d),
                view(d, R, B, fewer),
                view(primary("b", 10, 19, 2), R, fewer, d));
        assertThat(shard.firstUse().lacksWitnesses()).isEmpty();
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

    /** Returns what a node says that knows primaries without slots. */
    private static NodeView beside(Primary empty, NodeView view) {
        return new NodeView(
                view.node(), view.members(), view.primaries(), List.of(empty), view.moving(), view.coming());
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

    @Test
    void nodes_thatEachHaveAMajority_haveNoVote() {
        confirm(seesBefore(A), seesBefore(B), view(R, B, C), view(C, R, B));
        assertThat(map.shard(0)).isEmpty();
        assertThat(map.shard(10)).isPresent();
    }

    @Test
    void shard_ofOnePrimary_needsNoOtherToNameIt() {
        confirm(view(A));
        assertThat(map.shard(0).orElseThrow().firstUse().lacksWitnesses()).isEmpty();
    }

    @Test
    void nodes_ofTwoClusters_assignNothing() {
        Primary x = primary("x", 0, 29, 1);
        List<NodeView> views = List.of(view(A, B, C), view(B, A, C), view(C, A, B), view(x));
        assertThat(ClusterMap.fault(views))
                .hasValueSatisfying(fault -> assertThat(fault).contains("node", "x", "different clusters"));
        confirm(views.toArray(NodeView[]::new));
        assertThat(map.shard(0)).isEmpty();
    }

    @Test
    void primary_whoseAddressIsAnotherNodesByNow_isNotNamed() {
        Primary gone = new Primary("c", Optional.empty(), C.slots(), 3, false);
        confirm(view(A, B, gone), view(B, A, gone));
        assertThat(map.shard(0)).isPresent();
        assertThat(map.shard(20)).isEmpty();
    }
}
