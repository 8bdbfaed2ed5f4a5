// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.runtime.Processes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class AsyncTest {

    private static final LockRequest REQUEST =
            LockRequest.of("a").waitTimeout(ofSeconds(30)).detached();

    private Processes processes;
    private LockConnection connection;

    @BeforeEach
    void start() {
        processes = Processes.start(3, 2, Map.of());
        connection = processes.connection(0);
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    private static <T extends Throwable> void assertFails(CompletableFuture<Lease> future, Class<T> with) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> future.get(20, SECONDS))
                .withCauseInstanceOf(with);
    }

    @Test
    void freeLock_isGranted() throws Exception {
        Lease lease = connection.acquireAsync(REQUEST).get(10, SECONDS);
        assertThat(lease.isHeld()).isTrue();
        assertThat(processes.isFree(1, REQUEST)).isFalse();
        lease.release();
        await().until(() -> processes.isFree(1, REQUEST));
    }

    @Test
    void heldLock_isGrantedWhenItIsReleased() throws Exception {
        Lease other = processes.tryAcquire(1, REQUEST).orElseThrow();
        CompletableFuture<Lease> future = connection.acquireAsync(REQUEST);
        processes.awaitListening("a");
        assertThat(future).isNotDone();
        other.release();
        assertThat(future.get(10, SECONDS).token()).isGreaterThan(other.token());
    }

    @Test
    void waiter_asksSeldom() throws Exception {
        Lease other = processes.tryAcquire(1, REQUEST).orElseThrow();
        CompletableFuture<Lease> future = connection.acquireAsync(REQUEST);
        processes.awaitListening("a");
        int before = processes.scriptCalls(0);
        await().pollDelay(ofSeconds(3)).until(() -> true);
        assertThat(processes.scriptCalls(0) - before)
                .as("attempts in 3 s")
                .isLessThan(15); // asking all the time: 40 or more
        other.release();
        future.get(10, SECONDS).release();
    }

    @Test
    void lock_heldInTheSameProcess_isPassedOn() throws Exception {
        Lease mine = connection.acquireAsync(REQUEST).get(10, SECONDS);
        CompletableFuture<Lease> next = connection.acquireAsync(REQUEST);
        mine.release();
        assertThat(next.get(10, SECONDS).isHeld()).isTrue();
    }

    @Test
    void everyShape_isGrantedInItsTurn() throws Exception {
        List<LockRequest> shapes = List.of(
                REQUEST.fair(true),
                REQUEST.mode(LockMode.READ),
                REQUEST.mode(LockMode.WRITE),
                LockRequest.allOf("b", "a").waitTimeout(ofSeconds(30)).detached());
        for (LockRequest shape : shapes) {
            Lease other = processes.tryAcquire(1, REQUEST).orElseThrow();
            CompletableFuture<Lease> future = connection.acquireAsync(shape);
            processes.awaitListening("a");
            other.release();
            future.get(10, SECONDS).release();
        }
        processes.awaitTickets("a", 0);
        LockRequest permit =
                LockRequest.semaphore("pool", 1).waitTimeout(ofSeconds(30)).detached();
        Lease one = connection.acquireAsync(permit).get(10, SECONDS);
        CompletableFuture<Lease> other = connection.acquireAsync(permit);
        one.release();
        other.get(10, SECONDS).release();
    }

    @Test
    void waitTimeout_endsInAnException() throws Exception {
        Lease other = processes.tryAcquire(1, REQUEST).orElseThrow();
        assertFails(connection.acquireAsync(REQUEST.waitTimeout(ofMillis(0))), LockTimeoutException.class);
        assertFails(connection.acquireAsync(REQUEST.waitTimeout(ofMillis(200))), LockTimeoutException.class);
        assertThat(other.isHeld()).isTrue();
    }

    @Test
    void nodes_thatAreDown_areNamed() {
        processes.redis.get(0).kill();
        processes.redis.get(1).kill();
        assertFails(connection.acquireAsync(REQUEST.waitTimeout(ofMillis(300))), QuorumUnavailableException.class);
    }

    @Test
    void cancelled_leavesNothingBehind() throws Exception {
        Lease other = processes.tryAcquire(1, REQUEST).orElseThrow();
        CompletableFuture<Lease> first = connection.acquireAsync(REQUEST.fair(true));
        processes.awaitTickets("a", 1);
        CompletableFuture<Lease> second = connection.acquireAsync(REQUEST.fair(true));
        processes.awaitTickets("a", 2);
        first.cancel(false);
        processes.awaitTickets("a", 1);
        other.release();
        second.get(10, SECONDS).release();
        processes.awaitTickets("a", 0);
    }

    @Test
    void cancelled_justWhenItIsGranted_leavesNothingBehind() throws Exception {
        Random random = new Random(1);
        List<CompletableFuture<Lease>> futures = new ArrayList<>();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            CompletableFuture<Lease> future = connection.acquireAsync(REQUEST);
            futures.add(future);
            ends.add(future.thenAccept(Lease::release));
            if (random.nextInt(3) > 0) {
                futures.get(random.nextInt(futures.size())).cancel(false);
            }
        }
        for (CompletableFuture<Void> end : ends) {
            Throwable failure = end.handle((done, e) -> e).get(20, SECONDS);
            assertThat(failure == null || failure.getCause() instanceof CancellationException)
                    .as(String.valueOf(failure))
                    .isTrue();
        }
        await().until(() -> processes.isFree(1, REQUEST)); // what was cancelled just now is released by and by
    }

    @Test
    void thousandsThatWait_needNoThreads() throws Exception {
        int names = 200;
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < names; i++) {
            held.add(processes.tryAcquire(1, LockRequest.of("n" + i).detached()).orElseThrow());
        }
        int threadsBefore = Thread.activeCount();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 10 * names; i++) {
            waiting.add(connection.acquireAsync(
                    LockRequest.of("n" + i % names).waitTimeout(ofSeconds(60)).detached()));
        }
        await().pollDelay(ofSeconds(1)).until(() -> true);
        assertThat(Thread.activeCount() - threadsBefore).isLessThan(12);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        held.forEach(Lease::release);
        for (CompletableFuture<Lease> each : waiting) {
            each.thenAccept(Lease::release);
        }
        CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).get(60, SECONDS);
    }

    @Test
    void stoppedService_failsThoseWhoWait() throws Exception {
        processes.tryAcquire(1, REQUEST).orElseThrow();
        CompletableFuture<Lease> future = connection.acquireAsync(REQUEST);
        processes.awaitListening("a");
        processes.factory(0).close();
        assertFails(future, IllegalStateException.class);
    }

    @Test
    void lease_ofARequestWithAnotherScope_isDetached() throws Exception {
        Lease lease = connection.acquireAsync(LockRequest.of("a")).get(30, SECONDS);
        connection.close();
        assertThat(lease.isHeld()).isTrue();
        lease.release();
    }

    @Test
    void interruptOnLoss_hasNoThreadToInterrupt_isRefused() {
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> connection.acquireAsync(LockRequest.of("a").interruptOnLoss(true)));
    }
}
