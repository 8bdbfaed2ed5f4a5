// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.redis.cluster.ClusterViews.A;
import static org.holdfast.redis.cluster.ClusterViews.B;
import static org.holdfast.redis.cluster.ClusterViews.C;
import static org.holdfast.redis.cluster.ClusterViews.COUNTS;
import static org.holdfast.redis.cluster.ClusterViews.R;
import static org.holdfast.redis.cluster.ClusterViews.ROUND;
import static org.holdfast.redis.cluster.ClusterViews.failed;
import static org.holdfast.redis.cluster.ClusterViews.primary;
import static org.holdfast.redis.cluster.ClusterViews.view;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.redis.cluster.NodeView.Primary;
import org.junit.jupiter.api.Test;

class ClusterMapTest {

    private final ClusterViews cluster = new ClusterViews();
    private final VirtualTime time = cluster.time;
    private final ClusterMap map = cluster.map;

    private List<ClusterMap.Move> confirm(NodeView... views) {
        return cluster.confirm(views);
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

    @Test
    void nodes_thatEachHaveAMajority_haveNoVote() {
        Set<String> all = Set.of("a", "b", "c", "r");
        confirm(
                seesBefore(A),
                seesBefore(B),
                new NodeView("r", all, List.of(R, B, C), new BitSet()),
                new NodeView("c", all, List.of(C, R, B), new BitSet()));
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
        assertThat(map.fault(views))
                .hasValueSatisfying(fault -> assertThat(fault).contains("node", "x", "different clusters"));
        confirm(views.toArray(NodeView[]::new));
        assertThat(map.shard(0)).isEmpty();
    }

    @Test
    void clusterWithoutAnyNodeThatIsKnown_isNotUsed_alsoWhenNoOtherOneAnswers() {
        Primary x = primary("x", 0, 29, 1);
        NodeView stranger = new NodeView("x", Set.of("x"), List.of(x), new BitSet());
        confirm(view(A, B, C), view(B, A, C));
        Shard before = map.shard(0).orElseThrow();
        for (Duration passed = Duration.ZERO;
                passed.compareTo(COUNTS.multipliedBy(3)) <= 0;
                passed = passed.plus(ROUND)) {
            time.pass(ROUND.toNanos());
            assertThat(confirm(stranger)).isEmpty();
        }
        assertThat(map.shard(0)).isEmpty();
        assertThat(map.lastShard(0)).hasValue(before);
        assertThat(map.fault(List.of(stranger))).hasValueSatisfying(fault -> assertThat(fault)
                .contains("node x", "another cluster", "start this client again"));
        confirm(view(A, B, C), view(B, A, C));
        assertThat(map.shard(0)).hasValue(before);
    }

    @Test
    void clusterThatAnswers_isUsed_besideNodesOfAnotherOne() {
        NodeView stranger = new NodeView("x", Set.of("x"), List.of(primary("x", 0, 29, 1)), new BitSet());
        confirm(view(A, B, C), view(B, A, C));
        Shard before = map.shard(0).orElseThrow();
        settle(view(A, B, C), view(B, A, C), stranger);
        assertThat(map.shard(0)).hasValue(before);
        confirm(view(A, B, C), stranger);
        time.pass(COUNTS.toNanos());
        assertThat(map.shard(0)).as("one voice of three").isEmpty();
    }

    @Test
    void cluster_whoseNodesAreReplacedOneAfterTheOther_staysTheSame() {
        Primary d = primary("d", 0, 9, 11);
        Primary e = primary("e", 10, 19, 12);
        Primary f = primary("f", 20, 29, 13);
        settle(view(A, B, C), view(B, A, C));
        settle(view(d, B, C), view(B, d, C));
        settle(only(d, e, C), only(e, d, C));
        settle(only(d, e, f), only(e, d, f));
        assertThat(map.shard(0)).isPresent();
        settle(view(A, B, C), view(B, A, C), view(C, A, B));
        assertThat(map.shard(0)).as("those that it has forgotten").isEmpty();
    }

    /** It is cut off from them, and this client hears it. */
    @Test
    void primary_thatTheOthersHaveForgotten_isNoVoice_andTellsNothingOfOthersThatHaveComeSince() {
        Primary d = primary("d", 5, 9, 11);
        settle(view(A, B, C), view(B, A, C), view(C, A, B));
        Primary left = primary("r", 0, 4, 12);
        settle(view(C, A, B), only(B, left, d), only(left, B, d), only(d, left, B));
        assertThat(map.fault(List.of(view(C, A, B), only(B, left, d), only(left, B, d), only(d, left, B))))
                .isEmpty();
        assertThat(map.shard(12)).isPresent();
        assertThat(map.shard(25)).as("the slots of the forgotten one").isEmpty();
    }

    private static NodeView only(Primary... all) {
        Set<String> ids = Stream.of(all).map(Primary::id).collect(Collectors.toSet());
        return new NodeView(all[0].id(), ids, List.of(all), new BitSet());
    }

    @Test
    void primary_whoseAddressIsAnotherNodesByNow_isNotNamed() {
        Primary gone = new Primary("c", Optional.empty(), C.slots(), 3, false);
        confirm(view(A, B, gone), view(B, A, gone));
        assertThat(map.shard(0)).isPresent();
        assertThat(map.shard(20)).isEmpty();
    }
}
