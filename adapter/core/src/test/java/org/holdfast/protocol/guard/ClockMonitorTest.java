// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;

class ClockMonitorTest {

    private static final Command.Acquire ACQUIRE =
            AnyToken.acquire(new Claim(new Target.Exclusive("x"), new Owner("a".repeat(40)), 7, 1_000, 2_000));

    private static final double DRIFT = 0.01;
    private static final SharedSettings SETTINGS = new SharedSettings(30_000, 600_000, DRIFT);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long EPOCH_MICROS = 1_800_000_000_000_000L;

    /** Ours begins anywhere: here it passes the largest number after two seconds. */
    private static final long ORIGIN = Long.MAX_VALUE - 2 * SECOND;

    private final ClockMonitor clockMonitor = new ClockMonitor(3, SETTINGS);

    /** A node answers half way between, with a clock that is ahead by so much. */
    private boolean told(int node, long sent, long received, long aheadNanos) {
        long micros = EPOCH_MICROS + ((sent + received) / 2 + aheadNanos) / 1_000;
        return clockMonitor.note(node, 0, ORIGIN + sent, ORIGIN + received, micros);
    }

    @Test
    void clock_withinDriftAndRoundTrip_isBelieved() {
        assertThat(told(0, 0, 10 * MILLI, 0)).isTrue();
        assertThat(told(0, SECOND, SECOND + 10 * MILLI, 9 * MILLI)).isTrue();
        assertThat(told(0, 10 * SECOND, 10 * SECOND + 200 * MILLI, 90 * MILLI)).isTrue();
        assertThat(clockMonitor.doubted()).isEqualTo(NodeSet.NONE);
    }

    @Test
    void clock_setForward_isDoubtedByTheAnswerThatShowsIt() {
        told(0, 0, MILLI, 0);
        assertThat(told(0, SECOND, SECOND + MILLI, 50 * MILLI)).isFalse();
        assertThat(clockMonitor.isDoubted(0)).isTrue();
        assertThat(clockMonitor.describe(0)).isEqualTo("its clock jumped by 50 ms");
    }

    @Test
    void clock_setBack_grantsNothingThatCountsUntilAllProcessesHaveSeenIt() {
        told(0, 0, MILLI, 0);
        assertThat(told(0, SECOND, SECOND + MILLI, -SECOND)).isFalse();
        assertThat(clockMonitor.isDoubted(0)).isFalse();
        assertThat(clockMonitor.describe(0)).isEqualTo("its clock was set back by 1000 ms");
        assertThat(told(0, 4 * SECOND, 4 * SECOND + MILLI, -SECOND)).isFalse();
        assertThat(told(0, 5 * SECOND, 5 * SECOND + MILLI, -SECOND)).isTrue();
    }

    @Test
    void clock_setBack_isDoubtedWhenItIsSetRight() {
        told(0, 0, MILLI, 0);
        told(0, SECOND, SECOND + MILLI, -SECOND);
        assertThat(told(0, 2 * SECOND, 2 * SECOND + MILLI, 0)).isFalse();
        assertThat(clockMonitor.isDoubted(0)).isTrue();
    }

    @Test
    void clock_thatGainsALittleWithEachAnswer_isDoubtedAllTheSame() {
        boolean believed = true;
        for (long at = 0; believed && at < SECOND; at += MILLI) {
            believed = told(0, at, at + MILLI / 10, at / 12); // 8 %, as fast as clocks are slewed
        }
        assertThat(believed).isFalse();
    }

    @Test
    void answer_thatArrivesLateAndShowsAJump_isNotBelieved() {
        told(0, 0, MILLI, 0);
        told(0, 2 * SECOND, 2 * SECOND + MILLI, 0);
        assertThat(told(0, SECOND, SECOND + MILLI, 60 * SECOND)).isFalse();
    }

    @Test
    void bounds_ofQuickAnswers_narrowThoseOfSlowOnes() {
        told(0, 0, 200 * MILLI, 0);
        told(0, 210 * MILLI, 211 * MILLI, 0);
        assertThat(told(0, 220 * MILLI, 420 * MILLI, 0)).isTrue();
        assertThat(told(0, 430 * MILLI, 431 * MILLI, 20 * MILLI)).isFalse();
    }

