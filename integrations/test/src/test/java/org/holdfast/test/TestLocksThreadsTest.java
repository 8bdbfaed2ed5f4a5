// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks in memory where several threads use them, and where the application's code blocks or calls back. */
@Timeout(30)
class TestLocksThreadsTest {

    private final TestLocks locks = TestLocks.create();
    private final LockConnection connection = locks.factory().getConnection();

    @AfterEach
    void close() {
        locks.close();
    }

    private void awaitWaiting(int callers) {
        while (locks.waiting() < callers) {
            Thread.onSpinWait();
        }
    }

    private CompletableFuture<Lease> acquireInThread(LockRequest request) {
        CompletableFuture<Lease> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(locks.factory().getConnection().acquire(request));
            } catch (InterruptedException | RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    @Test
    void advance_listenerBlocks_isLeftAfterOneSecond() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        connection.acquire("stock").onLost(loss -> awaitUninterruptibly(never));
        connection.acquire("other");
        long begun = System.nanoTime();
        locks.lose("stock");
        locks.advance(Duration.ofMinutes(10));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
        never.countDown();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void lose_listenerTakesAnotherLockAndMovesTheClock_returns() throws InterruptedException {
        AtomicReference<Optional<Lease>> taken = new AtomicReference<>();
        connection.acquire("stock").onLost(loss -> {
            locks.lose("third");
            locks.advance(Duration.ofSeconds(40));
            taken.set(tryAcquire("other"));
        });
        connection.acquire("third");
        locks.lose("stock");
        assertThat(taken.get()).isPresent();
    }

    private Optional<Lease> tryAcquire(String name) {
        try {
            return locks.factory()
                    .getConnection()
                    .tryAcquire(LockRequest.of(name).detached());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @RepeatedTest(20)
    void advance_byTwoThreads_renewsAll() throws Exception {
        Lease lease = connection.acquire("stock");
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> locks.advance(Duration.ofMinutes(30)));
        locks.advance(Duration.ofMinutes(30));
        other.get(20, TimeUnit.SECONDS);
        assertThat(lease.isHeld()).isTrue();
    }

    @RepeatedTest(50)
    void release_fairWaiters_areServedInTheirOrder() throws Exception {
        Lease first = connection.acquire("stock");
        LockRequest fair = LockRequest.of("stock").fair(true);
        CompletableFuture<Lease> second = acquireInThread(fair);
        awaitWaiting(1);
        CompletableFuture<Lease> third = acquireInThread(fair);
        awaitWaiting(2);
        first.release();
        Lease served = second.get(10, TimeUnit.SECONDS);
        assertThat(third).isNotDone();
        served.release();
        assertThat(third.get(10, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void waiter_isInterrupted_leavesTheLine() throws Exception {
        Lease lease = connection.acquire("stock");
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try (LockConnection own = locks.factory().getConnection()) {
                own.acquire("stock");
            } catch (InterruptedException e) {
                failure.complete(e);
            }
        });
        thread.start();
        awaitWaiting(1);
        thread.interrupt();
        assertThat(failure.get(10, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        assertThat(locks.waiting()).isZero();
        lease.release();
        assertThat(locks.holders("stock")).isEmpty();
    }

    @Test
    void advance_callerWaitsInAnotherThread_itsTimeoutEnds() {
        locks.hold("stock");
        CompletableFuture<Lease> waiting =
                acquireInThread(LockRequest.of("stock").waitTimeout(Duration.ofHours(1)));
        awaitWaiting(1);
        locks.advance(Duration.ofHours(2));
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS));
    }

    @Test
    void lose_twoReaders_bothAreLost() throws InterruptedException {
        LockRequest reading = LockRequest.of("stock").mode(LockMode.READ);
        Lease first = connection.acquire(reading);
        Lease second = locks.otherProcess().getConnection().acquire(reading);
        locks.lose(reading);
        assertThat(List.of(first, second)).noneMatch(Lease::isHeld);
    }

    @Test
    void lose_severalNames_isLost() throws InterruptedException {
        LockRequest both = LockRequest.allOf("stock", "price");
        Lease lease = connection.acquire(both);
        locks.lose("price");
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void permit_allTaken_thirdIsRefused() throws InterruptedException {
        LockRequest permit = LockRequest.semaphore("stock", 2).waitTimeout(Duration.ZERO);
        Lease first = connection.acquire(permit);
        locks.otherProcess().getConnection().acquire(permit);
        assertThat(locks.factory().getConnection().tryAcquire(permit)).isEmpty();
        first.release();
        assertThat(locks.factory().getConnection().tryAcquire(permit)).isPresent();
    }

    @Test
    void latch_countedDownByTheOtherProcess_opens() throws Exception {
        DistributedLatch latch = connection.latch("ready", 1, 2);
        CompletableFuture<Boolean> opened = CompletableFuture.supplyAsync(() -> {
            try {
                return latch.await(Duration.ofMinutes(1));
            } catch (InterruptedException e) {
                return false;
            }
        });
        DistributedLatch other = locks.otherProcess().getConnection().latch("ready", 1, 2);
        other.countDown();
        other.countDown();
        assertThat(opened.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void latch_skippedWait_ends() throws InterruptedException {
        locks.skipWaits();
        assertThat(connection.latch("ready", 1, 1).await(Duration.ofHours(1))).isFalse();
    }

    @Test
    void close_majorityHangs_endsAtOnce() throws InterruptedException {
        connection.acquire("stock");
        locks.hang(0);
        locks.hang(1);
        long begun = System.nanoTime();
        locks.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void resume_releasedWhileItHung_isFreeThere() throws InterruptedException {
        Lease lease = connection.acquire("stock");
        locks.hang(0);
        lease.release();
        locks.resume(0);
        locks.advance(Duration.ofSeconds(1));
        locks.hang(1);
        assertThat(locks.otherProcess().getConnection().tryAcquire(LockRequest.of("stock")))
                .isPresent();
    }
}
