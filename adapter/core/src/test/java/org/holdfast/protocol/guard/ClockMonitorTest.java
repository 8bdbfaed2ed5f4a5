// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** Which answers show that the clock of a node has moved, and what they are worth then. */
class ClockMonitorTest extends MonitoredClocks {

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

    /** The look ended late: meanwhile another process was the node, with a clock of its own. */
    @Test
    void look_ofAFormerTerm_saysNothingOfThePresentClock() {
        clockMonitor.begin(0, 2);
        clockMonitor.admitted(0, 2, EPOCH_MICROS + 3 * SECOND / 1_000, 0);
        clockMonitor.admitted(0, 1, EPOCH_MICROS, 0);
        Answer granted = new Answer(0, new Reply.Granted(), EPOCH_MICROS + SECOND / 1_000);
        assertThat(clockMonitor
                        .weigh(granted, ACQUIRE, 2, ORIGIN + SECOND, ORIGIN + SECOND + MILLI)
                        .reply())
                .isInstanceOf(Reply.NoAnswer.class);
    }

    /** What that clock ended too early may be missing in the memory of each process that follows. */
    @Test
    void doubtInTheClockOfAFormerProcess_staysUntilALookIsAdmitted() {
        told(0, 0, MILLI, 0);
        told(0, SECOND, SECOND + MILLI, SECOND);
        for (int term = 1; term <= 2; term++) {
            clockMonitor.begin(0, term);
            assertThat(clockMonitor.wasDoubted(0)).as("in term %s", term).isTrue();
            assertThat(clockMonitor.isDoubted(0)).as("has a clock of its own").isFalse();
        }
        clockMonitor.admitted(0, 2, EPOCH_MICROS, 0);
        assertThat(clockMonitor.wasDoubted(0)).isFalse();
        clockMonitor.begin(0, 3);
        assertThat(clockMonitor.wasDoubted(0)).isFalse();
    }
}
