// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkManager;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Queue;
import java.util.Timer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As in an EAR on Open Liberty, which remembers each context class loader that a task was submitted with. */
@Timeout(20)
class SubmissionTest {

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();
    private final ClassLoader adapters = new URLClassLoader(new URL[0], before);
    private final Queue<ClassLoader> captured = new ConcurrentLinkedQueue<>();
    private final LinkedBlockingQueue<ClassLoader> ran = new LinkedBlockingQueue<>();

    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1) {
        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            capture();
            return super.schedule(task, delay, unit);
        }

        @Override
        public void execute(Runnable task) {
            capture();
            super.execute(task);
        }
    };

    private final WorkManager works = (WorkManager) Proxy.newProxyInstance(
            WorkManager.class.getClassLoader(), new Class<?>[] {WorkManager.class}, (proxy, method, args) -> {
                capture();
                ((Work) args[0]).run();
                return null;
            });

    private void capture() {
        captured.add(Thread.currentThread().getContextClassLoader());
    }

    private void note() {
        ran.add(Thread.currentThread().getContextClassLoader());
    }

    @BeforeEach
    void begin() {
        executor.prestartAllCoreThreads(); // its thread has another one
        Thread.currentThread().setContextClassLoader(adapters);
    }

    @AfterEach
    void end() {
        Thread.currentThread().setContextClassLoader(before);
        executor.shutdownNow();
    }

    private ContainerScheduling scheduling(ScheduledThreadPoolExecutor managed) {
        return new ContainerScheduling(managed, () -> new Timer(true), works);
    }

    @Test
    void repeatedTask_leavesTheExecutorNoClassLoaderAndRunsWithTheAdapters() throws Exception {
        try (ContainerScheduling scheduling = scheduling(executor)) {
            scheduling.repeat(() -> {
                scheduling.within(1);
                note();
            });
            for (int run = 0; run < 10; run++) {
                assertThat(ran.poll(5, SECONDS)).isSameAs(adapters);
            }
        }
        assertThat(captured)
                .as("a run that is late has nothing submitted for it")
                .hasSizeGreaterThan(1)
                .containsOnly(ClassLoader.getSystemClassLoader());
    }

    @Test
    void task_leavesTheExecutorNoClassLoaderAndRunsWithTheSubmitters() throws Exception {
        try (ContainerScheduling scheduling = scheduling(executor)) {
            scheduling.execute(this::note);
            scheduling.runApplication(this::note);
            assertThat(ran.poll(5, SECONDS)).isSameAs(adapters);
            assertThat(ran.poll(5, SECONDS)).isSameAs(adapters);
        }
        assertThat(captured).isNotEmpty().containsOnly(ClassLoader.getSystemClassLoader());
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(adapters);
    }

    @Test
    void task_leavesTheWorkManagerNoClassLoaderAndRunsWithTheSubmitters() throws Exception {
        try (ContainerScheduling scheduling = scheduling(null)) {
            scheduling.execute(this::note);
            assertThat(ran.poll(5, SECONDS)).isSameAs(adapters);
        }
        assertThat(captured).containsExactly(ClassLoader.getSystemClassLoader());
    }

    @Test
    void task_thatFails_leavesTheThreadsClassLoader() throws Exception {
        try (ContainerScheduling scheduling = scheduling(executor)) {
            scheduling.execute(() -> {
                throw new IllegalStateException("on purpose");
            });
        }
        executor.submit(this::note).get();
        assertThat(ran.poll(5, SECONDS)).isNotSameAs(adapters);
    }
}
