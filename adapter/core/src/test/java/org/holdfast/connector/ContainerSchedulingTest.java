// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is repeated runs on the executor of the container while that works, and else on a timer. */
@Timeout(60)
class ContainerSchedulingTest extends SchedulingOnExecutor {

    /** Of an executor: it is not yet one that the adapter leaves. */
    private static final Duration STANDSTILL =
            Duration.ofNanos(ManagedTask.TURN_NANOS * ManagedTask.STANDSTILL_TURNS / 2);

    /** As the managed executor of a server that is being suspended: takes the task and never runs it. */
    private static class Suspended extends ScheduledThreadPoolExecutor {
        private volatile boolean resumed;

        Suspended() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            return resumed ? super.schedule(task, delay, unit) : super.schedule(() -> {}, 1, TimeUnit.DAYS);
        }

        @Override
        public void execute(Runnable task) {
            if (!resumed) {
                throw new RejectedExecutionException("suspended");
            }
            super.execute(task);
        }
    }

    /** Has a task run again and again, so many milliseconds apart. */
    private static void repeat(ContainerScheduling scheduling, long millis, Runnable task) {
        scheduling.repeat(() -> {
            scheduling.within(TimeUnit.MILLISECONDS.toNanos(millis));
            task.run();
        });
    }

    private static boolean isManaged(Thread thread) {
        return thread.getName().startsWith("pool-");
    }

    /** An executor that stood still meanwhile, on a busy machine, is left for so long and no longer. */
    @Test
    void repeat_onAnExecutorThatRuns_staysThere() throws Exception {
        CountDownLatch runs = new CountDownLatch(10);
        CountDownLatch managedRuns = new CountDownLatch(10);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        AtomicLong last = new AtomicLong(System.nanoTime());
        AtomicLong longestGap = new AtomicLong();
        executor.scheduleAtFixedRate(
                () -> {
                    long now = System.nanoTime();
                    longestGap.accumulateAndGet(now - last.getAndSet(now), Math::max);
                },
                0,
                10,
                TimeUnit.MILLISECONDS);
        try (ContainerScheduling scheduling = scheduling(executor)) {
            repeat(scheduling, 200, () -> {
                threads.add(Thread.currentThread());
                runs.countDown();
                if (isManaged(Thread.currentThread())) {
                    managedRuns.countDown();
                }
            });
            assertThat(runs.await(15, SECONDS)).isTrue();
            if (longestGap.get() < STANDSTILL.toNanos()) {
                assertThat(threads).allMatch(ContainerSchedulingTest::isManaged);
            }
            assertThat(managedRuns.await(15, SECONDS)).isTrue();
        }
        assertThat(log.beginningWith("HF0")).isEmpty();
    }

    /** The alarm is set by a thread of the adapter: on that of the caller, it would be the application's task. */
    @Test
    void moment_thatAnApplicationMakesEarlier_isMetOnTheExecutor() throws Exception {
        LinkedBlockingQueue<Thread> ran = new LinkedBlockingQueue<>();
        Set<Thread> setters = ConcurrentHashMap.newKeySet();
        ScheduledThreadPoolExecutor noting = new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                setters.add(Thread.currentThread());
                return super.schedule(task, delay, unit);
            }
        };
        try (ContainerScheduling scheduling = scheduling(noting)) {
            scheduling.repeat(() -> ran.add(Thread.currentThread()));
            assertThat(ran.poll(5, SECONDS)).isNotNull();
            setters.clear();
            for (int i = 0; i < 20; i++) {
                scheduling.within(TimeUnit.MILLISECONDS.toNanos(1));
                assertThat(ran.poll(5, SECONDS)).isNotNull().matches(ContainerSchedulingTest::isManaged);
            }
            assertThat(noting.getQueue()).hasSizeLessThanOrEqualTo(Alarms.MOST);
        } finally {
            noting.shutdownNow();
        }
        assertThat(setters).isNotEmpty().doesNotContain(Thread.currentThread());
    }

    @Test
    void repeat_onAnExecutorThatStandsStill_isDoneByTheTimer() throws Exception {
        Suspended suspended = new Suspended();
        CountDownLatch runs = new CountDownLatch(10);
        try (ContainerScheduling scheduling = scheduling(suspended)) {
            repeat(scheduling, 1, runs::countDown);
            assertThat(runs.await(10, SECONDS)).isTrue();
        } finally {
            suspended.shutdownNow();
        }
    }

    /** A server that starts, or has much to do, needs some time for each task. */
    @Test
    void repeat_onAnExecutorThatWasBusy_returnsToItWithoutAWord() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch onTheTimer = new CountDownLatch(10);
        CountDownLatch onTheExecutor = new CountDownLatch(50);
        try (ContainerScheduling scheduling = scheduling(executor)) {
            executor.execute(() -> awaitQuietly(end));
            repeat(scheduling, 5, () -> (isManaged(Thread.currentThread()) ? onTheExecutor : onTheTimer).countDown());
            assertThat(onTheTimer.await(10, SECONDS)).isTrue();
            end.countDown();
            assertThat(onTheExecutor.await(10, SECONDS)).isTrue();
        }
        assertThat(log.beginningWith("HF0")).isEmpty();
    }

    @Test
    void repeat_onAnExecutorThatIsResumed_returnsToIt() throws Exception {
        Suspended suspended = new Suspended();
        AtomicReference<Thread> last = new AtomicReference<>();
        try (ContainerScheduling scheduling = scheduling(suspended)) {
            repeat(scheduling, 1, () -> last.set(Thread.currentThread()));
            await().until(() -> last.get() != null && !isManaged(last.get()));
            suspended.resumed = true;
            await().until(() -> isManaged(last.get()));
        } finally {
            suspended.shutdownNow();
        }
    }

    @Test
    void newTimer_hasAThreadOfAHoldfastName() throws Exception {
        AtomicReference<String> name = new AtomicReference<>();
        Timer ours = SpareThreads.newTimer();
        ours.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        name.set(Thread.currentThread().getName());
                    }
                },
                0);
        await().untilAsserted(() -> assertThat(name.get()).startsWith("holdfast-timer-"));
        ours.cancel();
    }

    /** As a suspended one, of a container that has forgotten the task, or is about to go. */
    private static final class Broken extends Suspended {

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            return (ScheduledFuture<?>) Proxy.newProxyInstance(
                    Broken.class.getClassLoader(), new Class<?>[] {ScheduledFuture.class}, (proxy, method, args) -> {
                        throw new IllegalStateException("the application of this task is gone");
                    });
        }
    }

    @Test
    void repeat_onAnExecutorThatStandsStillAndDoesNotCancel_isDoneByTheTimer() throws Exception {
        Suspended broken = new Broken();
        CountDownLatch runs = new CountDownLatch(10);
        try (ContainerScheduling scheduling = scheduling(broken)) {
            repeat(scheduling, 1, runs::countDown);
            assertThat(runs.await(10, SECONDS)).isTrue();
        } finally {
            broken.shutdownNow();
        }
    }

    @Test
    void close_onAnExecutorThatDoesNotCancel_endsTheTimer() throws Exception {
        Suspended broken = new Broken();
        ContainerScheduling scheduling = scheduling(broken);
        scheduling.repeat(() -> {});
        scheduling.close();
        broken.shutdownNow();
        assertThatIllegalStateException().isThrownBy(() -> onTheTimer(() -> {}));
    }

    /** As on a server that is being shut down, or has no threads to give. */
    @Test
    void repeat_onAnExecutorThatTakesNoTask_isDoneByTheTimer() throws Exception {
        executor.shutdownNow();
        CountDownLatch runs = new CountDownLatch(10);
        try (ContainerScheduling scheduling = scheduling(executor)) {
            repeat(scheduling, 1, runs::countDown);
            assertThat(runs.await(10, SECONDS)).isTrue();
        }
    }

    @Test
    void repeat_withoutAnExecutor_isDoneByTheTimer() throws Exception {
        CountDownLatch runs = new CountDownLatch(10);
        try (ContainerScheduling scheduling = scheduling(null)) {
            repeat(scheduling, 1, runs::countDown);
            assertThat(runs.await(10, SECONDS)).isTrue();
        }
        assertThat(log.beginningWith("HF0")).isEmpty();
    }

    private void onTheTimer(Runnable task) {
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        task.run();
                    }
                },
                0);
    }

    @Test
    void close_endsBoth() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        ContainerScheduling scheduling = scheduling(executor);
        repeat(scheduling, 5, runs::incrementAndGet);
        scheduling.close();
        executor.shutdown();
        assertThat(executor.awaitTermination(5, SECONDS)).isTrue();
    }
}
