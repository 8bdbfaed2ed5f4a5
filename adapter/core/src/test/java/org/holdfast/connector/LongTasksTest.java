// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkManager;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Long tasks beside a server that has few threads, as Open Liberty: one pool runs requests, works, managed tasks and
 * changes of the configuration.
 */
@Timeout(30)
class LongTasksTest {

    private static final int THREADS_OF_OURS = 32;
    private static final int THREADS_OF_THE_SERVER = 2;

    private final ExecutorService pool = Executors.newFixedThreadPool(THREADS_OF_THE_SERVER);
    private final ContainerScheduling scheduling = new ContainerScheduling(null, () -> new Timer(true), worksOn(pool));
    private final CountDownLatch end = new CountDownLatch(1);
    private final Semaphore begun = new Semaphore(0);
    private final Set<String> threads = Collections.synchronizedSet(new HashSet<>());

    private static WorkManager worksOn(Executor pool) {
        return (WorkManager) Proxy.newProxyInstance(
                WorkManager.class.getClassLoader(), new Class<?>[] {WorkManager.class}, (proxy, method, args) -> {
                    pool.execute((Work) args[0]);
                    return null;
                });
    }

    @AfterEach
    void stop() {
        end.countDown();
        scheduling.close();
        pool.shutdownNow();
    }

    /** A task that lasts until the test ends. */
    private void last() {
        threads.add(Thread.currentThread().getName());
        begun.release();
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isCancelled(Timer timer) {
        try {
            timer.schedule(
                    new TimerTask() {
                        @Override
                        public void run() {
                            // nothing
                        }
                    },
                    0);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /** Each has a thread. */
    @Test
    void timers_ofAnAdapterThatStops_areCancelled() throws Exception {
        List<Timer> timers = Collections.synchronizedList(new ArrayList<>());
        ContainerScheduling stopped = new ContainerScheduling(
                null,
                () -> {
                    timers.add(new Timer(true));
                    return timers.get(timers.size() - 1);
                },
                worksOn(pool));
        CountDownLatch ran = new CountDownLatch(1);
        stopped.runLong(ran::countDown);
        assertThat(ran.await(10, SECONDS)).isTrue();
        stopped.close();
        stopped.close();
        assertThat(timers).hasSize(3);
        await().until(() -> timers.stream().allMatch(LongTasksTest::isCancelled));
    }

    @Test
    void timer_ofAnAdapterThatCannotStart_isCancelled() {
        Timer only = new Timer(true);
        Iterator<Timer> timers = List.of(only).iterator();
        assertThatExceptionOfType(NoSuchElementException.class)
                .isThrownBy(() -> new ContainerScheduling(null, timers::next, worksOn(pool)));
        assertThat(isCancelled(only)).isTrue();
    }

    /** The container takes no task, and the process has no thread left for a while. */
    @Test
    void task_forWhichNoThreadCanBeMade_beginsWhenOneCan() throws Exception {
        AtomicInteger made = new AtomicInteger();
        CountDownLatch begunAtLast = new CountDownLatch(1);
        try (ContainerScheduling refused = new ContainerScheduling(
                null,
                () -> {
                    int number = made.incrementAndGet();
                    if (number > 2 && number <= 9) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    return new Timer(true);
                },
                worksOn(task -> {
                    throw new RejectedExecutionException("stopped");
                }))) {
            refused.execute(begunAtLast::countDown);
            assertThat(begunAtLast.await(10, SECONDS)).isTrue();
        }
        assertThat(made.get()).isEqualTo(10);
    }

    private void runLong(int tasks) throws InterruptedException {
        for (int i = 0; i < tasks; i++) {
            scheduling.runLong(this::last);
        }
        assertThat(begun.tryAcquire(tasks, 10, SECONDS)).isTrue();
    }

    @Test
    void longTasks_thatLast_leaveTheServerItsThreads() throws Exception {
        runLong(THREADS_OF_THE_SERVER);
        pool.submit(() -> {}).get(5, SECONDS);
        assertThat(threads).noneMatch(name -> name.startsWith("pool-"));
    }

    @Test
    void longTasks_thatAreMoreThanTheAdapterHasThreadsFor_beginOnThoseOfTheServer() throws Exception {
        runLong(THREADS_OF_OURS + THREADS_OF_THE_SERVER);
        assertThat(threads).filteredOn(name -> name.startsWith("pool-")).hasSize(THREADS_OF_THE_SERVER);
    }

    @Test
    void threadsOfLongTasks_thatHaveEnded_areGivenBack() throws Exception {
        CountDownLatch ended = new CountDownLatch(2 * THREADS_OF_OURS);
        try (SpareThreads spare = new SpareThreads(() -> new Timer(true))) {
            for (int i = 0; i < 2 * THREADS_OF_OURS; i++) {
                while (!spare.beginLasting(ended::countDown)) {
                    Thread.onSpinWait(); // until one has ended
                }
            }
            assertThat(ended.await(10, SECONDS)).isTrue();
        }
    }
}
