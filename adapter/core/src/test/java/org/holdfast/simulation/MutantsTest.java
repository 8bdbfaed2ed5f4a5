// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.simulation.MutantAssertions.assertFound;
import static org.holdfast.simulation.MutantAssertions.assertRefuted;
import static org.holdfast.simulation.Sources.CONNECTION;
import static org.holdfast.simulation.Sources.LEASE;
import static org.holdfast.simulation.Sources.QUORUM;
import static org.holdfast.simulation.Sources.SCRIPTS;
import static org.holdfast.simulation.Sources.WAITING;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bugs that the simulation must find, each in other worlds: a checker that cannot fail proves nothing. */
@ExtendWith(QuietWorlds.class)
@Tag("nightly")
class MutantsTest {

    @ConcurrentTest
    void noBug_isNotFound() throws Exception {
        assertThat(new Mutant()
                        .with(QUORUM + "Tally.java", "return nodes / 2 + 1;", "return (nodes + 1) / 2;")
                        .simulate(50))
                .isNull();
    }

    @ConcurrentTest
    void quorumOfHalf_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant().with(QUORUM + "Tally.java", "return nodes / 2 + 1;", "return nodes / 2;"));
    }

    @ConcurrentTest
    void noValidityCheck_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant().with(LEASE + "HeldLock.java", "if (now - validUntil < 0) {", "if (true) {"));
    }

    @ConcurrentTest
    void validityFromAfterTheReplies_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .lastSeenIn(28)
                        .with(
                                QUORUM + "Redlock.java",
                                "if (tally.isGranted() && now - validUntil < 0 && now - drawnAt < timing.tokenNanos()) {",
                                "if (tally.isGranted()) { validUntil = time.nanoTime()"
                                        + " + timing.validityNanos(ttlMillis);"));
    }

    @ConcurrentTest
    void releaseWithoutOwnerCheck_isFound() throws Exception {
        assertFound(
                "Violation: 3:",
                new Mutant().with(SCRIPTS + "release.lua", "if owner == ARGV[1] or not owner then", "if true then"));
    }

    @ConcurrentTest
    void tokenNotCheckedWhereTheLockIsFree_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant().with(SCRIPTS + "acquire_free.lua", "tonumber(last) < tonumber(ARGV[2])", "true"));
    }

    @ConcurrentTest
    void lockOfAnotherOwnerReleasedAsHeld_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                SCRIPTS + "release_held.lua",
                                "if value and string.sub(value, -#ARGV[1]) == ARGV[1] then",
                                "if value then"));
    }

    @ConcurrentTest
    void noTombstoneLeftByAReleaseOfAHeldLock_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(70)
                        .with(
                                SCRIPTS + "release_held.lua",
                                "redis.call('SET', KEYS[2], ARGV[2], 'KEEPTTL')",
                                "redis.call('SET', KEYS[2], last, 'KEEPTTL')"));
    }

    @ConcurrentTest
    void tokenNotChecked_isFound() throws Exception {
        assertFound("Violation: ", new Mutant().with(SCRIPTS + "acquire.lua", "if largest > 0 then", "if false then"));
    }

    @ConcurrentTest
    void renewalThatExtendsAfterLoss_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                LEASE + "HeldLock.java",
                                "        lose(endReason(), now);\n        return false;",
                                "        return false;")
                        .with(
                                LEASE + "HeldLock.java",
                                "        if (!isHeld(now)) {\n            return false;\n        }\n        lastFailure = null;",
                                "        lastFailure = null;")
                        .with(LEASE + "Renewals.java", "if (next.isHeld(now)) {", "if (true) {")
                        .with(LEASE + "Renewals.java", "if (!heldLock.isHeld(time.nanoTime())) {", "if (false) {"));
    }

    @ConcurrentTest
    void lateReplyTakenForTheNextRequests_isFound() throws Exception {
        assertFound(
                "Violation",
                new Mutant()
                        .lastSeenIn(100)
                        .with(
                                CONNECTION,
                                "&& unanswered.contains(request)) {\n            break_();",
                                "&& unanswered.remove(request)) {\n            request.answers().answered(new Answer(node, new Reply.NoAnswer(\"late\"), 0));")
                        .with(
                                CONNECTION,
                                "|| broken || unanswered.peekFirst() != request) {",
                                "|| broken || unanswered.isEmpty()) {"));
    }

    @ConcurrentTest
    void renewalEndedByAContendersTombstone_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                QUORUM + "Redlock.java",
                                "nodes.send(Command.Release.ofAttempt(claim), reachable)",
                                "nodes.send(Command.Release.ofLease(claim), NodeSet.first(nodes.count()))")
                        .with(
                                SCRIPTS + "renew.lua",
                                "  if owner == ARGV[1] then\n",
                                "  local lease = tonumber((select(2, tokens(KEYS[i + 1]))))\n"
                                        + "  refused = token < lease and lease or refused\n"
                                        + "  if owner == ARGV[1] then\n"));
    }

    @ConcurrentTest
    void releaseWithoutTombstone_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(SCRIPTS + "release.lua", "if tonumber(last) < tombstoneToken then", "if false then")
                        .with(
                                SCRIPTS + "release.lua",
                                "elseif stands ~= lease or ends and wasMine then",
                                "elseif false then"));
    }

    @ConcurrentTest
    void releaseThatIsHealed_isFound() throws Exception {
        assertFound(
                "Violation: 3:", new Mutant().lastSeenIn(33).with(SCRIPTS + "release.lua", "stands = tombstone", ""));
    }

    @ConcurrentTest
    void undoneAttemptThatIsTakenLate_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                SCRIPTS + "release.lua",
                                "record(KEYS[i + 1], tombstone, stands, stays, ARGV[3])",
                                "record(KEYS[i + 1], stands, stands, stays, ARGV[3])"));
    }

    @ConcurrentTest
    void passedOnWithTheSameToken_isFound() throws Exception {
        assertFound(
                "Violation: 2:",
                new Mutant()
                        .with(
                                LEASE + "HeldLock.java",
                                "return claim.token() + cohort.passed();",
                                "return claim.token();"));
    }

    @ConcurrentTest
    void leaseOfACancelledRequestKept_isFound() throws Exception {
        assertFound(
                "Violation: 4:",
                new Mutant().lastSeenIn(66).with(WAITING + "AsyncAcquiring.java", "late.release();", ""));
    }

    @ConcurrentTest
    void renewalWithoutOwnerCheck_isFound() throws Exception {
        assertFound("Violation: 3:", new Mutant().with(SCRIPTS + "renew.lua", "refusalOf(longest, moment)", "nil"));
    }

    @ConcurrentTest
    void passedOnWithAValidityOfItsOwn_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .with(
                                LEASE + "Handoff.java",
                                "new QuorumResult.Acquired(time.nanoTime(), released.validUntil());",
                                "new QuorumResult.Acquired(time.nanoTime(),"
                                        + " time.nanoTime() + timing.validityNanos(released.claim().ttlMillis()));")
                        .with(LEASE + "Handoff.java", "&& now - heldLock.cohort().since() < LONGEST_NANOS", "")
                        .with(
                                LEASE + "Handoff.java",
                                "&& heldLock.validUntil() - now >= timing.validityNanos(claim.ttlMillis()) / 2",
                                ""));
    }

    @ConcurrentTest
    void minimumThatEndsWithTheRelease_isFound() throws Exception {
        assertFound("Violation: 7:", new Mutant().with(LEASE + "Releases.java", "if (kept > 0) {", "if (false) {"));
    }

    /** Sending takes time, and a node counts the TTL from when it receives the command. */
    @ConcurrentTest
    void validityFromAfterTheSend_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .lastSeenIn(95)
                        .with(
                                QUORUM + "Redlock.java",
                                "        long patience = time.nanoTime() + timing.patienceNanos(ttlMillis); // sending",
                                "        started = time.nanoTime(); validUntil = started + timing.validityNanos(ttlMillis);\n"
                                        + "        long patience = time.nanoTime() + timing.patienceNanos(ttlMillis); // sending"));
    }

    @ConcurrentTest
    void renewalThatCountsFromItsAnswers_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .lastSeenIn(26)
                        .with(
                                QUORUM + "Redlock.java",
                                "new RenewalResult.Extended(renewing.started() + timing",
                                "new RenewalResult.Extended(time.nanoTime() + timing"));
    }

    @ConcurrentTest
    void acquisitionThatComesTwiceUnderALargerTombstone_isFound() throws Exception {
        assertFound(
                "Violation: 2:",
                new Mutant()
                        .with(SCRIPTS + "acquire.lua", "not (known[i] and tonumber(ARGV[8]) >= last)", "not known[i]"));
    }

    @ConcurrentTest
    void supersededLeaseKept_isFound() throws Exception {
        assertFound(
                "Violation: 5:",
                new Mutant()
                        .lastSeenIn(294)
                        .with(QUORUM + "Redlock.java", "if (tally.isSuperseded()) {", "if (false) {"));
    }

    @ConcurrentTest
    void lostLeaseWithAMinimumTakenBack_isFound() throws Exception {
        assertFound(
                "Violation: 7:",
                new Mutant()
                        .lastSeenIn(390)
                        .with(
                                LEASE + "Losses.java",
                                "if (heldLock.keptNanos(time.nanoTime()) == 0 && !heldLock.isLeft()) {",
                                "if (true) {"));
    }

    @ConcurrentTest
    void maxHoldIgnored_isFound() throws Exception {
        assertFound(
                "Violation: 5:",
                new Mutant()
                        .with(
                                LEASE + "HeldLock.java",
                                "this.endsAt = startedAt + terms.maxHoldNanos();",
                                "this.endsAt = startedAt + Long.MAX_VALUE / 2;"));
    }

    /** It finds the lock held, and is right to: no promise is broken in a world. */
    @ConcurrentTest
    void requestThatMayOvertakeAReleaseOfItsProcess_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.lease.UnawaitedReleaseTest",
                "nextRequest_forTheSameName_comesAfterTheRelease",
                new Mutant().with(WAITING + "Acquiring.java", "place.awaitReleases();", ""));
    }

    @ConcurrentTest
    void unawaitedReleaseNotSentAgain_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.lease.UnawaitedReleaseTest",
                "release_thatANodeDoesNotConfirm_isSentAgain",
                new Mutant()
                        .with(QUORUM + "UnawaitedRelease.java", "unfinished.addUnlessConfirmed(answer, release);", ""));
    }

    @ConcurrentTest
    void releaseOfALockThatIsKeptForAMinimumNotWaitedFor_isRefuted() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.lease.UnawaitedReleaseTest",
                "release_ofALockThatIsKeptForAMinimum_isWaitedFor",
                new Mutant().with(LEASE + "Releases.java", "&& heldLock.keptNanos(time.nanoTime()) == 0", ""));
    }
}