    @Test
    void slowAnswer_thatHidesAJump_isBelieved_untilAQuickOneShowsIt() {
        told(0, 0, MILLI, 0);
        assertThat(told(0, SECOND, SECOND + 200 * MILLI, 50 * MILLI)).isTrue();
        assertThat(told(0, 2 * SECOND, 2 * SECOND + MILLI, 50 * MILLI)).isFalse();
    }

    @Test
    void grant_askedForBeforeTheQuarantine_countsForNothing_andLaterOnesDo() {
        told(0, 0, MILLI, 0);
        told(0, SECOND, SECOND + MILLI, SECOND);
        assertThat(told(0, SECOND + 2 * MILLI, SECOND + 3 * MILLI, SECOND)).isFalse();
        clockMonitor.settle(0, clockMonitor.doubt(0), ORIGIN + 2 * SECOND);
        assertThat(told(0, 2 * SECOND - MILLI, 2 * SECOND + MILLI, SECOND)).isFalse();
        assertThat(told(0, 2 * SECOND, 2 * SECOND + MILLI, SECOND)).isTrue();
    }

    @Test
    void answer_fromBeforeTheJumpThatComesLate_isNoJumpBack() {
        told(0, 0, MILLI, 0);
        told(0, SECOND, SECOND + MILLI, SECOND);
        assertThat(told(0, SECOND - 2 * MILLI, SECOND + 2 * MILLI, 0)).isFalse();
        assertThat(clockMonitor.describe(0)).isEqualTo("its clock jumped by 1000 ms");
    }

    @Test
    void grant_byAClockThatJumped_isWeighedAsNoAnswer_andWhatIsNoGrantStays() {
        told(1, 0, MILLI, 0);
        long ahead = EPOCH_MICROS + (SECOND + SECOND) / 1_000;
        Answer granted = new Answer(1, new Reply.Granted(), ahead);
        assertThat(clockMonitor
                        .weigh(granted, ACQUIRE, 0, ORIGIN + SECOND, ORIGIN + SECOND + MILLI)
                        .reply())
                .isInstanceOf(Reply.NoAnswer.class);
        Answer held = new Answer(1, new Reply.Held(5), ahead);
        assertThat(clockMonitor.weigh(held, ACQUIRE, 0, ORIGIN + SECOND, ORIGIN + SECOND + MILLI))
                .isSameAs(held);
    }

    @Test
    void grant_inAQuarantineThatALookHasFound_isWeighedAsNoAnswer_unlessItExtends() {
        told(1, 0, MILLI, 0);
        clockMonitor.admitted(1, 0, EPOCH_MICROS + 3 * SECOND / 1_000, 0);
        Answer granted = new Answer(1, new Reply.Granted(), EPOCH_MICROS + SECOND / 1_000);
        assertThat(clockMonitor
                        .weigh(granted, ACQUIRE, 0, ORIGIN + SECOND, ORIGIN + SECOND + MILLI)
                        .reply())
                .isEqualTo(new Reply.NoAnswer("in quarantine for another 2000 ms for this process, which has not"
                        + " watched its clock since the quarantine began"));
        Command renewal = new Command.Renew(ACQUIRE.claim());
        assertThat(clockMonitor.weigh(granted, renewal, 0, ORIGIN + SECOND, ORIGIN + SECOND + MILLI))
                .isSameAs(granted);

        Answer atItsEnd = new Answer(1, new Reply.Granted(), EPOCH_MICROS + 3 * SECOND / 1_000);
        assertThat(clockMonitor.weigh(atItsEnd, ACQUIRE, 0, ORIGIN + 3 * SECOND, ORIGIN + 3 * SECOND + MILLI))
                .isSameAs(atItsEnd);
    }

