// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.holdfast.simulation.MutantAssertions.assertRefuted;
import static org.holdfast.simulation.Sources.CLUSTER;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bugs that forget what a primary of a cluster was moving away when it crashed. */
@ExtendWith(QuietWorlds.class)
@Tag("nightly")
class ClusterMoveMutantsTest {

    private static final String MOVE_TEST = "org.holdfast.redis.cluster.SlotMoveTest";
    private static final String VIEW_TEST = "org.holdfast.redis.cluster.NodeViewTest";

    @ConcurrentTest
    void moveOfTheNodeBeforeNotSeenAtItsTarget_isRefuted() throws Exception {
        assertRefuted(
                MOVE_TEST,
                "slot_thatTheNodeBeforeWasMovingAway_isInDoubtAtTheNext_asLongAsTheTargetSaysSo",
                new Mutant()
                        .with(
                                CLUSTER + "Assignment.java",
                                "coming.or(view.comingFromOthersThan(silent ? \"\" : node))",
                                "coming.or(new BitSet())"));
    }

    @ConcurrentTest
    void targetWithoutSlotsNotHeard_isRefuted() throws Exception {
        assertRefuted(
                MOVE_TEST,
                "slot_thatTheNodeBeforeWasMovingToAPrimaryWithoutSlots_isInDoubtAtTheNext",
                new Mutant()
                        .with(
                                CLUSTER + "Assignment.java",
                                "views.forEach(view -> coming",
                                "voices.forEach(view -> coming"));
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
                MOVE_TEST,
                "shard_thatAnotherNodeHasBecome_isContinuedOnceAllWereHeardThatMayHaveGotSlots",
                new Mutant().with(CLUSTER + "Shard.java", "moment <= 0 && seen.before().isEmpty()", "moment <= 0"));
    }

    @ConcurrentTest
    void targetThatWasNotHeardForAWhileTakenForOneThatWas_isRefuted() throws Exception {
        assertRefuted(
                MOVE_TEST,
                "shard_thatAnotherNodeHasBecome_isNotContinuedByAClientThatHasNotHeardATargetForAWhile",
                new Mutant().with(CLUSTER + "PrimaryWatch.java", "return !isGap && (", "return ("));
    }

    @ConcurrentTest
    void moveGivenUpWhileTheNodeWasSilentForgotten_isRefuted() throws Exception {
        assertRefuted(
                MOVE_TEST,
                "slot_thatWasComingToATargetWhileTheNodeWasSilent_isInDoubtAtTheNext",
                new Mutant().with(CLUSTER + "Assignment.java", "(silent ? \"\" : node)", "(node)"));
    }

    @ConcurrentTest
    void moveGivenUpWhileNoNodeWasNamedForgotten_isRefuted() throws Exception {
        assertRefuted(
                MOVE_TEST,
                "slot_thatWasComingToATargetWhileNoNodeWasNamed_isInDoubtAtTheNext",
                new Mutant().with(CLUSTER + "ClusterMap.java", "shard.hearOthers(assignment, askedAt);", ""));
    }

    @ConcurrentTest
    void deadNodeOfWhichATargetKeepsASlotCounted_isRefuted() throws Exception {
        assertRefuted(
                VIEW_TEST,
                "primary_ofWhichOnlySlotsAreLeftThatComeHere_isCountedUntilItHasFailed",
                new Mutant().with(CLUSTER + "NodeView.java", "!one.failed() || !one.slots()", "true || !one.slots()"));
    }
}
