// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.ReleaseResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of waiters when their factory is closed: each gets that exception at once, and no other. */
@Timeout(120)
class ClosingTest {

    private static final LockRequest REQUEST =
            LockRequest.of("a").waitTimeout(ofSeconds(60)).detached();

    private Processes processes;

    @BeforeEach
    void start() {
        processes = Processes.start(3, 2, Map.of());
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    /** It waits for no connection while a quorum has one; the factory does, before it goes. */
    @Test
    void release_whileANodeHadCutItsConnections_hasReachedThatNodeWhenTheFactoryIsClosed() throws Exception {
        Lease lease = processes.tryAcquire(0, REQUEST).orElseThrow();
        processes.redis.get(2).ask("client kill type normal");
        await().pollDelay(Duration.ofMillis(200)).until(() -> true); // a connection in use is not looked at
        assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
        processes.factory(0).close();
        for (int node = 0; node < 3; node++) {
            assertThat(processes.<Boolean>ask(node, jedis -> jedis.exists("holdfast:{a}:lock")))
                    .as("node %d", node)
                    .isFalse();
        }
    }

    private static FutureTask<Object> wait(Callable<Object> waiting) {
        FutureTask<Object> task = new FutureTask<>(waiting);
        Thread thread = new Thread(task, "waits for a lock");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static void assertStopped(Future<?> waiting) {
        assertThatThrownBy(() -> waiting.get(10, SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageMatching(".*(HF0224|HF0222): .*"); // closed: it had not begun to wait
    }

    private static int parked() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("waits for a lock") && thread.isAlive())
                .count();
    }

    /** All nodes answer; callers are in the midst of attempts and releases when their factory is closed. */
    @Tag("thorough")
    @Test
    void close_inTheMidstOfAttempts_leavesNoLockOnTheNodes() throws Exception {
        LockRequest name = LockRequest.of("x");
        Random random = new Random(1);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger collisions = new AtomicInteger();
        long until = System.nanoTime() + SECONDS.toNanos(8);
        for (int round = 0; System.nanoTime() < until; round++) {
            LockConnectionFactory factory = Holdfast.connect(processes.settings);
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                LockRequest request = name.fair(i % 4 == 0).waitTimeout(ofSeconds(i % 2));
                callers.add(new Thread(() -> {
                    try (LockConnection connection = factory.getConnection()) {
                        while (true) {
                            Optional<Lease> lease = connection.tryAcquire(request);
                            if (lease.isPresent()) {
                                if (inside.incrementAndGet() > 1) {
                                    collisions.incrementAndGet();
                                }
                                inside.decrementAndGet();
                                lease.get().release();
                            }
                        }
                    } catch (IllegalStateException | LockException | InterruptedException e) {
                        // the factory is closed
                    }
                }));
            }
            callers.forEach(Thread::start);
            Thread.sleep(random.nextInt(150)); // any moment of an attempt
            factory.close();
            for (Thread caller : callers) {
                caller.join();
            }
            Optional<Lease> fresh = processes.connection(0).tryAcquire(name.waitTimeout(ofSeconds(3)));
            assertThat(fresh).as("round " + round).isPresent();
            fresh.get().release();
        }
        assertThat(collisions).hasValue(0);
    }

    @Test
    void close_endsEveryWait_inEveryLine() throws Exception {
        Lease held = processes.tryAcquire(1, REQUEST).orElseThrow();
        for (int round = 0; round < 25; round++) {
            LockConnectionFactory factory = Holdfast.connect(processes.settings);
            LockConnection connection = factory.getConnection();
            List<Future<?>> waiting = new ArrayList<>();
            List<LockRequest> shapes = List.of(
                    REQUEST,
                    REQUEST.fair(true),
                    REQUEST.mode(LockMode.READ),
                    LockRequest.allOf("a", "b").waitTimeout(ofSeconds(60)).detached());
            for (int i = 0; i < 40; i++) {
                LockRequest shape = shapes.get(i % shapes.size());
                waiting.add(connection.acquireAsync(shape));
                waiting.add(connection.acquireAsync(shape).thenApply(lease -> lease));
                waiting.add(wait(() -> connection.acquire(shape)));
                waiting.add(wait(() -> connection.tryAcquire(shape)));
            }
            waiting.add(wait(() -> {
                connection.lock("a").lock();
                return null;
            }));
            waiting.add(wait(() -> connection.readWriteLock("a").writeLock().tryLock(60, SECONDS)));
            if (round % 2 == 0) {
                processes.awaitListening("a");
            }
            factory.close();
            waiting.forEach(ClosingTest::assertStopped);
        }
        await().until(() -> parked() == 0);
        assertThat(held.isHeld()).isTrue();
        processes.awaitTickets("a", 0);
        held.release();
        assertThat(processes.isFree(1, REQUEST.fair(true))).isTrue();
    }

    @Test
    void close_whileContinuationsAndListenersBlock_returnsInTimeAndCompletesAll() throws Exception {
        closeWhileContinuationsBlock(200);
    }

    @Tag("thorough")
    @Test
    void close_while10000ContinuationsBlock_returnsInTimeAndCompletesAll() throws Exception {
        closeWhileContinuationsBlock(10_000);
    }

    /** @param count more than there are threads for; each blocks for ever */
    private void closeWhileContinuationsBlock(int count) throws Exception {
        Lease held = processes.tryAcquire(1, REQUEST).orElseThrow();
        CountDownLatch end = new CountDownLatch(1);
        Set<Thread> ran = ConcurrentHashMap.newKeySet();
        Runnable block = () -> {
            ran.add(Thread.currentThread());
            await().forever().until(() -> end.getCount() == 0);
        };
        LockConnectionFactory factory = Holdfast.connect(processes.settings);
        LockConnection connection = factory.getConnection();
        for (int i = 0; i < 60; i++) {
            LockRequest brief = LockRequest.of("brief" + i).fixedTtl(Duration.ofMillis(300));
            connection.acquire(brief.detached()).onLost(loss -> block.run());
        }
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            CompletableFuture<Lease> each = connection.acquireAsync(REQUEST);
            each.whenComplete((lease, failure) -> block.run());
            waiting.add(each);
        }
        FutureTask<Object> joined = wait(() -> waiting.get(count - 1).join());
        await().until(() -> ran.size() == 24);
        FutureTask<Long> closed = new FutureTask<>(() -> {
            long begun = System.nanoTime();
            factory.close();
            return System.nanoTime() - begun;
        });
        Thread closer = new Thread(closed, "closes");
        closer.start();
        try {
            assertThat(Duration.ofNanos(closed.get(20, SECONDS)))
                    .isLessThan(Duration.ofMillis(3_500)); // of a busy machine
            waiting.forEach(ClosingTest::assertStopped);
            assertThatThrownBy(() -> joined.get(10, SECONDS)).hasRootCauseInstanceOf(IllegalStateException.class);
            assertThat(ran).doesNotContain(closer).hasSizeLessThanOrEqualTo(2 * (24 + 64 + 64));
        } finally {
            end.countDown();
            held.release();
        }
    }

