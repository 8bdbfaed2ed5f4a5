// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.holdfast.simulation.MutantAssertions.assertFound;
import static org.holdfast.simulation.MutantAssertions.assertRefuted;
import static org.holdfast.simulation.Sources.LATCH;
import static org.holdfast.simulation.Sources.LEASE;
import static org.holdfast.simulation.Sources.QUEUE;
import static org.holdfast.simulation.Sources.QUORUM;
import static org.holdfast.simulation.Sources.SCRIPTS;
import static org.holdfast.simulation.Sources.WAITING;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bugs of readers and writers, several names, permits, latches and waiters in line. */
@ExtendWith(QuietWorlds.class)
@Tag("nightly")
class ShapeMutantsTest {

    @ConcurrentTest
    void readerAdmittedWhileTheLockIsHeldAlone_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant().with(SCRIPTS + "acquire_reading.lua", "if holder and not base then", "if false then"));
    }

    @ConcurrentTest
    void writerAdmittedWhileOthersRead_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                SCRIPTS + "acquire.lua",
                                "  else\n    local held, unsure = lockHeldFor",
                                "  elseif not string.match(owner, '^readers') then\n    local held, unsure = lockHeldFor"));
    }

    @ConcurrentTest
    void releaseOfOneReaderForAll_isFound() throws Exception {
        assertFound(
                "Violation: 3:",
                new Mutant()
                        .with(SCRIPTS + "release_reading.lua", "over = left <= 0", "over = true")
                        .with(SCRIPTS + "release_reading.lua", "remain = left + linger > 0", "remain = false"));
    }

    @ConcurrentTest
    void readersGraveMissing_isFound() throws Exception {
        assertFound(
                "Violation: 3:",
                new Mutant()
                        .lastSeenIn(38)
                        .with(
                                SCRIPTS + "release_reading.lua",
                                "  if tombstoneToken > 0 then\n    local ends",
                                "  if false then\n    local ends"));
    }

    @ConcurrentTest
    void readersTokenNotChecked_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                SCRIPTS + "acquire_reading.lua",
                                "if tonumber(ARGV[2]) <= tonumber(base) or known < 0 then",
                                "if known < 0 then"));
    }

    @ConcurrentTest
    void readersTokenNotCheckedByRenewal_isFound() throws Exception {
        assertFound(
                "Violation: 3:",
                new Mutant()
                        .lastSeenIn(395)
                        .with(
                                SCRIPTS + "renew_reading.lua",
                                "if tonumber(ARGV[2]) < tonumber(holder and leased or lease) or known < 0 then",
                                "if known < 0 then"));
    }

    @ConcurrentTest
    void renewalOfOneReaderThatForgetsOthers_isFound() throws Exception {
        assertFound(
                "Violation: 3:",
                new Mutant()
                        .with(
                                SCRIPTS + "renew_reading.lua",
                                "if holder == ARGV[1] then",
                                "if holder == ARGV[1] or base then"));
    }

    @ConcurrentTest
    void downgradeThatReleases_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .with(
                                LEASE + "HeldLock.java",
                                "onlyReaders ? LeaseShare.ReleaseEffect.DOWNGRADE",
                                "onlyReaders ? LeaseShare.ReleaseEffect.RELEASE"));
    }

    @ConcurrentTest
    void oneOfSeveralNamesNotLookedAt_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                SCRIPTS + "acquire.lua",
                                "for i = 1, keys, 2 do\n  local owner",
                                "for i = 1, 2, 2 do\n  local owner"));
    }

    @ConcurrentTest
    void oneOfSeveralNamesNotReleased_isFound() throws Exception {
        assertFound(
                "Violation: 3:",
                new Mutant().with(SCRIPTS + "release.lua", "for i = 1, 2 * names, 2 do", "for i = 1, 2, 2 do"));
    }

    @ConcurrentTest
    void onePermitTooMany_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .with(
                                WAITING + "Claims.java",
                                "request.name(), request.permits(), (int) randomness",
                                "request.name(), request.permits() + 1, (int) randomness")
                        .with(
                                WAITING + "Claims.java",
                                "free.isEmpty() || free.getAsInt() >= request.permits()",
                                "free.isEmpty()"));
    }

    @ConcurrentTest
    void ticketBeforeNotLookedAt_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(54)
                        .with(
                                SCRIPTS + "queue.lua",
                                "if first[1] and tonumber(first[2]) < number then",
                                "if false then"));
    }

    @ConcurrentTest
    void lateTicketPutBeforeOthers_isFound() throws Exception {
        assertFound(
                "Violation: 6:",
                new Mutant().lastSeenIn(93).with(SCRIPTS + "queue.lua", "if number <= largest then", "if false then"));
    }

    /** A caller that waits for the other nodes to answer seldom sees less than they know, so this one does not wait. */
    @ConcurrentTest
    void ticketWithoutAPlaceAtAQuorum_isFound() throws Exception {
        assertFound(
                "Violation: 6:",
                new Mutant()
                        .lastSeenIn(287)
                        .with(
                                QUORUM + "Tally.java",
                                "return ticketToExceed() > enough(tickets, accepted() + pending().size());",
                                "return false;")
                        .with(
                                QUORUM + "Tally.java",
                                "return ticketRefusals > 0 && acknowledged.size() - ticketRefusals < quorum();",
                                "return ticketRefusals > nodes - quorum();"));
    }

    @ConcurrentTest
    void lockHandedOffWhoeverComesNextByTheNodes_isFound() throws Exception {
        assertFound(
                "Violation: 6:",
                new Mutant()
                        .lastSeenIn(93)
                        .with(
                                QUEUE + "Places.java",
                                "return mine == null ? !demand.isInTurn() : old.cohort().isNext(mine.number());",
                                "return mine == null ? !demand.isInTurn() : old.token() != mine.number();"));
    }

    @ConcurrentTest
    void firstTicketBehindNotReported_isFound() throws Exception {
        assertFound(
                "Violation: 6:",
                new Mutant()
                        .lastSeenIn(93)
                        .with(
                                SCRIPTS + "granted_in_turn.lua",
                                "behind[i / 2 - 1] = tonumber(tickets[i])",
                                "behind[i / 2 - 1] = tonumber(tickets[i + 2])"));
    }

    /** While nothing goes wrong nodes seldom differ at the moment of a grant. */
    @ConcurrentTest
    void ticketsBehindByOneNode_isFound() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.quorum.TokenVotesTest",
                "acquire_ticketsBehindThatDiffer",
                new Mutant()
                        .with(
                                QUORUM + "Tally.java",
                                "granted.isEmpty() ? grant.behind() : commonBeginning(behind, grant.behind());",
                                "grant.behind();"));
    }

    /** Of callers that wait for long: those of the simulation give up before. */
    @ConcurrentTest
    void waitersOfALeaseThatEndedByItselfThatAskSeldom_isFound() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.waiting.FailedAttemptsTest",
                "waiters_ofALeaseThatEndedByItself",
                new Mutant()
                        .with(
                                WAITING + "FailedAttempts.java",
                                "if (hasExpiry && begun - expiry >= 0) {",
                                "if (false) {"));
    }

    @ConcurrentTest
    void waiterNotWokenByARelease_isFound() throws Exception {
        assertFound(
                "Violation: 4:",
                new Mutant()
                        .lastSeenIn(518)
                        .with(
                                WAITING + "Acquiring.java",
                                "news = true; // a holder has released the lock, or a waiter has left; unlike when time has passed",
                                ""));
    }

    @ConcurrentTest
    void readersThatDoNotWaitForWriters_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(54)
                        .with(
                                SCRIPTS + "queue.lua",
                                "for i = 3, reads and 3 or 4 do",
                                "for i = 3, reads and 2 or 4 do"));
    }

    @ConcurrentTest
    void ticketKeptForEver_isFound() throws Exception {
        assertFound("Violation: 4:", new Mutant().with(QUEUE + "Tickets.java", "kept.remove(ticket.id());", ""));
    }

    @ConcurrentTest
    void ticketOfAHandedLockNotTakenAway_isFound() throws Exception {
        assertFound(
                "Violation: ", new Mutant().with(QUEUE + "LeftTickets.java", "        handedOff.add(ticket);\n", ""));
    }

    @ConcurrentTest
    void fenceOfTheSecondNameNotHealed_isFound() throws Exception {
        assertFound(
                "Violation: 2:",
                new Mutant()
                        .lastSeenIn(77)
                        .with(
                                SCRIPTS + "renew.lua",
                                "  record(KEYS[i + 1], larger(last, lease), lease, ends, ARGV[4])",
                                "  if i == 1 then record(KEYS[i + 1], larger(last, lease), lease, ends, ARGV[4]) end"));
    }

    @ConcurrentTest
    void callThatCountsAgainWhenSentAgain_isFound() throws Exception {
        assertFound("Violation: 9:", new Mutant().with(LATCH + "Latches.java", "Set.of(id)", "Set.of(newId())"));
    }

    @ConcurrentTest
    void callCountedAtEachNode_isFound() throws Exception {
        assertFound(
                "Violation: 9:",
                new Mutant()
                        .with(
                                LATCH + "Count.java",
                                "union.size() >= latch.count()",
                                "counted.stream().mapToInt(each -> each.ids().size()).sum() >= latch.count()"));
    }

    @ConcurrentTest
    void callsOfTheLowerGenerationKept_isFound() throws Exception {
        assertFound(
                "Violation: 9:",
                new Mutant()
                        .with(
                                SCRIPTS + "use_latch.lua",
                                "string.gmatch(isKnown and text or ''",
                                "string.gmatch(text or ''"));
    }

    @ConcurrentTest
    void callThatCountsTwiceAtANode_isFound() throws Exception {
        assertFound(
                "Violation: 9:",
                new Mutant().with(SCRIPTS + "use_latch.lua", " and not recorded[ARGV[i]] then", " then"));
    }

    @ConcurrentTest
    void callConfirmedByOneNode_isFound() throws Exception {
        assertFound(
                "Violation: 9:",
                new Mutant().with(LATCH + "Count.java", "counted.size() > nodes / 2", "counted.size() > 0"));
    }
}
