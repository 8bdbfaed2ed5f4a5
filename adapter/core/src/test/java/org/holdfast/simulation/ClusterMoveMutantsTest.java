// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.holdfast.simulation.MutantAssertions.assertRefuted;
import static org.holdfast.simulation.Sources.CLUSTER;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bugs that forget what a primary of a cluster was moving away when it crashed. */
@ExtendWith(QuietWorlds.class)
@Tag("thorough")
class ClusterMoveMutantsTest {

    private static final String MAP_TEST = "org.holdfast.redis.cluster.ClusterMapTest";
    private static final String VIEW_TEST = "org.holdfast.redis.cluster.NodeViewTest";

    @ConcurrentTest
    void moveOfTheNodeBeforeNotSeenAtItsTarget_isRefuted() throws Exception {
        assertRefuted(
                MAP_TEST,
                "slot_thatTheNodeBeforeWasMovingAway_isInDoubtAtTheNext_asLongAsTheTargetSaysSo",
                new Mutant()
                        .with(
                                CLUSTER + "Assignment.java",
                                "movedBefore.or(view.comingFromOthersThan(node))",
                                "movedBefore.or(new BitSet())"));
    }

    @ConcurrentTest
    void targetWithoutSlotsNotHeard_isRefuted() throws Exception {
        assertRefuted(
                MAP_TEST,
                "slot_thatTheNodeBeforeWasMovingToAPrimaryWithoutSlots_isInDoubtAtTheNext",
                new Mutant()
                        .with(
                                CLUSTER + "Assignment.java",
                                "views.forEach(view -> movedBefore",
                                "voices.forEach(view -> movedBefore"));
    }

    @ConcurrentTest
    void primaryWithoutSlotsNotAsked_isRefuted() throws Exception {
        assertRefuted(
                VIEW_TEST,
                "primariesWithoutSlots_areNoPrimariesThatVote_andAreAskedUnlessTheyHaveFailed",
                new Mutant()
                        .with(
                                CLUSTER + "NodeView.java",
                                "Stream.concat(primaries.stream(), empty.stream().filter(Primary::isNamed))",
                                "primaries.stream()"));
    }

    @ConcurrentTest
    void failoverTakenOverBeforeAllTargetsWereHeard_isRefuted() throws Exception {
        assertRefuted(
                MAP_TEST,
                "shard_thatAnotherNodeHasBecome_isContinuedOnceAllWereHeardThatMayHaveGotSlots",
                new Mutant().with(CLUSTER + "Shard.java", " && seen.targets().before().isEmpty()", ""));
    }

    @ConcurrentTest
    void targetThatHasFailedSinceTakenForOneThatHadBefore_isRefuted() throws Exception {
        assertRefuted(
                MAP_TEST,
                "shard_thatAnotherNodeHasBecome_isNotContinuedWithoutOneThatHasFailedSince",
                new Mutant()
                        .with(
                                CLUSTER + "Assignment.java",
                                "Stream.of(true, false).flatMap(failed",
                                "Stream.of(false).flatMap(failed")
                        .with(CLUSTER + "Seen.java", "new HashSet<>(before.open())", "new HashSet<>()"));
    }

    @ConcurrentTest
    void failoverThatWaitsForNodesThatHadFailedBefore_isRefuted() throws Exception {
        assertRefuted(
                MAP_TEST,
                "shard_thatAnotherNodeHasBecome_isContinuedWithoutThoseThatHadFailedBefore",
                new Mutant().with(CLUSTER + "Seen.java", "needed.removeAll(before.failed());", ""));
    }

    @ConcurrentTest
    void deadNodeOfWhichATargetKeepsASlotCounted_isRefuted() throws Exception {
        assertRefuted(
                VIEW_TEST,
                "primary_ofWhichOnlySlotsAreLeftThatComeHere_isCountedUntilItHasFailed",
                new Mutant().with(CLUSTER + "NodeView.java", "!one.failed() || !one.slots()", "true || !one.slots()"));
    }
}
