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

        assertThat(clockMonitor.unwatchedMicros(0, start + 500_000)).isBetween(2_090_000L, 2_110_000L);
        assertThat(clockMonitor.unwatchedMicros(0, start + 2_500_000)).isBetween(590_000L, 610_000L);
        assertThat(clockMonitor.unwatchedMicros(0, start - 500_000)) // it has not watched from then on
                .isBetween(3_590_000L, 3_610_000L);
    }
}
