// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.holdfast.simulation.MutantAssertions.assertFound;
import static org.holdfast.simulation.MutantAssertions.assertRefuted;
import static org.holdfast.simulation.Sources.GUARD;
import static org.holdfast.simulation.Sources.NETWORK;
import static org.holdfast.simulation.Sources.SCRIPTS;
import static org.holdfast.simulation.Sources.TERM;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bugs by which nodes that have forgotten, or have taken the place of others, are believed. */
@ExtendWith(QuietWorlds.class)
@Tag("nightly")
class MemoryMutantsTest {

    @ConcurrentTest
    void quarantineNotAwaitedWhereTheLockIsFree_isFound() throws Exception {
        assertFound("Violation: ", new Mutant().with(SCRIPTS + "acquire_free.lua", "and now - since >= linger", ""));
    }

    @ConcurrentTest
    void lingerMissingWhereItIsNoWordOfTheCall_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                "org/holdfast/redis/script/ShortCalls.java",
                                "ARGV[5] = \" + lingerMicros + \"",
                                "ARGV[5] = '0'"));
    }

    @ConcurrentTest
    void guardOff_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                NETWORK,
                                "SimulatedNode.PREFIX, acceptedSettings.widest().quarantine().toNanos() / 1_000);",
                                "SimulatedNode.PREFIX, 0);"));
    }

    @ConcurrentTest
    void restartWithoutQuarantine_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(32)
                        .with(
                                GUARD + "MemoryCheck.java",
                                "if (!mark.process().runId().equals(process.runId())) {",
                                "if (false) {")
                        .with(
                                GUARD + "MemoryCheck.java",
                                "if (before != null && isReplaced",
                                "if (false && isReplaced"));
    }

    @ConcurrentTest
    void votesOfAFormerPrimaryCountForEver_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(30)
                        .amidst("FAILOVER")
                        .with(
                                TERM + "Terms.java",
                                "return Math.max(time.nanoTime() - known.askedAt(), byWall);",
                                "return 0;"));
    }

    @ConcurrentTest
    void nextPrimaryAskedAtOnce_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(64)
                        .amidst("FAILOVER")
                        .with(
                                GUARD + "Eligibility.java",
                                "if (appointment.isPresent() && !isMarked(",
                                "if (false && !isMarked("));
    }

    @ConcurrentTest
    void noQuarantineAfterAPromotion_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .amidst("FAILOVER")
                        .with(
                                GUARD + "MarkChanges.java",
                                "return mark.process().runId().equals(change.process().runId()) ? change : change.ofAnotherClock();",
                                "return note(sight, mark.sinceMicros(), 0, 0, mark.steadyMicros(), change.acceptedSettings(), \"\");"));
    }

    @ConcurrentTest
    void epochsNotComparedWhereWitnessesNameTheSamePlace_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(554)
                        .amidst("FAILOVER")
                        .with(
                                TERM + "Witnesses.java",
                                "other.agreement().equals(one.agreement())",
                                "other.place().equals(one.place())"));
    }

    @ConcurrentTest
    void epochOfAFailoverBackIgnored_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .amidst("FAILOVER")
                        .with(
                                GUARD + "NodeFacts.java",
                                "return promotion + \"@\" + epoch;",
                                "return promotion + \"@\";"));
    }

    @ConcurrentTest
    void processAtTheAddressNotCompared_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .amidst("FAILOVER_ASTRAY")
                        .with(
                                "org/holdfast/simulation/Whereabouts.java",
                                "term.process().equals(process.runId())",
                                "true"));
    }

    @ConcurrentTest
    void processesNotComparedWhereWitnessesNameTheSamePlace_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(137)
                        .amidst("FAILOVER_ASTRAY,CUT_OFF,CLIENT_PAUSE")
                        .with(
                                TERM + "Witnesses.java",
                                "other.agreement().equals(one.agreement())",
                                "other.place().equals(one.place()) && other.epoch() == one.epoch()"));
    }

    /**
     * By witnesses that were all lost meanwhile, and count their epochs from the beginning again. It does harm only
     * where the promoted process is in quarantine for less time than votes of the former one count: worlds seldom have
     * that.
     */
    @ConcurrentTest
    void termThatIsNamedAgainAfterItsVotesHaveLapsedTakenForTheSame_isFound() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.term.TermsTest",
                "term_thatIsNamedAgain_whenItsVotesCountNoMore_isAnotherOne",
                new Mutant()
                        .with(
                                TERM + "Terms.java",
                                "return mayBeginAgain && askedAt - known.askedAt() > countsNanos;",
                                "return false;"));
    }

    /** In the same epoch another process has come to the place of the one that goes on for some clients. */
    @ConcurrentTest
    void processThatIsAnotherOneAtTheSamePlaceAskedAtOnce_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .amidst("FAILOVER_ASTRAY")
                        .with(
                                TERM + "Terms.java",
                                "agreement.process(), time.nanoTime()",
                                "agreement.process(), known != null && known.term().place().equals(agreement.place()) ? known.term().learnedAt() : time.nanoTime()"));
    }

    @ConcurrentTest
    void processNotAskedBehindAProxy_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant().lastSeenIn(922).with(SCRIPTS + "process.lua", "if ARGV[5] ~= '0' then", "if false then"));
    }

    @ConcurrentTest
    void evictionNotSeen_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(199)
                        .with(GUARD + "Eligibility.java", "if (facts.mayEvict()) {", "if (false) {")
                        .with(GUARD + "MemoryCheck.java", "process.evictions() != marked.evictions()", "false")
                        .with(GUARD + "MemoryCheck.java", "!sight.heartbeat() && early", "false"));
    }

    /** A node has all names of a lease or none, unless it has lost single keys. */
    @ConcurrentTest
    void quarantineOfTheSecondNameNotLookedAt_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .lastSeenIn(1_387)
                        .amidst("EVICTION")
                        .with(SCRIPTS + "renew.lua", "missing = true", "missing = missing or i == 1"));
    }

    @ConcurrentTest
    void quarantinedNodeThatExtendsNothing_isFound() throws Exception {
        assertFound(
                "Violation: 8:",
                new Mutant()
                        .lastSeenIn(124)
                        .with(SCRIPTS + "renew.lua", "missing and forgotten(lingerMicros)", "forgotten(lingerMicros)"));
    }

    @ConcurrentTest
    void nodeHealedInQuarantine_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant().with(SCRIPTS + "renew.lua", "missing and forgotten(lingerMicros)", "false"));
    }

    @ConcurrentTest
    void quarantineHalfAsLong_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .with(
                                SCRIPTS + "quarantine.lua",
                                "local whole = since + quarantineOf(lingerMicros)",
                                "local whole = since + quarantineOf(lingerMicros) / 2"));
    }
}
