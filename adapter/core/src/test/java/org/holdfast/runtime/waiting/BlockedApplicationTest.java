// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.waiting;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.runtime.Processes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application whose continuations and listeners do not return: what is not its own continues. */
@Timeout(90)
class BlockedApplicationTest {

    private static final LockRequest FAIR =
            LockRequest.of("a").fair(true).waitTimeout(ofSeconds(30)).detached();

    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger blocked = new AtomicInteger();
    private Processes processes;
    private LockConnection connection;

    @BeforeEach
    void start() {
        processes = Processes.start(3, 2, Map.of("ticketTtlMillis", "3000"));
        connection = processes.connection(0);
    }

    @AfterEach
    void stop() {
        end.countDown();
        processes.close();
    }

    private void block() {
        blocked.incrementAndGet();
        try {
            end.await(80, SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static LockRequest other(int number) {
        return LockRequest.of("other-" + number).waitTimeout(ofSeconds(30)).detached();
    }

    private static LockRequest second(Lease first) {
        return LockRequest.of(first.name() + "-second")
                .waitTimeout(ofSeconds(30))
                .detached();
    }

    private void blockContinuations(int count) throws Exception {
        continueEach(count, lease -> block());
        await().atMost(ofSeconds(30)).until(() -> blocked.get() == Math.min(count, 64));
    }

    /**
     * Another process has the locks until all is set up: what continues a future that is complete already runs on this
     * thread.
     */
    private List<CompletableFuture<Void>> continueEach(int count, Consumer<Lease> continuation) throws Exception {
        String[] names =
                IntStream.range(0, count).mapToObj(i -> other(i).name()).toArray(String[]::new);
        Lease held = processes.tryAcquire(1, LockRequest.allOf(names)).orElseThrow();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(connection.acquireAsync(other(i)).thenAccept(continuation));
        }
        held.release();
        return all;
    }

    @Test
    void fairLine_behindARequestOfThatProcess_goesOn() throws Exception {
        Lease lease = processes.tryAcquire(1, FAIR).orElseThrow();
        CompletableFuture<Lease> first = connection.acquireAsync(FAIR);
        processes.awaitTickets("a", 1);
        FutureTask<Lease> second = Processes.start(() -> connection.acquire(FAIR));
        processes.awaitTickets("a", 2);
        blockContinuations(8);
        lease.release();
        first.get(10, SECONDS).release();
        second.get(10, SECONDS).release();
        assertThat(processes.isFree(1, FAIR)).isTrue();
    }

    @Test
    void request_whoseTimeIsOver_leavesItsLine() throws Exception {
        Lease lease = processes.tryAcquire(1, FAIR).orElseThrow();
        blockContinuations(8);
        CompletableFuture<Lease> waiting = connection.acquireAsync(FAIR.waitTimeout(ofMillis(500)));
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiting.get(10, SECONDS))
                .withCauseInstanceOf(LockTimeoutException.class);
        processes.awaitTickets("a", 0);
        lease.release();
    }

    @Test
    void loss_isToldToOtherListeners() throws Exception {
        blockContinuations(80);
        CountDownLatch told = new CountDownLatch(1);
        LockRequest brief = LockRequest.of("a").fixedTtl(ofMillis(500)).detached();
        for (int i = 0; i < 8; i++) {
            LockRequest request =
                    LockRequest.of("a" + i).fixedTtl(ofMillis(300)).detached();
            connection.acquire(request).onLost(loss -> block());
        }
        connection.acquire(brief).onLost(loss -> told.countDown());
        assertThat(told.await(5, SECONDS)).isTrue();
    }

    @Test
    void continuations_thatWaitForAnotherLock_getIt() throws Exception {
        List<CompletableFuture<Void>> all = continueEach(8, lease -> {
            connection.acquireAsync(second(lease)).join().release();
            lease.release();
        });
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(20, SECONDS);
    }

    /** More than there are threads for: they wait for each other, until the wait timeout of what they wait for. */
    @Test
    void continuations_thatWaitForEachOther_areTold() throws Exception {
        CountDownLatch allThere = new CountDownLatch(64);
        List<CompletableFuture<Void>> all = continueEach(64, lease -> {
            allThere.countDown();
            try (lease) {
                allThere.await(30, SECONDS);
                connection
                        .acquireAsync(second(lease).waitTimeout(ofSeconds(2)))
                        .join()
                        .release();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                        .get(40, SECONDS))
                .havingRootCause()
                .isInstanceOf(LockException.class)
                .withMessageContaining("HF0217");
        await().until(() -> all.stream().allMatch(CompletableFuture::isDone));
        assertThat(processes.isFree(1, LockRequest.of("other-0-second"))).isTrue();
    }

    @Test
    void lockThatTheApplicationDoesNotFetch_isReleased() throws Exception {
        Lease lease = processes.tryAcquire(1, FAIR).orElseThrow();
        blockContinuations(64);
        CompletableFuture<Lease> unheard = connection.acquireAsync(FAIR.waitTimeout(ofSeconds(2)));
        processes.awaitTickets("a", 1);
        lease.release();
        assertThat(Processes.onAnotherThread(() -> processes.connection(1).acquire(FAIR))
                        .isHeld())
                .isTrue();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> unheard.get(10, SECONDS))
                .withMessageContaining("HF0217");
    }

    @Test
    void requests_thatTheApplicationCouldNotBeToldOf_takeNoLockFromOthers() throws Exception {
        Lease lease = processes.tryAcquire(1, FAIR).orElseThrow();
        blockContinuations(64);
        List<CompletableFuture<Void>> waiting = IntStream.range(0, 5)
                .mapToObj(i -> connection.acquireAsync(FAIR).thenAccept(Lease::release))
                .toList();
        processes.awaitTickets("a", 5);
        connection.acquireAsync(LockRequest.of("unheard").detached());
        processes.awaitTickets("a", 0);
        lease.release();
        Lease again = processes.tryAcquire(1, FAIR.waitTimeout(ofMillis(500))).orElseThrow();
        end.countDown();
        again.release();
        CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).get(10, SECONDS);
    }
}
