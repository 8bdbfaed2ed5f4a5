// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.LogLines;
import org.holdfast.protocol.env.Time;
import org.holdfast.runtime.scheduling.DueMoment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In virtual time, which passes while the adapter's thread sleeps; an executor runs meanwhile what is due. */
@Timeout(30)
class ManagedTaskTest {

    private static final long MINUTE = 60_000;

    /** What ran, when and where: "120 managed". */
    private final List<String> runs = new ArrayList<>();

    private final LogLines log = LogLines.of("org.holdfast.connector");
    private final Container container = new Container();
    private Runnable task = () -> {};
    private boolean onTheExecutor;
    private long nanos = Long.MAX_VALUE - MILLISECONDS.toNanos(5_000); // it overflows soon

    private final long begin = nanos;
    private long wakeUps;

    private final List<Event> events = new ArrayList<>();

    private record Event(long at, Runnable action) {}

    private final Time virtual = new Time() {
        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long epochMicros() {
            return 0;
        }

        @Override
        public Signal newSignal() {
            return new Signal() {
                private boolean raised;

                @Override
                public void raise() {
                    raised = true;
                }

                @Override
                public boolean await(long patience) {
                    wakeUps++;
                    long until = nanos + patience;
                    while (!raised && passTo(until)) {
                        // something has happened meanwhile
                    }
                    boolean was = raised;
                    raised = false;
                    return was;
                }
            };
        }
    };

    private final DueMoment due = new DueMoment(virtual);

    /** An executor with one thread. */
    private final class Container {

        private record Scheduled(Runnable task, long at) {}

        private final List<Scheduled> queue = new ArrayList<>();
        private boolean standsStill;
        private boolean rejects;
        private boolean isGone;
        private int most;

        private final ScheduledExecutorService service = (ScheduledExecutorService) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ScheduledExecutorService.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "schedule" -> add((Runnable) args[0], ((TimeUnit) args[2]).toNanos((Long) args[1]));
                    case "execute" -> add((Runnable) args[0], 0);
                    default -> throw new AssertionError(method);
                });

        private ScheduledFuture<?> add(Runnable runnable, long delay) {
            if (rejects) {
                throw new RejectedExecutionException("suspended");
            }
            if (isGone) {
                throw new NoClassDefFoundError("undeployed");
            }
            Scheduled scheduled = new Scheduled(runnable, nanos + delay);
            queue.add(scheduled);
            most = Math.max(most, queue.size());
            return (ScheduledFuture<?>) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {ScheduledFuture.class}, (proxy, method, args) -> {
                        assertThat(method.getName()).isEqualTo("cancel");
                        if (isGone) {
                            throw new NoClassDefFoundError("undeployed");
                        }
                        return queue.remove(scheduled);
                    });
        }

        private Event next() {
            return queue.stream()
                    .min(Comparator.comparingLong(scheduled -> scheduled.at() - begin))
                    .filter(scheduled -> !standsStill)
                    .map(scheduled -> new Event(Math.max(scheduled.at() - nanos, 0) + nanos, () -> {
                        queue.remove(scheduled);
                        onTheExecutor = true;
                        scheduled.task().run();
                        onTheExecutor = false;
                    }))
                    .orElse(null);
        }
    }

    /** Lets the next thing happen until then; returns false if there is none. */
    private boolean passTo(long until) {
        Event next = container.next();
        for (Event event : events) {
            next = next == null || event.at() - next.at() < 0 ? event : next;
        }
        if (next == null || next.at() - until > 0) {
            nanos += Math.max(0, until - nanos);
            return false;
        }
        nanos += Math.max(0, next.at() - nanos);
        events.remove(next);
        next.action().run();
        return true;
    }

    private void at(long millis, Runnable action) {
        events.add(new Event(begin + nanos(millis), action));
    }

    private static long nanos(long millis) {
        return MILLISECONDS.toNanos(millis);
    }

    private long now() {
        return NANOSECONDS.toMillis(nanos - begin);
    }

    /** Begins at once, and lets so much time pass. */
    private void run(long millis) {
        due.within(0);
        ManagedTask managed = new ManagedTask(container.service, virtual, due, () -> {
            runs.add(now() + (onTheExecutor ? " managed" : " own"));
            task.run();
        });
        at(millis, managed::close);
        managed.run();
    }

    private String ran() {
        return String.join(", ", runs);
    }

    @AfterEach
    void stop() {
        log.close();
    }

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

    private List<Long> at(String where) {
        return runs.stream()
                .filter(ran -> ran.endsWith(where))
                .map(ran -> Long.parseLong(ran.substring(0, ran.indexOf(' '))))
                .toList();
    }

    /** Both have missed the moment; the thread happens to go on first. */
    @Test
    void pauseOfTheWholeProcess_staysOnTheExecutor() {
        task = () -> due.within(nanos(100));
        at(150, () -> {
            container.standsStill = true;
            nanos += nanos(30_000);
        });
        at(30_190, () -> container.standsStill = false);
        run(30_300);
        assertThat(runs).startsWith("0 managed", "100 managed").allMatch(ran -> ran.endsWith(" managed"));
        assertThat(runs).hasSizeGreaterThan(2);
        assertThat(log.beginningWith("HF0")).isEmpty();
    }

    @Test
    void close_leavesNoAlarm() {
        run(500);
        assertThat(container.queue).isEmpty();
        due.within(0);
        assertThat(container.queue).isEmpty();
    }
}
