// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.LockEngine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Factories that are closed in the midst, and lines whose nodes lose what they know. */
class AttackSixCloseTest {

    private final Map<String, AtomicLong> ends = new TreeMap<>();

    private synchronized void count(String end) {
        ends.computeIfAbsent(end, e -> new AtomicLong()).incrementAndGet();
    }

    @ParameterizedTest
    @ValueSource(longs = {1})
    void factoryClosedInTheMidst_endsEveryWait_andLeavesNothing(long seed) throws Exception {
        Random random = new Random(seed);
        Set<String> oddities = ConcurrentHashMap.newKeySet();
        long longestClose = 0;
        long longestEnd = 0;
        try (Processes processes = Processes.start(3, 1, Map.of("nodeTimeoutMillis", "700"))) {
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(70);
            int rounds = 0;
            for (; System.nanoTime() < until; rounds++) {
                boolean hangs = seed == 2 && random.nextInt(6) == 0;
                Map<String, String> settings = new HashMap<>(processes.settings);
                settings.put("stopTimeoutMillis", "0");
                LockConnectionFactory factory = Holdfast.connect(settings);
                LockEngine engine = (LockEngine) AttackSixTest.field(AttackSixTest.field(factory, "service"), "engine");
                AtomicInteger inside = new AtomicInteger();
                List<Thread> threads = new ArrayList<>();
                List<CompletableFuture<Lease>> futures = java.util.Collections.synchronizedList(new ArrayList<>());
                for (int i = 0; i < 20; i++) {
                    int kind = random.nextInt(6);
                    Thread thread = new Thread(() -> {
                        try (LockConnection connection = factory.getConnection()) {
                            while (true) {
                                switch (kind) {
                                    case 0, 1 -> {
                                        Lock lock = connection.lock("x");
                                        lock.lock();
                                        if (inside.incrementAndGet() > 1) {
                                            oddities.add("two inside");
                                        }
                                        inside.decrementAndGet();
                                        lock.unlock();
                                    }
                                    case 2 ->
                                        connection
                                                .acquire(LockRequest.of("x")
                                                        .fair(true)
                                                        .waitTimeout(Duration.ofHours(3)))
                                                .release();
                                    case 3 -> {
                                        CompletableFuture<Lease> future = connection.acquireAsync(
                                                LockRequest.of("x").detached().waitTimeout(Duration.ofHours(3)));
                                        futures.add(future);
                                        future.get(20, TimeUnit.SECONDS).release();
                                    }
                                    case 4 -> connection.latch("l", 0, 5).await(Duration.ofHours(1));
                                    default ->
                                        connection
                                                .acquire(LockRequest.of("y")
                                                        .mode(LockMode.WRITE)
                                                        .waitTimeout(Duration.ofHours(3)))
                                                .release();
                                }
                            }
                        } catch (Exception e) {
                            Throwable cause = e instanceof java.util.concurrent.ExecutionException ? e.getCause() : e;
                            String message = String.valueOf(cause.getMessage());
                            count(cause.getClass().getSimpleName() + " "
                                    + message.substring(0, Math.min(40, message.length())));
                            if (e instanceof java.util.concurrent.TimeoutException) {
                                oddities.add("future not done");
                            }
                        }
                    });
                    threads.add(thread);
                    thread.start();
                }
                Thread.sleep(random.nextInt(150));
                if (hangs) {
                    processes.redis.get(0).freeze();
                    processes.redis.get(1).freeze();
                }
                long begun = System.nanoTime();
                factory.close();
                long closed = System.nanoTime();
                longestClose = Math.max(longestClose, closed - begun);
                for (Thread thread : threads) {
                    thread.join(8_000);
                    if (thread.isAlive()) {
                        oddities.add("hangs " + List.of(thread.getStackTrace()));
                        thread.interrupt();
                    }
                }
                for (CompletableFuture<Lease> future : futures) {
                    if (!future.isDone()) {
                        oddities.add("future open");
                    }
                }
                longestEnd = Math.max(longestEnd, System.nanoTime() - begun);
                if (hangs) {
                    processes.redis.get(0).thaw();
                    processes.redis.get(1).thaw();
                }
                if (EngineBridge.remembered(engine) != 0) {
                    Object async = AttackSixTest.field(engine, "asyncAcquirer");
                    Object timers = AttackSixTest.field(async, "timers");
                    count("remembered: yields "
                            + ((org.holdfast.protocol.queue.HandoffYield) AttackSixTest.field(engine, "handoffYield"))
                                    .size()
                            + " async " + ((Set<?>) AttackSixTest.field(async, "waiting")).size()
                            + " timers " + ((org.holdfast.protocol.env.Timers) timers).size()
                            + " lines " + engine.waiters() + " held " + engine.held()
                            + " latches " + engine.latches().size());
                }
                if (!hangs) {
                    long fresh = System.nanoTime();
                    processes
                            .connection(0)
                            .acquire(LockRequest.of("x").waitTimeout(ofSeconds(40)))
                            .release();
                    long x = (System.nanoTime() - fresh) / 1_000_000;
                    if (x > 2_000) {
                        oddities.add("fresh caller waited " + x + " ms");
                    }
                } else {
                    for (int n = 0; n < 3; n++) {
                        processes.redis.get(n).command("FLUSHALL");
                    }
                }
            }
            System.out.println("STORM close " + seed + " rounds " + rounds + " longest close "
                    + longestClose / 1_000_000 + " ms, last caller " + longestEnd / 1_000_000 + " ms " + ends);
            Thread.sleep(500);
            System.out.println("STORM threads "
                    + Thread.getAllStackTraces().keySet().stream()
                            .map(Thread::getName)
                            .filter(name -> name.startsWith("holdfast"))
                            .collect(java.util.stream.Collectors.groupingBy(
                                    n -> n, java.util.stream.Collectors.counting())));
            for (String line : processes.redis.get(2).command("CLIENT LIST").split("\n")) {
                if (line.contains("name=holdfast")) {
                    count("client");
                }
            }
            System.out.println("STORM clients " + ends.get("client"));
            oddities.forEach(o -> System.out.println("STORM odd: " + o));
            assertThat(oddities).isEmpty();
        }
    }