    @Test
    void secondJump_whileTheFirstIsBeingSettled_isStillDoubted() {
        told(0, 0, MILLI, 0);
        told(0, SECOND, SECOND + MILLI, SECOND);
        long doubt = clockMonitor.doubt(0);
        told(0, SECOND + 2 * MILLI, SECOND + 3 * MILLI, 2 * SECOND);
        clockMonitor.settle(0, doubt, ORIGIN + 2 * SECOND);
        assertThat(clockMonitor.isDoubted(0)).isTrue();
    }

    /** By clocks of which one is wrong, or has never answered. */
    @Test
    void ourWallClock_isFarFromTheNodes_whereAQuorumSaysSo() {
        long limit = 1_000_000;
        long now = ORIGIN + MILLI;
        told(0, 0, MILLI, 0);
        assertThat(clockMonitor.areFarFrom(EPOCH_MICROS + 2_000_000, now, limit))
                .as("the others have not answered")
                .isFalse();
        told(1, 0, MILLI, 0);
        assertThat(clockMonitor.areFarFrom(EPOCH_MICROS + 2_000_000, now, limit))
                .as("ours is ahead")
                .isTrue();
        assertThat(clockMonitor.areFarFrom(EPOCH_MICROS - 2_000_000, now, limit))
                .as("ours is behind")
                .isTrue();
        assertThat(clockMonitor.areFarFrom(EPOCH_MICROS + 990_000, now, limit)).isFalse();
        assertThat(clockMonitor.areFarFrom(EPOCH_MICROS - 990_000, now, limit)).isFalse();
        told(2, 0, MILLI, 4 * SECOND);
        assertThat(clockMonitor.areFarFrom(EPOCH_MICROS + 4_000_000, now, limit))
                .as("two of three are behind it")
                .isTrue();
        assertThat(clockMonitor.areFarFrom(EPOCH_MICROS, now, limit))
                .as("one of three is ahead of it")
                .isFalse();
    }

    /** A lock that may end by a clock that is behind would end too early. */
    @Test
    void earliestMoment_ofANodesClock_allowsForTheDriftSinceItsLastAnswer() {
        assertThat(clockMonitor.earliestMillis(0, ORIGIN)).as("not known").isZero();
        told(0, 0, 2 * MILLI, 0); // at the least 1 ms behind, as the answer may have come at once
        assertThat(clockMonitor.earliestMillis(0, ORIGIN + 2 * MILLI)).isEqualTo(EPOCH_MICROS / 1_000 + 2 - 1 - 2);
        assertThat(clockMonitor.earliestMillis(0, ORIGIN + 1_002 * MILLI))
                .as("1 % slow")
                .isEqualTo(EPOCH_MICROS / 1_000 + 1_002 - 1 - 2 - 10);
        assertThat(clockMonitor.isKnown(0)).isTrue();
        assertThat(clockMonitor.isKnown(1)).isFalse();
        told(0, 2 * SECOND, 2 * SECOND + MILLI, -SECOND);
        assertThat(clockMonitor.earliestMillis(0, ORIGIN + 3 * SECOND))
                .as("set back, and perhaps set right")
                .isZero();
    }

    private ClockMonitor.Finding find(int node, long now) {
        return clockMonitor.find(node, ORIGIN + now);
    }

    @Test
    void quorumAheadByTheSame_meansThatOursStoodStill_howeverLateTheSecondSaysSo() {
        for (int node = 0; node < 3; node++) {
            told(node, 0, MILLI, node * SECOND);
        }
        told(0, SECOND, SECOND + MILLI, 30 * SECOND);
        assertThat(find(0, SECOND + MILLI)).isEqualTo(ClockMonitor.Finding.OPEN);
        assertThat(clockMonitor.stoodStillNanos()).as("one of three").isZero();
        told(2, 2 * SECOND, 2 * SECOND + 3 * MILLI, 32 * SECOND);
        assertThat(find(0, 2 * SECOND + 3 * MILLI)).isEqualTo(ClockMonitor.Finding.CLIENT);
        assertThat(find(2, 2 * SECOND + 3 * MILLI)).isEqualTo(ClockMonitor.Finding.CLIENT);
        assertThat(clockMonitor.stoodStillNanos()).isBetween(29 * SECOND, 31 * SECOND);
        assertThat(clockMonitor.stoodStillNanos()).as("told once").isZero();
        told(1, 10 * SECOND, 10 * SECOND + MILLI, 31 * SECOND);
        assertThat(find(1, 10 * SECOND + MILLI)).isEqualTo(ClockMonitor.Finding.CLIENT);
        assertThat(clockMonitor.stoodStillNanos())
                .as("told once, also when the last says so")
                .isZero();
    }

