// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** Whether a node is believed that reports the end of a lease: that depends on how its clock has been watched. */
class BelievedEndTest extends MonitoredClocks {

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

    /** It was given at once, and read after a pause of this process: in it the drift may hide a jump of a second. */
    private static ClockMonitor answerReadAfterAPause() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        for (int second = 0; second <= 5; second++) {
            one.note(0, 0, second * SECOND, second * SECOND + MILLI, EPOCH_MICROS + second * 1_000_000L);
        }
        one.note(0, 0, 6 * SECOND, 106 * SECOND, EPOCH_MICROS + 6_000_000);
        return one;
    }

    @Test
    void answerThatWasReadAfterALongPause_isNoWatchDuringThePause() {
        ClockMonitor one = answerReadAfterAPause();
        // in the pause the clock went ahead by 0.9 s, which is not seen
        assertThat(one.note(0, 0, 107 * SECOND, 107 * SECOND + MILLI, EPOCH_MICROS + 107_900_000))
                .isTrue();
        assertThat(one.isDoubted(0)).isFalse();
        assertThat(one.steadyMicros(0)).isGreaterThan(EPOCH_MICROS + 100_000_000);
    }

    @Test
    void answerThatWasReadAfterALongPause_leavesThePauseUnwatched() {
        ClockMonitor one = answerReadAfterAPause();
        one.note(0, 0, 107 * SECOND, 107 * SECOND + MILLI, EPOCH_MICROS + 107_900_000);
        assertThat(one.unwatchedMicros(0, EPOCH_MICROS)).isGreaterThan(90_000_000);
    }
}
