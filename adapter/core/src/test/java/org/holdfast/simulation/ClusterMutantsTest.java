// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.holdfast.simulation.MutantAssertions.assertFound;
import static org.holdfast.simulation.MutantAssertions.assertRefuted;
import static org.holdfast.simulation.Sources.CLUSTER;
import static org.holdfast.simulation.Sources.GUARD;
import static org.holdfast.simulation.Sources.SCRIPTS;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bugs of voters that are clusters, which the simulation must find, or the test of a class. */
@ExtendWith(QuietWorlds.class)
@Tag("nightly")
class ClusterMutantsTest {

    private static final String TESTS = "org.holdfast.redis.cluster.";

    @ConcurrentTest
    void oneViewForAMajority_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(3)
                        .amidst("SHARD_SUPPLANTED")
                        .with(CLUSTER + "Assignment.java", "agreed(voices, primaries / 2 + 1)", "agreed(voices, 1)"));
    }

    @ConcurrentTest
    void witnessesLeftOut_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(40)
                        .amidst("SHARD_SUPPLANTED")
                        .with(CLUSTER + "Assignment.java", "return others >= witnesses();", "return true;"));
    }

    @ConcurrentTest
    void slotThatIsNotNotedCounted_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(6)
                        .amidst("SLOT_GIVEN_UP_UNSEEN")
                        .with(CLUSTER + "Shard.java", "return now.doubts().isUnnoted(slot) || !now", "return !now"));
    }

    /** The record of slots would have each slot wait, too. */
    @ConcurrentTest
    void noQuarantineAfterAPromotionInACluster_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(26)
                        .amidst("SHARD_CRASH,SHARD_ISOLATED")
                        .with(
                                GUARD + "MarkChanges.java",
                                "return mark.process().runId().equals(change.process().runId()) ? change :"
                                        + " change.ofAnotherClock();",
                                "return note(sight, mark.sinceMicros(), 0, 0, mark.steadyMicros(),"
                                        + " change.acceptedSettings(), \"\");")
                        .with(
                                CLUSTER + "SlotRecord.java",
                                "boolean ours = writer.node().equals(node);",
                                "boolean ours = true;")
                        .with(CLUSTER + "Shard.java", "before.isNone() ||", "true ||"));
    }

    @ConcurrentTest
    void recordOfSlotsNotConsulted_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(23)
                        .amidst("SLOT_TAKEN")
                        .with(SCRIPTS + "shard_whole.lua", "if not refusal and now < whole then", "if false then"));
    }

    @ConcurrentTest
    void slotThatWasAwayForAMomentNotNoticed_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(5)
                        .amidst("SLOT_AWAY_UNSEEN")
                        .with(SCRIPTS + "shard.lua", "(kept or listed) and millis or 0", "0"));
    }

    @ConcurrentTest
    void listOfUsedSlotsThatWasLostTrusted_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .amidst("SLOT_AWAY_UNLISTED")
                        .with(
                                SCRIPTS + "shard.lua",
                                "since == 0 and not isBehind and sinceUnlisted(usedSlots) or since",
                                "since"));
    }

    /** In these worlds no client trusts what stands there, as none has looked for the longest TTL. */
    @ConcurrentTest
    void nodeThatTakesItsSlotsBackBelieved_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "ShardTest",
                "epochThatRises_whileNoClientLooks_isASlotThatWasAway",
                new Mutant().with(CLUSTER + "Shard.java", "before.epoch() == own.epoch() ||", "true ||"));
    }

    @ConcurrentTest
    void moveGivenUpTakenForNone_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .amidst("SLOT_GIVEN_UP")
                        .with(CLUSTER + "SlotDoubts.java", "return uncertain;", "return new BitSet();"));
    }

    /** A record of the present epoch is right in these worlds: in none of them two clusters become one. */
    @ConcurrentTest
    void recordThatGoesBackToBeforeAnotherNodeBelieved_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "ShardTest",
                "record_thatGoesBackToBeforeAnotherNodeWasNamed_isWrong",
                new Mutant().with(CLUSTER + "SlotRecord.java", "entry.sinceMicros() < named", "false"));
    }

    @ConcurrentTest
    void shardOfWhichAClientHasNotHeardForLongTakenForTheSame_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "ClusterMapTest",
                "shard_thatThisClientHasNotHeardOfForAWhile_settlesAnew",
                new Mutant()
                        .with(
                                CLUSTER + "ClusterMap.java",
                                "return shard.terms().age().filter(age -> age.compareTo(round) <= 0).isPresent();",
                                "return true;"));
    }

    @ConcurrentTest
    void recordOfAnyNodeInherited_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "SlotRecordTest",
                "parse_recordOfTheNodeBefore_countsWhereItsDataIsContinuedAndDurable",
                new Mutant()
                        .with(
                                CLUSTER + "SlotRecord.java",
                                "inheritedBeforeMicros > 0 && ids.continues(writer.dataSet());",
                                "inheritedBeforeMicros > 0;"));
    }

    @ConcurrentTest
    void slotThatIsNewByTheNextClockInherited_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "SlotRecordTest",
                "parse_recordOfTheNodeBefore_countsWhereItsDataIsContinuedAndDurable",
                new Mutant().with(CLUSTER + "SlotRecord.java", "if (since < beforeMicros) {", "if (true) {"));
    }

    @ConcurrentTest
    void epochOfANodeThatAClientHasMissedBelieved_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "EpochWatchTest",
                "epochOfTheNodeBefore_isNotKnown_whereThisClientDidNotAskMeanwhile",
                new Mutant().with(CLUSTER + "EpochWatch.java", "missed ? UNKNOWN : now", "now"));
    }

    @ConcurrentTest
    void laterEpochExplainedWhereNoSignLeads_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "ShardTest",
                "epochThatRises_whereNoSignLeadsToTheHome_isNoSlotThatCame",
                new Mutant().with(CLUSTER + "Shard.java", "|| led && isWatched", "|| isWatched"));
    }

    @ConcurrentTest
    void laterEpochExplainedAfterAGap_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "ShardTest",
                "epochThatRises_whileAClientDoesNotAsk_isNoSlotThatCame",
                new Mutant().with(CLUSTER + "Shard.java", "&& own.at() - known.own().at() < WATCHED_NANOS", ""));
    }

    @ConcurrentTest
    void homeOfANodeThatAClientHasMissedKept_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "SecondHomeTest",
                "client_thatHasNotHeardOfTheNodeForSomeSeconds_looksInAllSlotsAsOneThatStarts",
                new Mutant()
                        .with(
                                CLUSTER + "Shard.java",
                                "if (missed && !known.equals(OwnWord.UNKNOWN)) {",
                                "if (false) {"));
    }

    @ConcurrentTest
    void failoverThatAClientHasMissedTakenOver_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.guard.NewcomerTest",
                "clientThatHasMissedWhatBecameOfThePrimary_takesNothingOver",
                new Mutant()
                        .with(
                                GUARD + "Newcomer.java",
                                "last != null && probe.hasWatchedSince(last.at())",
                                "last != null"));
    }

    @ConcurrentTest
    void failoverAfterAJumpOfTheClockTakenOver_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.guard.NewcomerTest",
                "clientThatSawTheClockOfTheFormerPrimaryJump_takesNothingOver",
                new Mutant().with(GUARD + "NodeGuard.java", "|| clockMonitor.wasDoubted(node)", ""));
    }

    @ConcurrentTest
    void failoverTakenOverWhereNoSignLeads_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.guard.NewcomerTest",
                "clientThatDoesNotKnowWhereOthersLook_takesNothingOver_untilItDoes",
                new Mutant().with(GUARD + "NodeGuard.java", "return probe.mayNote()\n", "return true\n"));
    }

    @ConcurrentTest
    void settingsOfOthersForgottenAtANewNode_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.guard.GuardSettingsTest",
                "process_withOtherSettings_doesNotSetTheirs_onANodeThatIsNew",
                new Mutant().with(GUARD + "NodeGuard.java", "if (theirs.isPresent()) {", "if (false) {"));
    }

    @ConcurrentTest
    void newNodeMarkedBeforeOthersWereLookedAt_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.guard.FirstLooksTest",
                "nodeThatIsOneOfMany_isMarkedWhenTheOthersWereLookedAt",
                new Mutant()
                        .with(
                                GUARD + "NodeGuard.java",
                                "appointment().isPresent() && rest > 0",
                                "appointment().isEmpty()"));
    }
}
