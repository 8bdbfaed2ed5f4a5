// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import jakarta.resource.spi.work.WorkRejectedException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.holdfast.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class ContainerSchedulingTest {

    private final Timer timer = new Timer(true);
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
    private final LogLines log = LogLines.of("org.holdfast.connector");
    private final StubNaming naming = StubNaming.start();

    @AfterEach
    void stop() {
        naming.close();
        log.close();
        timer.cancel();
        executor.shutdownNow();
    }

    /** The first timer is that of the heartbeat. */
    private ContainerScheduling scheduling(ScheduledExecutorService managed) {
        Iterator<Timer> first = List.of(timer).iterator();
        return new ContainerScheduling(managed, () -> first.hasNext() ? first.next() : new Timer(true), null);
    }

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

    @Test
    void repeat_onAnExecutorThatRuns_staysThere() throws Exception {
        CountDownLatch runs = new CountDownLatch(10);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (ContainerScheduling scheduling = scheduling(executor)) {
            repeat(scheduling, 200, () -> {
                threads.add(Thread.currentThread());
                runs.countDown();
            });
            assertThat(runs.await(10, SECONDS)).isTrue();
        }
        assertThat(threads).allMatch(ContainerSchedulingTest::isManaged);
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

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(10, SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns an executor as servers bind it. */
    private ManagedScheduledExecutorService managed() {
        return (ManagedScheduledExecutorService) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ManagedScheduledExecutorService.class},
                (proxy, method, args) -> method.invoke(executor, args));
    }

    private void assertHeartbeatOnTheExecutor(String scheduler) throws ResourceException {
        try (RunningAdapter running = new RunningAdapter("redis://127.0.0.1:1", scheduler)) {
            await().until(() -> executor.getCompletedTaskCount() > 0);
            assertThat(log.beginningWith("HF0")).isEmpty();
        }
    }

    @Test
    void adapter_withASchedulerOfItsOwn_renewsOnThat() throws Exception {
        naming.bind("java:app/mine", managed());
        assertHeartbeatOnTheExecutor("java:app/mine");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java:comp/DefaultManagedScheduledExecutorService",
                "java:jboss/ee/concurrency/scheduler/default",
                "concurrent/__defaultManagedScheduledExecutorService"
            })
    void adapter_withoutScheduler_renewsOnThatOfTheServer(String name) throws Exception {
        naming.bind(name, managed());
        assertHeartbeatOnTheExecutor(null);
    }

    @Test
    void adapter_onAServerWithoutScheduler_saysOnceThatTheTimerRenews() throws Exception {
        try (RunningAdapter running = new RunningAdapter("redis://127.0.0.1:1")) {
            LockManagedConnectionFactory other = running.newFactory();
            other.setKeyPrefix("other");
            other.createManagedConnection(null, null); // a lock service more
            running.managed();
            assertThat(log.beginningWith("HF0")).singleElement().asString().startsWith("HF0406");
        }
    }

    @Test
    void scheduler_thatIsNoManagedExecutor_isRefused() {
        naming.bind("java:app/mine", executor);
        List<String> violations = new ArrayList<>();
        assertThat(ContainerScheduling.findExecutor("java:app/mine", violations))
                .isNull();
        assertThat(violations).singleElement().asString().startsWith("HF0405").contains("'java:app/mine'");
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

    /** An executor is shared with applications, whose tasks may never end. */
    @Test
    void tasks_onAnExecutorWhoseThreadsAreBlocked_beginAllTheSame() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        executor.execute(() -> awaitQuietly(end));
        CountDownLatch begun = new CountDownLatch(1 + 1 + 64);
        try (ContainerScheduling scheduling = scheduling(executor)) {
            scheduling.execute(begun::countDown);
            for (int i = 0; i < 64; i++) {
                scheduling.runApplication(() -> {
                    begun.countDown();
                    awaitQuietly(end);
                });
            }
            scheduling.execute(begun::countDown);
            assertThat(begun.await(5, SECONDS)).isTrue();
        } finally {
            end.countDown();
        }
    }

    @Test
    void tasks_thatTheContainerDropsWhenItStops_beginAllTheSame() throws Exception {
        CountDownLatch begun = new CountDownLatch(3);
        executor.execute(() -> awaitQuietly(begun));
        ContainerScheduling scheduling = scheduling(executor);
        scheduling.execute(begun::countDown);
        scheduling.runApplication(begun::countDown);
        scheduling.close();
        executor.getQueue().clear();
        await().pollDelay(Duration.ofMillis(100)).until(() -> true);
        scheduling.runApplication(begun::countDown); // of a service that is stopped a moment later
        assertThat(begun.await(5, SECONDS)).isTrue();
    }

    /** As the former adapter's on Open Liberty, when its settings were changed: NullPointerException, each time. */
    static Stream<Throwable> refusals() {
        return Stream.of(
                new NullPointerException("the work manager has gone"),
                new IllegalStateException("stopped"),
                new WorkRejectedException("stopped"),
                new OutOfMemoryError("unable to create native thread"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void tasks_thatTheContainerHasNoThreadFor_beginAllTheSame(Throwable refusal) throws Exception {
        CountDownLatch begun = new CountDownLatch(3);
        try (ContainerScheduling scheduling =
                scheduling(refusing(ManagedScheduledExecutorService.class, refusal), refusal)) {
            scheduling.execute(begun::countDown);
            scheduling.runApplication(begun::countDown);
            scheduling.runLong(begun::countDown);
            assertThat(begun.await(5, SECONDS)).isTrue();
        }
        assertThat(log.beginningWith("HF0")).isEmpty();
    }

    private ContainerScheduling scheduling(ScheduledExecutorService managed, Throwable refusal) {
        return new ContainerScheduling(managed, () -> new Timer(true), refusing(WorkManager.class, refusal));
    }

    /** Throws whatever the refusal is, except where a checked exception would be undeclared. */
    private static <T> T refusing(Class<T> type, Throwable refusal) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            throw refusal instanceof WorkException && type != WorkManager.class
                    ? new RejectedExecutionException(refusal)
                    : refusal;
        }));
    }

    @Test
    void longTasks_thatTheContainerAcceptsAndDoesNotBegin_beginAllTheSame() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        WorkManager suspended = (WorkManager) Proxy.newProxyInstance(
                WorkManager.class.getClassLoader(), new Class<?>[] {WorkManager.class}, (proxy, method, args) -> null);
        try (ContainerScheduling scheduling = new ContainerScheduling(null, () -> new Timer(true), suspended)) {
            scheduling.runLong(begun::countDown);
            assertThat(begun.await(5, SECONDS)).isTrue();
        }
    }

    @Test
    void task_thatTheExecutorRuns_runsOnce() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (ContainerScheduling scheduling = scheduling(executor)) {
            scheduling.execute(runs::incrementAndGet);
            scheduling.runApplication(runs::incrementAndGet);
            await().pollDelay(Duration.ofMillis(100)).until(() -> runs.get() >= 2);
        }
        assertThat(runs).hasValue(2);
    }
}
