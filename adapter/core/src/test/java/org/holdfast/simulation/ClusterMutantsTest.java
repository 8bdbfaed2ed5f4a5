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

    /** A client that starts would not know what others have noted: in these worlds each client notes it itself. */
    @ConcurrentTest
    void signToTheHomeOfAShardIgnored_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "SecondHomeTest",
                "client_thatStartsAtANewDoor_looksInAllSlotsForTheHome_once",
                new Mutant().with(CLUSTER + "Home.java", "sign -> sign.leadsTo(door)", "sign -> -1"));
    }

    @ConcurrentTest
    void markThatIsLeftByAClientThatFollowsASign_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "HomeSearchTest",
                "homes_thatDifferAndAreNoDoor_becomeOne_andWhatIsLeftIsVoid",
                new Mutant().with(CLUSTER + "Home.java", "slot == door ? \"\" : tag()", "\"\""));
    }

    /** A sign that cannot be read while its slot is moved, and clients that start meanwhile, are in no world. */
    @ConcurrentTest
    void lookNotedWhereNoSignLeads_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.guard.NodeGuardTest",
                "look_whereItIsNotKnownThatAllClientsHaveThatMark_isNotNoted_butAQuarantineBegins",
                new Mutant().with(GUARD + "NodeGuard.java", "isNote && !probe.mayNote()", "false"));
    }

    @ConcurrentTest
    void markNotedWhileTheSignLeadsElsewhere_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.redis.script.MarkBySignTest",
                "look_whileAnotherSignStandsThere_isNotNoted",
                new Mutant().with(SCRIPTS + "mark.lua", "if sign ~= ARGV[12] then", "if false then"));
    }

    @ConcurrentTest
    void lockAskedForWhereNoSignLeads_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "HomeSearchTest",
                "sign_inASlotThatIsBeingMoved_isNotWaitedFor_byAClientThatHasAHome_butItAsksForNoLock",
                new Mutant()
                        .with(CLUSTER + "KnownHome.java", "        if (lead.isEmpty()) {\n", "        if (false) {\n"));
    }

    @ConcurrentTest
    void homeBegunWhereThereIsAnother_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "SecondHomeTest",
                "client_thatStartsAtANewDoor_looksInAllSlotsForTheHome_once",
                new Mutant()
                        .with(
                                CLUSTER + "HomeSearch.java",
                                "step instanceof Home.Step.WriteSign && !home.isFound()",
                                "false"));
    }

    @ConcurrentTest
    void clientThatStartsBeforeOthersCouldNoteWhatTheySaw_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.guard.NewcomerTest",
                "clientThatStarts_whereNoLookWasNotedForSomeSeconds_waitsForTwoLooksOfOthers",
                new Mutant().with(GUARD + "Newcomer.java", "!facts.clustered() || !isNew ||", "true ||"));
    }

    @ConcurrentTest
    void clientThatStoodStillTakenForOneThatKnows_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.guard.NewcomerTest",
                "clientThatHasLookedBefore_waitsIfItHasNotHeardOfTheShardMeanwhile",
                new Mutant()
                        .with(GUARD + "Newcomer.java", "last == null || heardSince - last.at() > 0", "last == null"));
    }

    @ConcurrentTest
    void clientThatWaitsForOthersAsksForLocks_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.guard.NewcomerTest",
                "clientThatStarts_whereNoLookWasNotedForSomeSeconds_waitsForTwoLooksOfOthers",
                new Mutant().with(GUARD + "NodeGuard.java", "probe.letOthersGoFirst();", ""));
    }

    @ConcurrentTest
    void secondHomeOverruledByAClientThatStoodStill_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "SecondHomeTest",
                "client_thatHasNotLookedForSomeSeconds_followsASecondHome_andItsOwnIsVoid",
                new Mutant().with(CLUSTER + "Home.java", "named == door && isKept", "named == door"));
    }

    @ConcurrentTest
    void markAtADoorWithoutASignTrusted_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "SecondHomeTest",
                "mark_atADoorWithoutASign_isVoidWhenAHomeIsBegunThere",
                new Mutant().with(CLUSTER + "Home.java", "ours.isPresent() || begins", "ours.isPresent()"));
    }

    @ConcurrentTest
    void signAtTheHomeLost_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "SecondHomeTest",
                "signAtTheHome_isWrittenAnew_whereTheDoorIsAnother",
                new Mutant().with(CLUSTER + "HomeSearch.java", "!seen.get().equals(here)", "false"));
    }

    @ConcurrentTest
    void signAtAFormerDoorBelieved_isRefuted() throws Exception {
        assertRefuted(
                TESTS + "HomeSearchTest",
                "home_isSharedNoMore_onceTheDoorIsAnother_orNoSignWasReadForSomeSeconds",
                new Mutant().with(CLUSTER + "KnownHome.java", "!hasSameDoor || !next.equals(home)", "false"));
    }

    @ConcurrentTest
    void markThatNoClientHasNotedForTheLongestTtlTrusted_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.guard.MemoryCheckTest",
                "memory_ofAShard_isDoubted_onceNoClientHasLookedForNearlyTheLongestTtl",
                new Mutant().with(GUARD + "MemoryCheck.java", "facts.clustered() && isLong", "false"));
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