    /** Nodes lose the tickets of a long line, and restart; all waiters are served all the same. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void line_whoseNodesLoseTheirMemory_isServed(boolean fair) throws Exception {
        try (Processes processes = Processes.start(3, 2, Map.of("nodeTimeoutMillis", "1000", "ttlMillis", "4000"))) {
            for (int round = 0; round < 4; round++) {
                LockRequest request = LockRequest.of("line").fair(fair).detached();
                Lease held = processes.tryAcquire(1, request).orElseThrow();
                List<FutureTask<Boolean>> results = new ArrayList<>();
                AtomicInteger inside = new AtomicInteger();
                AtomicInteger violations = new AtomicInteger();
                for (int i = 0; i < 120; i++) {
                    LockConnection connection = processes.connection(i % 2);
                    results.add(Processes.start(() -> {
                        Lease lease = connection.acquire(request.waitTimeout(Duration.ofHours(9)));
                        if (inside.incrementAndGet() > 1) {
                            violations.incrementAndGet();
                        }
                        inside.decrementAndGet();
                        lease.release();
                        return true;
                    }));
                }
                Thread.sleep(1_000);
                switch (round) {
                    case 0 -> {
                        for (int n = 0; n < 3; n++) {
                            processes.redis.get(n).command("FLUSHALL");
                        }
                    }
                    case 1 -> {
                        for (int n = 0; n < 3; n++) {
                            processes.redis.get(n).kill();
                        }
                        Thread.sleep(500);
                        for (int n = 0; n < 3; n++) {
                            processes.redis.get(n).start();
                        }
                    }
                    case 2 -> {
                        for (int n = 0; n < 3; n++) {
                            processes.redis.get(n).freeze();
                        }
                        Thread.sleep(2_500);
                        for (int n = 0; n < 3; n++) {
                            processes.redis.get(n).thaw();
                        }
                    }
                    default -> {
                        for (int n = 0; n < 3; n++) {
                            processes.redis.get(n).command("CONFIG SET maxmemory 1");
                        }
                        Thread.sleep(2_500);
                        for (int n = 0; n < 3; n++) {
                            processes.redis.get(n).command("CONFIG SET maxmemory 0");
                        }
                    }
                }
                held.release();
                long begun = System.nanoTime();
                for (FutureTask<Boolean> result : results) {
                    assertThat(result.get(60, TimeUnit.SECONDS)).isTrue();
                }
                System.out.println("STORM line fair=" + fair + " round " + round + " served in "
                        + (System.nanoTime() - begun) / 1_000_000 + " ms, violations " + violations);
                assertThat(violations.get()).isZero();
                processes.awaitTickets("line", 0);
            }
        }
    }
}
