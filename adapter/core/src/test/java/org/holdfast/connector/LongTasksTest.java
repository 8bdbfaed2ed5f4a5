// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkManager;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
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

    private static WorkManager worksOn(ExecutorService pool) {
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