    @Test
    void close_underAHolder_namesTheLockThatItFrees() throws Exception {
        try (LogLines log = LogLines.of("org.holdfast.protocol")) {
            Holdfast.connect(processes.settings).close();
            assertThat(log.beginningWith("HF0236")).isEmpty();
            LockConnectionFactory factory = Holdfast.connect(processes.settings);
            factory.getConnection().acquire(REQUEST);
            factory.close();
            assertThat(log.beginningWith("HF0236")).singleElement().asString().endsWith("among them a");
        }
        assertThat(processes.tryAcquire(1, REQUEST)).as("it is free").isPresent();
    }

    @Test
    void close_afterContentionWithHealthyNodes_reportsNothingUnconfirmed() throws Exception {
        try (LogLines log = LogLines.of(LockService.class.getName())) {
            for (int round = 0; round < 5; round++) {
                List<LockConnectionFactory> factories = new ArrayList<>();
                List<FutureTask<Object>> all = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    LockConnectionFactory factory = Holdfast.connect(processes.settings);
                    factories.add(factory);
                    all.add(wait(() -> {
                        try (LockConnection connection = factory.getConnection()) {
                            for (int n = 0; n < 20; n++) {
                                connection
                                        .tryAcquire(LockRequest.of("x").waitTimeout(Duration.ZERO))
                                        .ifPresent(Lease::release);
                            }
                        }
                        return null;
                    }));
                }
                for (FutureTask<Object> each : all) {
                    each.get(30, SECONDS);
                }
                factories.forEach(LockConnectionFactory::close);
            }
            assertThat(log.beginningWith("HF0105")).isEmpty();
        }
    }
}
