// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.waiting;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.holdfast.runtime.management.LockServiceMXBean;
import org.holdfast.runtime.operations.Beans;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fair waiters of one process are served in the order in which they came, whatever their threads do meanwhile. */
@Timeout(120)
class OrderOfArrivalTest {

    private static final int ROUNDS = 20;
    private static final int WAITERS = 8;
    private static final List<Integer> IN_ORDER =
            IntStream.range(0, WAITERS).boxed().toList();

    private static LockRequest request(int round, LockMode mode) {
        return LockRequest.of("lock-" + round).mode(mode).fair(mode == LockMode.EXCLUSIVE);
    }

    @ParameterizedTest
    @EnumSource(
            value = LockMode.class,
            names = {"EXCLUSIVE", "WRITE"})
    void requestsWithoutThreads_madeOneAfterTheOther_areServedInThisOrder(LockMode mode) throws Exception {
        try (Processes processes = Processes.start(3, 1, Map.of())) {
            for (int round = 0; round < ROUNDS; round++) {
                LockRequest request = request(round, mode);
                Lease held = processes.tryAcquire(0, request).orElseThrow();
                List<Integer> served = Collections.synchronizedList(new ArrayList<>());
                List<CompletableFuture<Void>> all = new ArrayList<>();
                for (int waiter : IN_ORDER) {
                    all.add(processes
                            .connection(0)
                            .acquireAsync(request.waitTimeout(Duration.ofSeconds(30)))
                            .toCompletableFuture()
                            .thenAccept(lease -> {
                                served.add(waiter);
                                lease.release();
                            }));
                }
                held.release();
                for (CompletableFuture<Void> each : all) {
                    each.get(20, SECONDS);
                }
                assertThat(served).containsExactlyElementsOf(IN_ORDER);
            }
        }
    }

    /**
     * More than ask the nodes within a node timeout. If one of them goes ahead of others, the nodes have to know it as
     * the first one, too: else the lock is free, and all of them wait.
     */
    @Test
    void requestsWithoutThreads_moreThanAskWithinANodeTimeout_areAllServed() throws Exception {
        int waiters = 3_000;
        try (Processes processes = Processes.start(3, 1, Map.of("nodeTimeoutMillis", "200"))) {
            LockRequest request = request(0, LockMode.EXCLUSIVE).waitTimeout(Duration.ofSeconds(60));
            Lease held = processes.tryAcquire(0, request).orElseThrow();
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int waiter = 0; waiter < waiters; waiter++) {
                all.add(processes
                        .connection(0)
                        .acquireAsync(request)
                        .toCompletableFuture()
                        .thenAccept(Lease::release));
            }
            held.release();
            for (CompletableFuture<Void> each : all) {
                each.get(60, SECONDS);
            }
        }
    }

    /** Each stands in line when the next one comes; the nodes need not know that yet. */
    @Test
    void threads_thatStandInLineOneAfterTheOther_areServedInThisOrder() throws Exception {
        try (Processes processes = Processes.start(3, 1, Map.of())) {
            LockServiceMXBean service = Beans.newest();
            for (int round = 0; round < ROUNDS; round++) {
                LockRequest request = request(round, LockMode.EXCLUSIVE);
                Lease held = processes.tryAcquire(0, request).orElseThrow();
                List<Integer> served = Collections.synchronizedList(new ArrayList<>());
                List<FutureTask<Boolean>> all = new ArrayList<>();
                for (int waiter : IN_ORDER) {
                    all.add(Processes.start(() -> {
                        Lease lease = processes.connection(0).acquire(request.waitTimeout(Duration.ofSeconds(30)));
                        boolean first = served.add(waiter);
                        lease.release();
                        return first;
                    }));
                    await().pollDelay(Duration.ZERO)
                            .pollInterval(Duration.ofNanos(100_000))
                            .until(() -> service.getWaiters() > waiter);
                }
                held.release();
                for (FutureTask<Boolean> each : all) {
                    each.get(20, SECONDS);
                }
                assertThat(served).containsExactlyElementsOf(IN_ORDER);
            }
        }
    }
}
