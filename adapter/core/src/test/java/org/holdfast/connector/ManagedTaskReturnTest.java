// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a task when the executor of the container is late, stands still or rejects, and afterwards. */
@Timeout(30)
class ManagedTaskReturnTest extends TaskInVirtualTime {

    @Test
    void executorThatIsALittleLate_isWaitedFor() {
        at(4_990, () -> container.standsStill = true);
        at(5_000, () -> due.within(nanos(10)));
        at(5_100, () -> container.standsStill = false);
        run(5_500);
        assertThat(ran()).isEqualTo("0 managed, 5100 managed");
        assertThat(log.beginningWith("HF0")).isEmpty();
    }

    @Test
    void executorThatStandsStill_isReplacedWithinAFewTurns() {
        task = () -> due.within(nanos(100));
        at(250, () -> container.standsStill = true);
        run(800);
        // due at 300; five turns later the thread takes over
        assertThat(ran()).isEqualTo("0 managed, 100 managed, 200 managed, 420 own, 520 own, 620 own, 720 own");
        assertThat(log.beginningWith("HF0")).isEmpty();
    }

    @Test
    void executorThatRejects_isReplacedAtOnce() {
        task = () -> due.within(nanos(100));
        at(150, () -> container.rejects = true);
        run(450);
        assertThat(ran()).isEqualTo("0 managed, 100 managed, 200 managed, 300 own, 400 own");
    }

    @Test
    void executorThatRejectsFromTheBeginning_isReplacedAtOnce() {
        container.rejects = true;
        task = () -> due.within(nanos(100));
        run(250);
        assertThat(ran()).isEqualTo("0 own, 100 own, 200 own");
    }

    @Test
    void executorWhoseClassesAreGone_isReplacedAtOnce() {
        task = () -> due.within(nanos(100));
        at(150, () -> container.isGone = true);
        run(450);
        assertThat(ran()).isEqualTo("0 managed, 100 managed, 200 managed, 300 own, 400 own");
    }

    /** And its tasks too. */
    @Test
    void executorWhoseTasksCannotBeCancelled_isReplaced() {
        task = () -> due.within(nanos(100));
        at(150, () -> {
            container.standsStill = true;
            container.isGone = true;
        });
        run(550);
        assertThat(runs).last().asString().endsWith(" own");
    }

    @Test
    void executorThatIsGone_isReportedOnceAndAskedEverMoreRarely() {
        container.rejects = true;
        run(60 * MINUTE - 1);
        assertThat(log.beginningWith("HF0407")).singleElement().asString().contains("for 10000 ms");
        assertThat(log.beginningWith("HF0430")).isEmpty();
        assertThat(runs).hasSize(360).allMatch(ran -> ran.endsWith(" own"));
        assertThat(wakeUps)
                .isLessThan(360 + 60 + 20); // asked for a sign of life once a minute, and more often at first
    }

    @Test
    void executorThatRunsTasksAgain_isReturnedToAndThatIsReported() {
        task = () -> due.within(nanos(1_000));
        at(1_500, () -> container.rejects = true);
        at(MINUTE, () -> container.rejects = false);
        run(3 * MINUTE);
        assertThat(log.beginningWith("HF0407")).hasSize(1);
        assertThat(log.beginningWith("HF0430")).hasSize(1);
        assertThat(runs).contains("50000 own").last().asString().endsWith(" managed");
        assertThat(container.most).isLessThanOrEqualTo(2);
    }

    /** As while an EAR is deployed: the server accepts tasks, and runs them later. */
    @Test
    void executorThatRunsLater_isReturnedToWithTheFirstProbeThatItRuns() {
        task = () -> due.within(nanos(1_000));
        container.standsStill = true;
        at(9_000, () -> container.standsStill = false);
        run(20_000);
        assertThat(log.beginningWith("HF0")).isEmpty();
        assertThat(runs).element(5).asString().endsWith(" own");
        assertThat(runs).last().asString().endsWith(" managed");
        assertThat(container.most).isLessThanOrEqualTo(5); // probes that are ever rarer
    }

    @Test
    void executorThatStandsStillAgain_isLeftAgain() {
        task = () -> due.within(nanos(500));
        at(1_200, () -> container.standsStill = true);
        at(5_000, () -> container.standsStill = false);
        at(8_000, () -> container.standsStill = true);
        run(10_000);
        assertThat(runs).anyMatch(ran -> ran.equals("500 managed"));
        assertThat(at("own")).anyMatch(ms -> ms > 1_500 && ms < 5_000).anyMatch(ms -> ms > 8_000);
        assertThat(at("managed")).anyMatch(ms -> ms > 5_000);
    }

    /** Both have missed the moment; the thread happens to go on first. */
    @Test
    void pauseOfTheWholeProcess_staysOnTheExecutor() {
        task = () -> due.within(nanos(100));
        at(150, () -> {
            container.standsStill = true;
            standStill(30_000);
        });
        at(30_190, () -> container.standsStill = false);
        run(30_300);
        assertThat(runs).startsWith("0 managed", "100 managed").allMatch(ran -> ran.endsWith(" managed"));
        assertThat(runs).hasSizeGreaterThan(2);
        assertThat(log.beginningWith("HF0")).isEmpty();
    }

    /** The thread is woken for something else each millisecond, and has not had more turns by that. */
    @Test
    void executorThatIsALittleLate_isWaitedFor_howeverOftenTheThreadIsWoken() {
        at(4_990, () -> container.standsStill = true);
        at(5_000, () -> due.within(nanos(10)));
        for (int i = 0; i < 60; i++) {
            at(5_030 + i, due::wake);
        }
        at(5_100, () -> container.standsStill = false);
        run(5_500);
        assertThat(ran()).isEqualTo("0 managed, 5100 managed");
    }

    /** Servers that stand still keep each task, and some log each task that they drop. */
    @Test
    void executorThatStandsStill_keepsNoAlarm_andIsAskedAfterASecond() {
        List<Integer> queued = new ArrayList<>();
        task = () -> due.within(nanos(100));
        at(250, () -> container.standsStill = true);
        at(1_300, () -> queued.add(container.queue.size()));
        at(1_500, () -> queued.add(container.queue.size()));
        run(1_600);
        assertThat(queued).containsExactly(0, 1);
    }

    @Test
    void executorThatStandsStillForLong_hasFewProbesInItsQueue() {
        container.standsStill = true;
        run(120 * MINUTE);
        assertThat(container.most).isBetween(5, 14); // after 1, 2, 4 s and so on
        assertThat(runs).allMatch(ran -> ran.endsWith(" own"));
    }

    /** Nothing of ours is in its queue, so it is asked once a minute for ever. */
    @Test
    void executorThatRejectedTasksForHours_isReturnedToSoon() {
        container.rejects = true;
        at(300 * MINUTE, () -> container.rejects = false);
        run(302 * MINUTE);
        assertThat(at("managed")).isNotEmpty().first().matches(ms -> ms < 301 * MINUTE + 11_000);
    }

    /** It has run a probe, and not the alarm that was set for the return. */
    @Test
    void executorThatDropsItsTasksAfterASignOfLife_isAskedAgain() {
        task = () -> due.within(nanos(500));
        container.standsStill = true;
        at(3_000, () -> container.queue.remove(0).task().run());
        at(4_000, container.queue::clear);
        at(5_000, () -> container.standsStill = false);
        run(30_000);
        assertThat(at("own")).anyMatch(ms -> ms > 4_000);
        assertThat(runs).last().asString().endsWith(" managed");
    }
}