    @Test
    void standstill_isSeenEvenAfterTheFirstNodeWasPutInQuarantineForIt() {
        for (int node = 0; node < 3; node++) {
            told(node, 0, MILLI, 0);
        }
        told(0, SECOND, SECOND + MILLI, 30 * SECOND);
        assertThat(find(0, 4 * SECOND)).as("no other node answered").isEqualTo(ClockMonitor.Finding.NODE);
        clockMonitor.settle(0, clockMonitor.doubt(0), ORIGIN + 4 * SECOND);
        told(1, 5 * SECOND, 5 * SECOND + MILLI, 30 * SECOND);
        assertThat(clockMonitor.stoodStillNanos()).isPositive();
    }

    @Test
    void jump_thatTheOthersDoNotShow_isTheirs() {
        for (int node = 0; node < 3; node++) {
            told(node, 0, MILLI, 0);
        }
        told(0, SECOND, SECOND + MILLI, 30 * SECOND);
        told(1, SECOND + 2 * MILLI, SECOND + 3 * MILLI, 0);
        assertThat(find(0, SECOND + 3 * MILLI)).as("one says no").isEqualTo(ClockMonitor.Finding.OPEN);
        told(2, SECOND + 2 * MILLI, SECOND + 3 * MILLI, 20 * SECOND);
        assertThat(find(0, SECOND + 3 * MILLI)).as("both say no").isEqualTo(ClockMonitor.Finding.NODE);
        assertThat(clockMonitor.stoodStillNanos()).isZero();
    }

