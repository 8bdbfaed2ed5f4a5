// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LockConnection;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.params.SetParams;

@Timeout(60)
class SeveralNamesTest {

    private static final LockRequest ALL = LockRequest.allOf("b", "a", "c");

    private Processes processes;

    @BeforeEach
    void start() {
        processes = Processes.start(3, 2, Map.of());
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    private boolean isFree(String name) throws Exception {
        return processes.isFree(1, LockRequest.of(name));
    }

    @Test
    void lease_coversAllNamesUntilReleased() throws Exception {
        Lease lease = processes.tryAcquire(0, ALL).orElseThrow();
        assertThat(lease.name()).isEqualTo("b");
        assertThat(lease.names()).containsExactly("b", "a", "c");
        for (String name : ALL.names()) {
            assertThat(isFree(name)).as(name).isFalse();
        }
        assertThat(lease.renew()).isTrue();
        lease.release();
        for (String name : ALL.names()) {
            await(name).until(() -> isFree(name));
        }
    }

    @Test
    void oneNameHeldByAnother_keepsAllFree() throws Exception {
        Lease other = processes.tryAcquire(1, LockRequest.of("c")).orElseThrow();
        assertThat(processes.tryAcquire(0, ALL)).isEmpty();
        await().until(() -> isFree("a"));
        await().until(() -> isFree("b"));
        other.release();
        assertThat(processes.tryAcquire(0, ALL)).isPresent();
    }

    @Test
    void attempt_takesOneRoundTrip() throws Exception {
        await().until(this::nodeGrantsAndLetsGo);
        int before = processes.scriptCalls(0);
        Lease lease = processes.tryAcquire(0, ALL).orElseThrow();
        await().until(() -> isHeldByNode(0));
        assertThat(processes.scriptCalls(0) - before).isOne();
        lease.release();
    }

    /**
     * Takes the lock and gives it back. A quorum is enough for either: a node that is late, and does not know the
     * script yet, is only told it for the next time.
     */
    private boolean nodeGrantsAndLetsGo() throws Exception {
        Lease lease = processes.tryAcquire(0, ALL).orElseThrow();
        boolean granted = isHeldByNode(0);
        lease.release();
        await().until(() -> !isHeldByNode(0));
        return granted;
    }

    private boolean isHeldByNode(int node) {
        return processes.ask(node, jedis -> jedis.exists("holdfast:{a}:lock"));
    }

    @Test
    void token_isLargerThanAnyBeforeOnEachName() throws Exception {
        Lease one = processes.tryAcquire(1, LockRequest.of("c")).orElseThrow();
        one.release();
        Lease lease = processes.tryAcquire(0, ALL).orElseThrow();
        lease.release();
        Lease after = processes.tryAcquire(1, LockRequest.of("a")).orElseThrow();
        assertThat(lease.token()).isGreaterThan(one.token()).isLessThan(after.token());
    }

    @Test
    void waiter_isWokenByTheReleaseOfAnyName() throws Exception {
        Lease other = processes.tryAcquire(1, LockRequest.of("c")).orElseThrow();
        FutureTask<Lease> waiter = processes.acquire(0, ALL);
        for (String name : ALL.names()) {
            processes.awaitListening(name);
        }
        other.release();
        assertThat(waiter.get(10, SECONDS).isHeld()).isTrue();
    }

    @Test
    void requests_forTheSameNamesInAnyOrder_neverWaitInACircle() throws Exception {
        List<FutureTask<Integer>> workers = new ArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        List<LockRequest> requests = List.of(
                LockRequest.allOf("a", "b"), LockRequest.allOf("b", "a"), LockRequest.allOf("b", "c", "a"), ALL);
        for (int worker = 0; worker < 4; worker++) {
            LockRequest request = requests.get(worker).waitTimeout(ofSeconds(30));
            int process = worker % 2;
            workers.add(Processes.start(() -> {
                int collisions = 0;
                for (int i = 0; i < 50; i++) {
                    Lease lease = processes.connection(process).acquire(request);
                    collisions += inside.getAndIncrement();
                    inside.decrementAndGet();
                    lease.release();
                }
                return collisions;
            }));
        }
        for (FutureTask<Integer> worker : workers) {
            assertThat(worker.get(40, SECONDS)).isZero();
        }
    }

    /** A caller has "b" and asks for "a", which is free; another one waits for both, and has neither. */
    @Test
    void holder_thatAsksForAFreeName_doesNotWaitForACallerThatWaitsForIt() throws Exception {
        LockConnection connection = processes.connection(0);
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch has = new CountDownLatch(1);
        FutureTask<Boolean> holder = Processes.start(() -> {
            Lease b = connection.acquire("b");
            has.countDown();
            waits.await();
            connection.lock("a").lock();
            connection.lock("a").unlock();
            b.release();
            return true;
        });
        has.await();
        FutureTask<Lease> both = processes.acquire(0, LockRequest.allOf("a", "b"));
        processes.awaitListening("b");
        waits.countDown();
        assertThat(holder.get(20, SECONDS)).isTrue();
        both.get(20, SECONDS).release();
    }

    /** Another process has "b"; "a" is free all the time, and one caller waits for both. */
    @Test
    void freeName_isNotReportedAsHeld_becauseACallerWaitsForSeveral() throws Exception {
        Lease b = processes.tryAcquire(1, LockRequest.of("b").detached()).orElseThrow();
        FutureTask<Lease> both = processes.acquire(0, LockRequest.allOf("a", "b"));
        processes.awaitListening("b");
        LockRequest onlyA = LockRequest.of("a").detached().waitTimeout(ofSeconds(5));
        for (LockRequest request :
                List.of(onlyA, LockRequest.allOf("a", "c").detached().waitTimeout(ofSeconds(5)))) {
            Optional<Lease> free = processes.connection(0).tryAcquire(request);
            assertThat(free).as(request.names().toString()).isPresent();
            free.get().release();
        }
        b.release();
        both.get(20, SECONDS).release();
    }

    @Test
    void holder_ofSomeOfTheNames_isRefusedInsteadOfWaitingForItself() throws Exception {
        Processes.onAnotherThread(() -> {
            Lease one = processes.connection(0).acquire("a");
            assertThatIllegalStateException()
                    .isThrownBy(() -> processes.connection(0).acquire(ALL))
                    .withMessageContaining("[b, a, c]");
            one.release();
            return null;
        });
    }

    @Test
    void holder_ofAllNames_mayTakeAnyOfThemOnceMore() throws Exception {
        Processes.onAnotherThread(() -> {
            Lease all = processes.connection(0).acquire(ALL);
            Lease one = processes.connection(0).acquire("c");
            assertThat(one.token()).isEqualTo(all.token());
            all.release();
            assertThat(isFree("c")).as("released with the last lease").isFalse();
            one.release();
            await().until(() -> isFree("c"));
            return null;
        });
    }

    @Test
    void lease_ofWhichOneNameIsLost_isLost() throws Exception {
        Lease lease = processes.tryAcquire(0, ALL).orElseThrow();
        List<LeaseLoss> losses = new ArrayList<>();
        lease.onLost(losses::add);
        for (int node = 0; node < 3; node++) {
            processes.ask(
                    node,
                    jedis -> jedis.set(
                            "holdfast:{c}:lock",
                            "somebody else",
                            SetParams.setParams().px(60_000)));
        }
        assertThat(org.assertj.core.api.Assertions.catchThrowable(lease::renew))
                .isInstanceOf(org.holdfast.LeaseLostException.class);
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void lease_toReadOneOfTheNames_keepsThemAllUntilItIsReleased() throws Exception {
        Processes.onAnotherThread(() -> {
            Lease all = processes.connection(0).acquire(ALL);
            Lease reading = processes.connection(0).acquire(LockRequest.of("c").mode(LockMode.READ));
            all.release();
            assertThat(reading.renew()).isTrue();
            for (String name : ALL.names()) {
                assertThat(isFree(name)).as(name).isFalse();
            }
            reading.release();
            for (String name : ALL.names()) {
                await(name).until(() -> isFree(name));
            }
            return null;
        });
    }
}
