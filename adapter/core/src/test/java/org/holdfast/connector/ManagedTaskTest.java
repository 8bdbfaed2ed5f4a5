// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a task runs on the executor of the container. */
@Timeout(30)
class ManagedTaskTest extends TaskInVirtualTime {

    @Test
    void taskWithNothingDue_runsRarelyOnTheExecutor() {
        run(35_000);
        assertThat(ran()).isEqualTo("0 managed, 10000 managed, 20000 managed, 30000 managed");
        assertThat(wakeUps).isLessThanOrEqualTo(6); // two at the beginning, and one after each run
        assertThat(log.beginningWith("HF0")).isEmpty();
    }

    @Test
    void taskThatReportsWhenItIsDue_runsThenOnTheExecutor() {
        task = () -> due.within(nanos(333));
        run(1_000);
        assertThat(ran()).isEqualTo("0 managed, 333 managed, 666 managed, 999 managed");
        assertThat(container.most).isEqualTo(1);
    }

    @Test
    void earlierMoment_reportedWhileBothSleep_isMetOnTheExecutor() {
        at(5_000, () -> due.within(nanos(30)));
        run(6_000);
        assertThat(ran()).isEqualTo("0 managed, 5030 managed");
    }

    @Test
    void earlierMoment_reportedByTheRunItself_isMetOnTheExecutor() {
        task = () -> {
            if (runs.size() == 1) {
                due.within(nanos(500));
                due.within(nanos(50));
            }
        };
        run(1_000);
        assertThat(ran()).isEqualTo("0 managed, 50 managed");
    }

    @Test
    void momentsThatGetEarlierAgainAndAgain_leaveFewAlarms() {
        for (int i = 1; i <= 100; i++) {
            long millis = i;
            at(millis, () -> due.within(nanos(9_000 - 50 * millis)));
        }
        run(9_000);
        assertThat(container.most).isLessThanOrEqualTo(Alarms.MOST);
        assertThat(runs).element(1).isEqualTo("4100 managed");
    }

    /** An alarm that is set for later is kept beside the earlier one, and not set anew. */
    @Test
    void manyShortMoments_leaveFewAlarms() {
        for (int i = 1; i < 100; i++) {
            at(i * 50L, () -> due.within(nanos(10)));
        }
        run(5_000);
        assertThat(container.most).isLessThanOrEqualTo(2);
        assertThat(runs).hasSize(100).allMatch(ran -> ran.endsWith(" managed"));
    }

    @Test
    void close_leavesNoAlarm() {
        run(500);
        assertThat(container.queue).isEmpty();
        due.within(0);
        assertThat(container.queue).isEmpty();
    }

    @Test
    void close_duringARun_leavesNoAlarm() {
        task = () -> managed.close();
        run(500);
        assertThat(ran()).isEqualTo("0 managed");
        assertThat(container.queue).isEmpty();
    }

    /** Else the adapter would leave a thread behind for some seconds. */
    @Test
    void close_endsTheThreadAtOnce() {
        run(500);
        assertThat(now()).isEqualTo(500);
    }
}