    @Test
    void singleNode_cannotTestifyAgainstOurClock() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        one.note(0, 0, 0, MILLI, EPOCH_MICROS);
        one.note(0, 0, SECOND, SECOND + MILLI, EPOCH_MICROS + 60_000_000);
        assertThat(one.isDoubted(0)).isTrue();
        assertThat(one.stoodStillNanos()).isZero();
        assertThat(one.find(0, SECOND + MILLI)).isEqualTo(ClockMonitor.Finding.NODE);
    }

    /**
     * What another process saw since then, when the clock was right again, looks like a look from within our
     * standstill.
     */
    @Test
    void jump_ofAClockThatIsBackAgain_isTheNodesWhateverOthersHaveSeenSince() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        one.note(0, 0, 0, MILLI, EPOCH_MICROS);
        one.note(0, 0, SECOND, SECOND + MILLI, EPOCH_MICROS + 3_950_000);
        assertThat(one.find(0, SECOND + MILLI)).isEqualTo(ClockMonitor.Finding.OPEN);
        one.note(0, 0, 2 * SECOND, 2 * SECOND + MILLI, EPOCH_MICROS + 2_000_000);
        assertThat(one.isVouchedFor(0, EPOCH_MICROS - 1, EPOCH_MICROS + 1_900_000))
                .isFalse();
        assertThat(one.isDoubted(0)).isTrue();
        assertThat(one.find(0, 2 * SECOND + MILLI)).isEqualTo(ClockMonitor.Finding.NODE);
    }

    /** Another process' look that has not seen the clock behind looks like testimony. */
    @Test
    void jump_thatOnlyUndoesASetBack_isTheNodesWhateverOthersHaveSeen() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        one.note(0, 0, 0, MILLI, EPOCH_MICROS);
        one.note(0, 0, SECOND, SECOND + MILLI, EPOCH_MICROS - 19_000_000);
        one.note(0, 0, 2 * SECOND, 2 * SECOND + MILLI, EPOCH_MICROS + 2_000_000);
        assertThat(one.isDoubted(0)).isTrue();
        assertThat(one.isVouchedFor(0, EPOCH_MICROS - 60_000_000, EPOCH_MICROS + 1_900_000))
                .isFalse();
        assertThat(one.find(0, 2 * SECOND + MILLI)).isEqualTo(ClockMonitor.Finding.NODE);
    }

    @Test
    void jump_thatIsLargerThanTheSetBackBefore_mayBeOurs() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        one.note(0, 0, 0, MILLI, EPOCH_MICROS);
        one.note(0, 0, SECOND, SECOND + MILLI, EPOCH_MICROS - 4_000_000);
        one.note(0, 0, 2 * SECOND, 2 * SECOND + MILLI, EPOCH_MICROS + 26_000_000);
        assertThat(one.isVouchedFor(0, EPOCH_MICROS - 60_000_000, EPOCH_MICROS + 25_900_000))
                .isTrue();
    }

    /** Another process looked from before the jump until after it, and saw none: it is our clock that stood still. */
    @Test
    void jump_thatDoesNotFitIntoWhatAnotherProcessSaw_isOurs() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        one.note(0, 0, 0, MILLI, EPOCH_MICROS);
        one.note(0, 0, SECOND, SECOND + MILLI, EPOCH_MICROS + 61_000_000);
        long before = EPOCH_MICROS - 1;
        assertThat(one.isVouchedFor(0, before, EPOCH_MICROS + 60_000_000))
                .as("looked a second ago")
                .isTrue();
        assertThat(one.isVouchedFor(0, before, EPOCH_MICROS + 500_000))
                .as("only before the jump")
                .isFalse();
        assertThat(one.isVouchedFor(0, EPOCH_MICROS + 1, EPOCH_MICROS + 61_000_000))
                .as("only since the jump")
                .isFalse();
        assertThat(one.stoodStillBy(0)).isBetween(59 * SECOND, 61 * SECOND);
        assertThat(one.stoodStillBy(0)).as("reported once").isZero();
    }

    @Test
    void smallJump_ofASingleNode_waitsForTheNextLookOfAnotherProcess() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        one.note(0, 0, 0, MILLI, EPOCH_MICROS);
        one.note(0, 0, SECOND, SECOND + MILLI, EPOCH_MICROS + 2_000_000);
        assertThat(one.find(0, 2 * SECOND)).isEqualTo(ClockMonitor.Finding.OPEN);
        assertThat(one.find(0, 4 * SECOND)).isEqualTo(ClockMonitor.Finding.NODE);
    }

    @Test
    void clock_thatWasNotMeasuredForLong_isWatchedSinceThen() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        one.note(0, 0, 0, MILLI, EPOCH_MICROS);
        one.note(0, 0, SECOND, SECOND + MILLI, EPOCH_MICROS + 1_000_000);
        assertThat(one.steadyMicros(0)).isEqualTo(EPOCH_MICROS);
        one.note(0, 0, 9 * SECOND, 9 * SECOND + MILLI, EPOCH_MICROS + 9_000_000);
        assertThat(one.steadyMicros(0)).isEqualTo(EPOCH_MICROS + 9_000_000);
    }

    @Test
    void answerWithoutATime_changesNothing() {
        assertThat(clockMonitor.note(0, 0, ORIGIN, ORIGIN + MILLI, 0)).isTrue();
        assertThat(clockMonitor.isKnown(0)).isFalse();
    }

    @Test
    void answerThatWasLongUnderWay_allowsForTheDriftMeanwhile() {
        told(0, 0, MILLI, 0);
        long micros = EPOCH_MICROS + SECOND / 1_000; // answered at once, and read after a pause of two seconds
        clockMonitor.note(0, 0, ORIGIN + SECOND, ORIGIN + 3 * SECOND, micros);
        assertThat(told(0, 3 * SECOND, 3 * SECOND + MILLI, 20 * MILLI))
                .as("1 % fast")
                .isTrue();
    }

    @Test
    void answerFromBeforeAClockWasSetBack_isNoJumpAhead() {
        told(0, 0, MILLI, 0);
        told(0, SECOND, SECOND + MILLI, -SECOND);
        assertThat(told(0, SECOND - 2 * MILLI, SECOND + 2 * MILLI, 0)).isFalse();
        assertThat(clockMonitor.isDoubted(0)).isFalse();
    }

    private static final long ENDED_AT = EPOCH_MICROS / 1_000;

    /** What a node's answer is worth that says that a lease has ended, when it was watched from second to second. */
    private Reply ended(ClockMonitor watching, long seconds, long aheadNanos) {
        long sent = ORIGIN + seconds * SECOND;
        long micros = EPOCH_MICROS + (sent - ORIGIN + aheadNanos) / 1_000;
        return watching.weigh(new Answer(0, new Reply.Ended(ENDED_AT), micros), ACQUIRE, 0, sent, sent + MILLI)
                .reply();
    }

    private void watch(ClockMonitor watching, long from, long to) {
        for (long second = from; second <= to; second++) {
            long sent = ORIGIN + second * SECOND;
            watching.note(0, 0, sent, sent + MILLI, EPOCH_MICROS + second * SECOND / 1_000);
        }
    }

    @Test
    void lease_thatHasEnded_isBelievedToWhenTheClockWasWatchedForAsLongAsAnyLeaseLasts() {
        watch(clockMonitor, 0, 29);
        assertThat(ended(clockMonitor, 30, 0)).isEqualTo(new Reply.Held(302));
        assertThat(ended(clockMonitor, 31, 0)).isEqualTo(new Reply.Ended(ENDED_AT));
    }

    @Test
    void lease_thatHasEnded_isBelievedToSoonWhereOthersHaveWatchedTheClockBefore() {
        watch(clockMonitor, 0, 4);
        clockMonitor.admitted(0, 0, EPOCH_MICROS - 60_000_000, EPOCH_MICROS - 40_000_000);
        assertThat(ended(clockMonitor, 4, 0)).isEqualTo(new Reply.Held(1_000));
        assertThat(ended(clockMonitor, 5, 0)).isEqualTo(new Reply.Ended(ENDED_AT));

        clockMonitor.admitted(0, 0, EPOCH_MICROS - 60_000_000, EPOCH_MICROS - 20_000_000);
        assertThat(ended(clockMonitor, 6, 0)).isInstanceOf(Reply.Held.class);
    }

    @Test
    void lease_thatHasEnded_isNotBelievedToByAClockThatHasJumped() {
        watch(clockMonitor, 0, 40);
        assertThat(ended(clockMonitor, 41, 20 * MILLI)).isInstanceOf(Reply.Refused.class);
        clockMonitor.settle(0, clockMonitor.doubt(0), ORIGIN + 42 * SECOND);
        assertThat(ended(clockMonitor, 42, 20 * MILLI)).isInstanceOf(Reply.Held.class);
    }

    @Test
    void lease_thatHasEnded_isNotBelievedToAfterAGapInTheWatch() {
        watch(clockMonitor, 0, 40);
        assertThat(ended(clockMonitor, 44, 0)).isInstanceOf(Reply.Held.class);
    }

    /** Redis expires with a resolution of 1 ms, and a step of 2 ms is not seen. */
    @Test
    void lease_thatEndsWithinTheGrainOfTheClock_isBelievedToHaveEnded() {
        watch(clockMonitor, 0, 40);
        long sent = ORIGIN + 41 * SECOND;
        long micros = EPOCH_MICROS + 41 * SECOND / 1_000;
        Answer soon = new Answer(0, new Reply.Ended(micros / 1_000 + 2), micros);
        assertThat(clockMonitor.weigh(soon, ACQUIRE, 0, sent, sent + MILLI)).isSameAs(soon);
    }

    @Test
    void lease_thatEndsLater_isNotBelievedToHaveEnded() {
        watch(clockMonitor, 0, 40);
        long sent = ORIGIN + 41 * SECOND;
        long micros = EPOCH_MICROS + 41 * SECOND / 1_000;
        Reply.Ended later = new Reply.Ended(micros / 1_000 + 3);
        assertThat(clockMonitor
                        .weigh(new Answer(0, later, micros), ACQUIRE, 0, sent, sent + MILLI)
                        .reply())
                .isInstanceOf(Reply.Held.class);
    }
}
