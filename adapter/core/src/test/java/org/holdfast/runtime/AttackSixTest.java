// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attacks on the waits of callers. */
@Timeout(90)
class AttackSixTest {

    private Processes processes;

    @AfterEach
    void stop() {
        if (processes != null) {
            processes.close();
        }
    }

    /** The application interrupts a thread that waits in lock(); then the thread loses a lease. */
    @Test
    void interruptOfTheApplication_keptWhileALeaseIsLost_survivesTheEndOfThatLease() throws Exception {
        processes = Processes.start(1, 2, Map.of());
        LockConnection connection = processes.connection(0);
        Lease elsewhere =
                processes.tryAcquire(1, LockRequest.of("x").detached()).orElseThrow();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch lost = new CountDownLatch(1);
        FutureTask<Boolean> work = new FutureTask<>(() -> {
            Lease short1 = connection.acquire(
                    LockRequest.of("short").maxHold(ofSeconds(3)).interruptOnLoss(true));
            short1.onLost(loss -> lost.countDown());
            begun.countDown();
            connection.lock("x").lock();
            connection.lock("x").unlock();
            short1.release();
            return Thread.interrupted();
        });
        Thread thread = new Thread(work);
        thread.start();
        begun.await();
        await().until(() -> engine().waiters() == 1);
        thread.interrupt(); // by the application
        await().until(() -> !thread.isInterrupted()); // kept aside
        assertThat(lost.getCount()).isEqualTo(1);
        lost.await();
        elsewhere.release();
        assertThat(work.get(20, SECONDS)).as("the application's interrupt").isTrue();
    }

    /** Asynchronous callers have few threads for their attempts, and a majority hangs. */
    @Test
    void asynchronousCallers_whileAMajorityHangs_getTheirAnswersInTime() throws Exception {
        processes = Processes.start(3, 1, Map.of("nodeTimeoutMillis", "500"));
        LockConnection connection = processes.connection(0);
        connection.acquire("warm").release();
        processes.redis.get(0).freeze();
        processes.redis.get(1).freeze();
        try {
            long begun = System.nanoTime();
            List<CompletableFuture<Long>> ends = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                ends.add(connection
                        .acquireAsync(LockRequest.of("n" + i)
                                .waitTimeout(ofMillis(300))
                                .detached())
                        .handle((lease, e) -> System.nanoTime() - begun));
            }
            long longest = 0;
            for (CompletableFuture<Long> end : ends) {
                longest = Math.max(longest, end.get(60, SECONDS));
            }
            System.out.println("longest async answer ms: " + longest / 1_000_000);
            assertThat(longest).isLessThan(SECONDS.toNanos(4));
        } finally {
            processes.redis.get(0).thaw();
            processes.redis.get(1).thaw();
        }
    }

    private org.holdfast.protocol.LockEngine engine() throws Exception {
        return engine(0);
    }

    private org.holdfast.protocol.LockEngine engine(int process) throws Exception {
        Object service = field(processes.factory(process), "service");
        return (org.holdfast.protocol.LockEngine) field(service, "engine");
    }

    static Object field(Object of, String name) throws Exception {
        for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
            try {
                java.lang.reflect.Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field.get(of);
            } catch (NoSuchFieldException e) {
                // the next one
            }
        }
        throw new NoSuchFieldException(name);
    }
}
