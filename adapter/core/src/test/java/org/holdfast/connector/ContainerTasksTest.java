// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import jakarta.resource.spi.work.WorkRejectedException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks begin where the container has no thread for them. */
@Timeout(20)
class ContainerTasksTest extends SchedulingOnExecutor {

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
