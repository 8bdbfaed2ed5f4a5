// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Whose clock it was: that of a node which jumped, or that of a client which stood still. */
class StandstillTest extends MonitoredClocks {

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
}
