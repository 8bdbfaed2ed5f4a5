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

    /** It is still behind. */
    @Test
    void jump_thatIsSmallerThanTheSetBackBefore_mayBeOurs() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        one.note(0, 0, 0, MILLI, EPOCH_MICROS);
        one.note(0, 0, SECOND, SECOND + MILLI, EPOCH_MICROS - 19_000_000);
        one.note(0, 0, 2 * SECOND, 2 * SECOND + MILLI, EPOCH_MICROS - 13_000_000);
        assertThat(one.isVouchedFor(0, EPOCH_MICROS - 60_000_000, EPOCH_MICROS - 13_100_000))
                .isTrue();
    }

    @Test
    void jump_afterOneThatHasUndoneASetBackByTheSame_mayBeOurs() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        one.note(0, 0, 0, MILLI, EPOCH_MICROS);
        one.note(0, 0, SECOND, SECOND + MILLI, EPOCH_MICROS - 19_000_000);
        one.note(0, 0, 2 * SECOND, 2 * SECOND + MILLI, EPOCH_MICROS + 2_000_000);
        one.settle(0, one.doubt(0), 2 * SECOND + MILLI);
        one.note(0, 0, 3 * SECOND, 3 * SECOND + MILLI, EPOCH_MICROS + 23_000_000);
        assertThat(one.isVouchedFor(0, EPOCH_MICROS - 60_000_000, EPOCH_MICROS + 22_900_000))
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
        one.settle(0, one.doubt(0), 2 * SECOND);
        assertThat(one.isVouchedFor(0, before, EPOCH_MICROS + 60_000_000))
                .as("nothing is doubted any more")
                .isFalse();
    }

    @Test
    void smallJump_ofASingleNode_waitsForTheNextLookOfAnotherProcess() {
        ClockMonitor one = new ClockMonitor(1, SETTINGS);
        one.note(0, 0, 0, MILLI, EPOCH_MICROS);
        one.note(0, 0, SECOND, SECOND + MILLI, EPOCH_MICROS + 2_000_000);
        assertThat(one.find(0, 2 * SECOND)).isEqualTo(ClockMonitor.Finding.OPEN);
        assertThat(one.find(0, 4 * SECOND)).isEqualTo(ClockMonitor.Finding.NODE);
    }

    private static void told(ClockMonitor five, int node, long sent, long aheadNanos) {
        long micros = EPOCH_MICROS + (sent + MILLI / 2 + aheadNanos) / 1_000;
        five.note(node, 0, ORIGIN + sent, ORIGIN + sent + MILLI, micros);
    }

    private static ClockMonitor fiveWatched() {
        ClockMonitor five = new ClockMonitor(5, SETTINGS);
        for (int node = 0; node < 5; node++) {
            told(five, node, 0, 0);
        }
        return five;
    }

    @Test
    void twoOfFive_areNoQuorumAgainstOurClock() {
        ClockMonitor five = fiveWatched();
        told(five, 0, SECOND, 30 * SECOND);
        told(five, 1, SECOND, 30 * SECOND);
        assertThat(five.find(0, ORIGIN + SECOND + MILLI)).isEqualTo(ClockMonitor.Finding.OPEN);
        assertThat(five.stoodStillNanos()).isZero();
        told(five, 2, SECOND, 30 * SECOND);
        assertThat(five.find(0, ORIGIN + SECOND + MILLI)).isEqualTo(ClockMonitor.Finding.CLIENT);
        assertThat(five.stoodStillNanos()).isPositive();
    }

    @Test
    void nodeThatShowsTheSameJump_isNoneOfThoseThatContradictIt() {
        ClockMonitor five = fiveWatched();
        told(five, 0, SECOND, 30 * SECOND);
        long since = SECOND + 2 * MILLI;
        told(five, 1, since, 30 * SECOND);
        told(five, 2, since, 0);
        told(five, 3, since, 0);
        assertThat(five.isContradicted(0)).as("the last one may show it").isFalse();
        told(five, 4, since, 0);
        assertThat(five.isContradicted(0)).isTrue();
    }

    /** Whatever our clock shows: here it is negative by then. */
    @Test
    void nodesThatHaveNeverAnswered_contradictNothing() {
        told(0, 3 * SECOND, 3 * SECOND + MILLI, 0);
        told(0, 4 * SECOND, 4 * SECOND + MILLI, 30 * SECOND);
        assertThat(clockMonitor.isContradicted(0)).isFalse();
        assertThat(find(0, 4 * SECOND + MILLI)).isEqualTo(ClockMonitor.Finding.OPEN);
    }

    /** Nodes that have answered in between show another one. */
    @Test
    void standstill_soonAfterOneOfTheSameLength_isToldAsWell() {
        for (int node = 0; node < 3; node++) {
            told(node, 0, MILLI, 0);
        }
        for (int node = 0; node < 3; node++) {
            told(node, SECOND, SECOND + MILLI, SECOND);
        }
        assertThat(clockMonitor.stoodStillNanos()).isPositive();
        told(0, SECOND + 2 * MILLI, SECOND + 3 * MILLI, SECOND);
        told(1, SECOND + 2 * MILLI, SECOND + 3 * MILLI, SECOND);
        told(0, 2 * SECOND, 2 * SECOND + MILLI, 2 * SECOND);
        told(1, 2 * SECOND, 2 * SECOND + MILLI, 2 * SECOND);
        assertThat(clockMonitor.stoodStillNanos()).isPositive();
    }

    /** That node has gone ahead by itself meanwhile, or does not answer any more. */
    @Test
    void standstill_ofALengthThatTheOthersShow_isToldAfterAShortOneThatOneNodeHasShown() {
        for (int node = 0; node < 3; node++) {
            told(node, 0, MILLI, 0);
        }
        told(0, SECOND, SECOND + MILLI, 50 * MILLI);
        assertThat(clockMonitor.stoodStillBy(0)).isPositive();
        told(1, 2 * SECOND, 2 * SECOND + MILLI, 30 * SECOND);
        told(2, 2 * SECOND, 2 * SECOND + MILLI, 30 * SECOND);
        assertThat(clockMonitor.stoodStillNanos()).isBetween(29 * SECOND, 31 * SECOND);
    }

    /** The third node has shown the first one a little later than the others were measured last. */
    @Test
    void secondStandstillOfTheSameLength_beforeTheOthersAreMeasuredAgain_isTold() {
        for (int node = 0; node < 3; node++) {
            told(node, 0, MILLI, 0);
        }
        told(0, SECOND, SECOND + MILLI, SECOND);
        told(1, SECOND, SECOND + MILLI, SECOND);
        assertThat(clockMonitor.stoodStillNanos()).isPositive();
        for (int node = 0; node < 2; node++) {
            clockMonitor.settle(node, clockMonitor.doubt(node), ORIGIN + SECOND + 2 * MILLI);
            // a grant of a new lease, which counts
            assertThat(told(node, SECOND + 3 * MILLI, SECOND + 4 * MILLI, SECOND))
                    .isTrue();
        }
        told(2, SECOND + 3 * MILLI, SECOND + 8 * MILLI, SECOND); // slower
        assertThat(clockMonitor.stoodStillNanos()).as("told before").isZero();
        told(0, SECOND + 100 * MILLI, SECOND + 101 * MILLI, 2 * SECOND);
        told(1, SECOND + 100 * MILLI, SECOND + 101 * MILLI, 2 * SECOND);
        assertThat(clockMonitor.find(0, ORIGIN + SECOND + 102 * MILLI)).isEqualTo(ClockMonitor.Finding.CLIENT);
        assertThat(clockMonitor.stoodStillNanos()).as("a second one").isPositive();
    }

    /** The witnesses of a voter were not heard for a while, and name the same process again: its clock is the same. */
    @Test
    void standstill_isSeen_alsoWhereNodesAreInAnotherTermSince() {
        for (int node = 0; node < 3; node++) {
            told(node, 0, MILLI, 0);
            clockMonitor.goesOn(node, 1);
        }
        for (int node = 0; node < 3; node++) {
            clockMonitor.note(node, 1, ORIGIN + SECOND, ORIGIN + SECOND + MILLI, EPOCH_MICROS + 7_000_000);
        }
        assertThat(clockMonitor.stoodStillNanos()).isPositive();
    }
}
