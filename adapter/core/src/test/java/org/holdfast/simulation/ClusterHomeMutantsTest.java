// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.holdfast.simulation.MutantAssertions.assertRefuted;
import static org.holdfast.simulation.Sources.CLUSTER;
import static org.holdfast.simulation.Sources.GUARD;
import static org.holdfast.simulation.Sources.SCRIPTS;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bugs by which clients look for what a shard keeps of itself where others do not, or trust what is left there. */
@ExtendWith(QuietWorlds.class)
@Tag("nightly")
class ClusterHomeMutantsTest {

    private static final String TESTS = "org.holdfast.redis.cluster.";

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
}
