// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.SharedSettings;
import org.junit.jupiter.api.Test;

/** What a process counts of a clock that steps more than once. */
class WatchedClockTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ClockMonitor clockMonitor = new ClockMonitor(1, new SharedSettings(30_000, 600_000, 0.01));

    private boolean told(long sent, long aheadNanos) {
        long micros = 1_800_000_000_000_000L + (sent + MILLI / 2 + aheadNanos) / 1_000;
        return clockMonitor.note(0, 0, sent, sent + MILLI, micros);
    }

    /** Other processes have not seen the set-back, whatever becomes of the jump. */
    @Test
    void clock_setBackWhileAJumpIsDoubted_countsNoSoonerWhenThatIsSettled() {
        told(0, 0);
        told(SECOND, 3 * SECOND);
        told(SECOND + 100 * MILLI, -20 * SECOND);
        assertThat(clockMonitor.find(0, SECOND + 200 * MILLI)).isEqualTo(ClockMonitor.Finding.NODE);

        clockMonitor.settle(0, clockMonitor.doubt(0), SECOND + 300 * MILLI);

        assertThat(told(2 * SECOND, -20 * SECOND)).isFalse();
    }

    /** The second step is small and ahead, and the clock is still behind. */
    @Test
    void clock_setBackAndThenALittleAhead_countsNoSoonerWhenThatIsSettled() {
        told(0, 0);
        told(SECOND, -20 * SECOND);
        told(SECOND + 100 * MILLI, -19 * SECOND);

        clockMonitor.settle(0, clockMonitor.doubt(0), SECOND + 300 * MILLI);

        assertThat(told(2 * SECOND, -19 * SECOND)).isFalse();
    }

    /** A process that had watched the clock until a step knows that no more than the step was unwatched. */
    @Test
    void step_afterAWatch_leavesNoMoreThanItselfUnwatched() {
        long start = 1_800_000_000_000_000L;
        told(0, 0);
        told(SECOND, 0);
        told(SECOND + 100 * MILLI, 2 * SECOND);

        assertThat(clockMonitor.unwatchedMicros(0, start + 500)) // from its first answer on
                .isBetween(2_090_000L, 2_110_000L);
        assertThat(clockMonitor.unwatchedMicros(0, start + 500_000)).isBetween(2_090_000L, 2_110_000L);
        assertThat(clockMonitor.unwatchedMicros(0, start + 2_500_000)).isBetween(590_000L, 610_000L);
        assertThat(clockMonitor.unwatchedMicros(0, start - 500_000)) // it has not watched from then on
                .isBetween(3_590_000L, 3_610_000L);
    }

    /** In a longer gap the drift may hide a jump that lets a quarantine end too early. */
    @Test
    void gapOfMoreThanHalfAMinute_isUnwatched_whatLiesBeforeIsNot() {
        long start = 1_800_000_000_000_000L;
        for (int second = 0; second <= 10; second++) {
            told(second * SECOND, 0);
        }
        told(39 * SECOND, 0);
        assertThat(clockMonitor.unwatchedMicros(0, start + 1_000_000)).isZero();
        told(100 * SECOND, 0);
        assertThat(clockMonitor.unwatchedMicros(0, start + 1_000_000)).isEqualTo(61_000_000);
        assertThat(clockMonitor.unwatchedMicros(0, start + 90_000_500)).isEqualTo(10_000_000);
    }

    private boolean toldSlowly(long sent, long roundTrip, long aheadNanos) {
        long micros = 1_800_000_000_000_000L + (sent + roundTrip / 2 + aheadNanos) / 1_000;
        return clockMonitor.note(0, 0, sent, sent + roundTrip, micros);
    }

    @Test
    void bounds_ofQuickAnswers_narrowThoseOfSlowOnes_forASetBackToo() {
        toldSlowly(0, 200 * MILLI, 0);
        toldSlowly(210 * MILLI, MILLI, 0);
        toldSlowly(220 * MILLI, 200 * MILLI, 0);
        assertThat(toldSlowly(430 * MILLI, MILLI, -20 * MILLI)).isFalse();
        assertThat(clockMonitor.describe(0)).isEqualTo("its clock was set back by 20 ms");
    }

    @Test
    void clock_thatLosesALittleWithEachAnswer_isSeenToBeSetBackAllTheSame() {
        boolean believed = true;
        for (long at = 0; believed && at < SECOND; at += MILLI) {
            believed = toldSlowly(at, MILLI / 10, -at / 12); // 8 %, as fast as clocks are slewed
        }
        assertThat(believed).isFalse();
    }

    /** Neither did ours stand still for both, nor does it undo a set-back of long ago. */
    @Test
    void jumps_thatAreLongApart_haveNotOneCause() {
        long origin = -16 * SECOND;
        ClockMonitor three = new ClockMonitor(3, new SharedSettings(30_000, 600_000, 0.01));
        long start = 1_800_000_000_000_000L;
        for (int node = 0; node < 3; node++) {
            three.note(node, 0, origin, origin + MILLI, start);
        }
        three.note(0, 0, origin + SECOND, origin + SECOND + MILLI, start + 11_000_000);
        three.note(1, 0, origin + 32 * SECOND, origin + 32 * SECOND + MILLI, start + 42_000_000);
        assertThat(three.find(1, origin + 32 * SECOND + MILLI)).isNotEqualTo(ClockMonitor.Finding.CLIENT);
        assertThat(three.stoodStillNanos()).isZero();
    }

    @Test
    void jump_longAfterASetBackByTheSame_mayBeOurs() {
        long origin = -16 * SECOND;
        long start = 1_800_000_000_000_000L;
        clockMonitor.note(0, 0, origin, origin + MILLI, start);
        clockMonitor.note(0, 0, origin + SECOND, origin + SECOND + MILLI, start - 19_000_000);
        clockMonitor.note(0, 0, origin + 31 * SECOND, origin + 31 * SECOND + MILLI, start + 11_000_000);
        clockMonitor.note(0, 0, origin + 32 * SECOND, origin + 32 * SECOND + MILLI, start + 32_000_000);
        assertThat(clockMonitor.isVouchedFor(0, start - 60_000_000, start + 31_900_000))
                .isTrue();
    }

    /** In them keys may end a second time, and this process has not watched that. */
    @Test
    void moments_thatComeAgainAfterASetBack_areNotWatchedYet() {
        long start = 1_800_000_000_000_000L;
        for (int second = 0; second <= 10; second++) {
            told(second * SECOND, 0);
        }
        told(11 * SECOND, -4 * SECOND);

        assertThat(clockMonitor.unwatchedMicros(0, start + 2_000_000)).isBetween(5_000_000L, 5_010_000L);
        assertThat(clockMonitor.unwatchedMicros(0, start + 8_000_000)).isZero();
    }
}
