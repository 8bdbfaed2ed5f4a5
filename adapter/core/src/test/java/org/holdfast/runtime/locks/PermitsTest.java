// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PermitsTest {

    private Processes processes;

    @BeforeEach
    void start() {
        processes = Processes.start(3, 3, Map.of());
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    @Test
    void everyPermit_isFoundAndNoMore() throws Exception {
        LockRequest request = LockRequest.semaphore("pool", 7);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            leases.add(processes.acquire(i % 3, request.detached()).get(10, SECONDS));
        }
        assertThat(processes.tryAcquire(0, request)).isEmpty();
        leases.get(3).release();
        assertThat(processes.acquire(1, request.detached()).get(10, SECONDS).isHeld())
                .isTrue();
        assertThat(processes.tryAcquire(2, request)).isEmpty();
    }

    @Test
    void holder_thatAsksAgain_getsAnotherPermit() throws Exception {
        LockConnection connection = processes.connection(0);
        LockRequest request = LockRequest.semaphore("pool", 2).waitTimeout(ofSeconds(0));
        Lease one = connection.acquire(request);
        Lease other = connection.acquire(request);
        assertThat(connection.tryAcquire(request)).isEmpty();
        one.release();
        assertThat(other.isHeld()).isTrue();
        assertThat(connection.tryAcquire(request)).isPresent();
    }

    @Test
    void waiter_isWokenWhenAPermitIsReleased() throws Exception {
        LockRequest request = LockRequest.semaphore("pool", 2);
        Lease one = processes.acquire(0, request.detached()).get(10, SECONDS);
        processes.acquire(1, request.detached()).get(10, SECONDS);
        FutureTask<Lease> waiter = processes.acquire(2, request);
        processes.awaitListening("pool");
        one.release();
        assertThat(waiter.get(10, SECONDS).isHeld()).isTrue();
    }

    @Test
    void semaphoreAndLock_ofTheSameName_areDifferentThings() throws Exception {
        processes.tryAcquire(0, LockRequest.semaphore("pool", 1)).orElseThrow();
        assertThat(processes.isFree(1, LockRequest.of("pool"))).isTrue();
    }

    @Test
    void holders_ofSeveralProcesses_areNeverMoreThanThePermits() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        List<FutureTask<Integer>> workers = new ArrayList<>();
        for (int worker = 0; worker < 9; worker++) {
            LockConnection connection = processes.connection(worker % 3);
            workers.add(Processes.start(() -> {
                int most = 0;
                for (int i = 0; i < 30; i++) {
                    try (Lease lease =
                            connection.acquire(LockRequest.semaphore("pool", 4).waitTimeout(ofSeconds(30)))) {
                        most = Math.max(most, inside.incrementAndGet());
                        assertThat(lease.isHeld()).isTrue();
                        inside.decrementAndGet();
                    }
                }
                return most;
            }));
        }
        for (FutureTask<Integer> worker : workers) {
            assertThat(worker.get(50, SECONDS)).isLessThanOrEqualTo(4);
        }
    }
}
