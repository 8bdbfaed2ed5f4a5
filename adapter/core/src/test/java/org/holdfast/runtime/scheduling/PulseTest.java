// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.protocol.env.Time;
import org.holdfast.runtime.SystemTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PulseTest {

    private static final long SLEEP_MILLIS = 10_000;

    /** When the task ran, in milliseconds since the beginning. */
    private final List<Long> runs = new ArrayList<>();

    private final List<Long> sleeps = new ArrayList<>();
    private Runnable task = () -> {};
    private Runnable duringSleep = () -> {};
    private long nanos = Long.MAX_VALUE - MILLISECONDS.toNanos(100); // it overflows soon

    private final long begin = nanos;

    /** Passes while the pulse sleeps, on the thread that runs it. */
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
                    Runnable once = duringSleep;
                    duringSleep = () -> {};
                    once.run();
                    if (!raised) {
                        sleeps.add(NANOSECONDS.toMillis(patience));
                        nanos += patience;
                    }
                    boolean was = raised;
                    raised = false;
                    return was;
                }
            };
        }
    };

    private final DueMoment due = new DueMoment(virtual);
    private final Pulse pulse = new Pulse(due, this::runOnce);

    private void runOnce() {
        runs.add(NANOSECONDS.toMillis(nanos - begin));
        task.run();
    }

    /** Ends the pulse with the run of that number. */
    private void run(int number) {
        Runnable given = task;
        task = () -> {
            if (runs.size() == number) {
                pulse.close();
            }
            given.run();
        };
        due.within(0);
        pulse.run();
    }

    private static long nanos(long millis) {
        return MILLISECONDS.toNanos(millis);
    }

    @Test
    void taskWithNothingDue_runsAtOnceAndThenRarely() {
        run(4);
        assertThat(runs).containsExactly(0L, SLEEP_MILLIS, 2 * SLEEP_MILLIS, 3 * SLEEP_MILLIS);
    }

    @Test
    void taskThatReportsWhenItIsDue_runsThen() {
        task = () -> due.within(nanos(333));
        run(4);
        assertThat(runs).containsExactly(0L, 333L, 666L, 999L);
    }

    @Test
    void moment_forWhichACallerWaits_isMetSoonAfterARun() {
        task = () -> {
            due.within(0);
            due.promptlyWithin(nanos(3));
        };
        run(4);
        assertThat(runs).containsExactly(0L, 3L, 6L, 9L);
    }

    @Test
    void moments_forWhichCallersWait_areALittleApart() {
        task = () -> due.promptlyWithin(0);
        run(4);
        assertThat(runs).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void moment_forWhichACallerWaited_isForgottenByTheRun() {
        task = () -> {
            if (runs.size() == 1) {
                due.promptlyWithin(nanos(3));
            }
            due.within(nanos(333));
        };
        run(3);
        assertThat(runs).containsExactly(0L, 3L, 336L);
    }

    @Test
    void severalMoments_theEarliestIsMet() {
        task = () -> {
            due.within(nanos(500));
            due.within(nanos(100));
            due.within(nanos(900));
        };
        run(3);
        assertThat(runs).containsExactly(0L, 100L, 200L);
    }

    @Test
    void whatIsOverdue_runsAPauseLater() {
        task = () -> due.within(-1);
        run(3);
        assertThat(runs).containsExactly(0L, 20L, 40L);
    }

    @Test
    void earlierMoment_reportedWhileItSleeps_isMet() {
        duringSleep = () -> due.within(nanos(30));
        run(2);
        assertThat(runs).containsExactly(0L, 30L);
    }

    @Test
    void earlierMoment_lessThanAPauseAfterARun_isMetAfterThePause() {
        duringSleep = () -> due.within(nanos(5));
        run(2);
        assertThat(runs).containsExactly(0L, 20L);
    }

    @Test
    void momentsOfTheRunBefore_areForgotten() {
        task = () -> {
            if (runs.size() == 1) {
                due.within(nanos(100));
                due.within(nanos(50));
            }
        };
        run(3);
        assertThat(runs).containsExactly(0L, 50L, 50L + SLEEP_MILLIS);
    }

    @Test
    void runThatThrows_isRepeatedSoon() {
        task = () -> {
            if (runs.size() == 1) {
                throw new OutOfMemoryError("once");
            }
        };
        run(2);
        assertThat(runs).containsExactly(0L, 20L);
    }

    @Test
    void sleepThatFails_isFollowedByTheNextRun() {
        duringSleep = () -> {
            throw new OutOfMemoryError("no memory to sleep");
        };
        run(2);
        assertThat(runs).containsExactly(0L, SLEEP_MILLIS);
    }

    @Test
    void close_whileItSleeps_endsItWithoutARun() {
        due.within(0);
        duringSleep = pulse::close;
        pulse.run();
        assertThat(runs).containsExactly(0L);
        assertThat(sleeps).isEmpty();
    }

    /** Both threads are alive at once, and both would run what is due. */
    @Test
    void threadThatTakesOver_runsAllThatIsDueFromThenOn_andTheOneBeforeEnds() throws Exception {
        LinkedBlockingQueue<Thread> ran = new LinkedBlockingQueue<>();
        DueMoment realDue = new DueMoment(new SystemTime());
        Pulse real = new Pulse(realDue, () -> ran.add(Thread.currentThread()));
        Thread standIn = new Thread(real::standIn);
        realDue.within(0);
        standIn.start();
        assertThat(ran.poll(5, SECONDS)).isSameAs(standIn);
        Thread thread = new Thread(real);
        try {
            thread.start();
            standIn.join(5_000);
            assertThat(standIn.isAlive()).isFalse();
            realDue.within(0);
            assertThat(ran.poll(5, SECONDS)).isSameAs(thread);
        } finally {
            real.close();
        }
        await().until(() -> !thread.isAlive());
    }

    @Test
    void threadThatTakesOver_duringARun_waitsForItsEnd() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger atOnce = new AtomicInteger();
        LinkedBlockingQueue<Integer> ran = new LinkedBlockingQueue<>();
        DueMoment realDue = new DueMoment(new SystemTime());
        Pulse real = new Pulse(realDue, () -> {
            ran.add(atOnce.incrementAndGet());
            running.countDown();
            awaitUninterruptibly(mayEnd);
            atOnce.decrementAndGet();
            realDue.within(0);
        });
        realDue.within(0);
        new Thread(real::standIn).start();
        assertThat(running.await(5, SECONDS)).isTrue();
        Thread thread = new Thread(real);
        thread.start();
        await().until(() -> thread.getState() == Thread.State.WAITING);
        mayEnd.countDown();
        for (int run = 0; run < 10; run++) {
            assertThat(ran.poll(5, SECONDS)).as("runs at once").isEqualTo(1);
        }
        real.close();
        await().until(() -> !thread.isAlive());
    }

    @Test
    void threadThatStandsIn_whenTheOtherHasBegunBefore_endsAtOnce() throws Exception {
        DueMoment realDue = new DueMoment(new SystemTime());
        Pulse real = new Pulse(realDue, () -> {});
        Thread thread = new Thread(real);
        thread.start();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        Thread standIn = new Thread(real::standIn);
        standIn.start();
        standIn.join(5_000);
        assertThat(standIn.isAlive()).isFalse();
        real.close();
        await().until(() -> !thread.isAlive());
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void close_endsTheThreadThatStandsIn_andWhatIsToBeDoneAtTheEndIsDone() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Pulse real = new Pulse(new DueMoment(new SystemTime()), () -> {}, ended::countDown);
        Thread standIn = new Thread(real::standIn);
        standIn.start();
        real.close();
        standIn.join(5_000);
        assertThat(standIn.isAlive()).isFalse();
        assertThat(ended.getCount()).isZero();
    }

    /** Each of many threads reports a moment that is earlier than all that were known, and none is lost. */
    @Test
    void moments_ofManyThreads_areMet() throws Exception {
        LinkedBlockingQueue<Long> ran = new LinkedBlockingQueue<>();
        DueMoment realDue = new DueMoment(new SystemTime());
        Pulse real = new Pulse(realDue, () -> ran.add(System.nanoTime()));
        Thread thread = new Thread(real);
        realDue.within(0);
        thread.start();
        ran.take();
        try {
            for (int i = 0; i < 50; i++) {
                long asked = System.nanoTime();
                Thread other = new Thread(() -> realDue.within(nanos(2)));
                other.start();
                realDue.within(nanos(5));
                other.join();
                Long met = ran.poll(5, SECONDS);
                while (met != null && met < asked + nanos(2)) { // for a report before, which came late
                    met = ran.poll(5, SECONDS);
                }
                assertThat(met).isNotNull();
            }
        } finally {
            real.close();
        }
        await().until(() -> !thread.isAlive());
    }
}
