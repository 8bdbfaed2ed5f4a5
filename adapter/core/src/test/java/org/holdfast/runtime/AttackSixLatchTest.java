// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.CountDownUnconfirmedException;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.LockEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Latches and fair lines under interrupts, closes and faults of nodes. */
class AttackSixLatchTest {

    private static final int NODES = 3;

    private final Map<String, AtomicLong> ends = new ConcurrentSkipListMap<>();
    private final Set<String> oddities = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    private void count(String end) {
        ends.computeIfAbsent(end, e -> new AtomicLong()).incrementAndGet();
    }

    /** Generation by generation; each call is made until it returns, and a latch never opens before all were made. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void latches_openInTime_andNotEarly(long seed) throws Exception {
        try (Processes processes =
                Processes.start(NODES, 3, Map.of("nodeTimeoutMillis", "700", "waitTimeoutMillis", "300"))) {
            Thread chaos = new Thread(() -> chaos(processes, new Random(seed)));
            chaos.start();
            Random random = new Random(seed);
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.getLong("storm.seconds", 40));
            int generation = 0;
            long longest = 0;
            while (System.nanoTime() < until) {
                int count = 1 + random.nextInt(6);
                int mine = generation++;
                AtomicInteger begun = new AtomicInteger();
                AtomicInteger ended = new AtomicInteger();
                AtomicLong lastEnded = new AtomicLong();
                List<Thread> waiters = new ArrayList<>();
                List<Thread> counters = new ArrayList<>();
                AtomicLong lastOpened = new AtomicLong();
                AtomicInteger opened = new AtomicInteger();
                for (int w = 0; w < 6; w++) {
                    LockConnection connection = processes.factory(w % 3).getConnection();
                    boolean closes = random.nextInt(4) == 0;
                    Thread waiter = new Thread(() -> {
                        while (true) {
                            try (LockConnection mineOnly =
                                    closes ? processes.factory(0).getConnection() : connection) {
                                DistributedLatch latch = mineOnly.latch("l", mine, count);
                                while (true) {
                                    try {
                                        if (latch.await(ofSeconds(20))) {
                                            if (begun.get() < count) {
                                                oddities.add("early: generation " + mine + " " + begun + "/" + count);
                                            }
                                            opened.incrementAndGet();
                                            lastOpened.accumulateAndGet(System.nanoTime(), Math::max);
                                            return;
                                        }
                                        count("await timed out");
                                        if (ended.get() == count
                                                && System.nanoTime() - lastEnded.get() > 15_000_000_000L) {
                                            oddities.add("does not open: generation " + mine);
                                            return;
                                        }
                                    } catch (InterruptedException e) {
                                        count("await interrupted");
                                    } catch (org.holdfast.QuorumUnavailableException e) {
                                        count("await unavailable");
                                    }
                                }
                            } catch (RuntimeException e) {
                                oddities.add("await " + e);
                                return;
                            }
                        }
                    });
                    waiters.add(waiter);
                    waiter.start();
                }
                for (int c = 0; c < count; c++) {
                    String id = "g" + mine + "c" + c;
                    LockConnection connection = processes.connection(c % 3);
                    int pause = random.nextInt(200);
                    Thread counter = new Thread(() -> {
                        try {
                            Thread.sleep(pause);
                        } catch (InterruptedException e) {
                            count("early interrupt");
                        }
                        begun.incrementAndGet();
                        while (true) {
                            try {
                                connection.latch("l", mine, count).countDown(id);
                                lastEnded.set(System.nanoTime());
                                ended.incrementAndGet();
                                return;
                            } catch (CountDownUnconfirmedException e) {
                                count("unconfirmed");
                            } catch (org.holdfast.QuorumUnavailableException e) {
                                count("count down unavailable");
                            } finally {
                                Thread.interrupted();
                            }
                        }
                    });
                    counters.add(counter);
                    counter.start();
                }
                List<Thread> all = new ArrayList<>(waiters);
                all.addAll(counters);
                while (all.stream().anyMatch(Thread::isAlive)) {
                    Thread.sleep(2);
                    if (random.nextInt(20) == 0) {
                        all.get(random.nextInt(all.size())).interrupt();
                    }
                }
                longest = Math.max(longest, lastOpened.get() - lastEnded.get());
                count("latches");
            }
            over = true;
            chaos.join();
            System.out.println("STORM latch " + seed + " " + ends + " longest to open ms " + longest / 1_000_000);
            oddities.forEach(o -> System.out.println("STORM odd: " + o));
            for (int p = 0; p < 3; p++) {
                LockEngine engine = (LockEngine)
                        AttackSixTest.field(AttackSixTest.field(processes.factory(p), "service"), "engine");
                assertThat(EngineBridge.remembered(engine)).isZero();
            }
            assertThat(oddities).isEmpty();
        }
    }

    /** One node at a time loses its memory or is away: a majority keeps what it knows. */
    private void chaos(Processes processes, Random random) {
        try {
            while (!over) {
                Thread.sleep(random.nextInt(900));
                int node = 2;
                switch (random.nextInt(6)) {
                    case 0 -> {
                        processes.redis.get(node).kill();
                        Thread.sleep(random.nextInt(800));
                        processes.redis.get(node).start();
                    }
                    case 1 -> {
                        int other = random.nextInt(2);
                        processes.redis.get(node).freeze();
                        processes.redis.get(other).freeze();
                        Thread.sleep(random.nextInt(1_500));
                        processes.redis.get(node).thaw();
                        processes.redis.get(other).thaw();
                    }
                    case 2 -> processes.redis.get(node).command("FLUSHALL");
                    case 3 -> processes.redis.get(random.nextInt(3)).command("SCRIPT FLUSH");
                    case 4 -> {
                        int full = random.nextInt(3);
                        processes.redis.get(full).command("CONFIG SET maxmemory 1");
                        Thread.sleep(random.nextInt(500));
                        processes.redis.get(full).command("CONFIG SET maxmemory 0");
                    }
                    default -> {
                        for (int n = 0; n < NODES; n++) {
                            try {
                                processes.redis.get(n).command("CLIENT KILL TYPE pubsub");
                                processes.redis.get(n).command("CLIENT KILL TYPE normal");
                            } catch (Exception e) {
                                count("killed itself");
                            }
                        }
                    }
                }
            }
        } catch (Exception e) {
            oddities.add("chaos " + e);
        }
    }

    /** Two hundred wait for hours in a fair line; half of them are interrupted; the rest are served in order. */
    @Test
    void fairLine_ofWhichHalfIsInterrupted_servesTheRestInOrder() throws Exception {
        try (Processes processes = Processes.start(NODES, 2, Map.of())) {
            for (int round = 0; round < 3; round++) {
                LockRequest request = LockRequest.of("fair").fair(true).detached();
                Lease held = processes.tryAcquire(1, request).orElseThrow();
                List<Thread> threads = new ArrayList<>();
                List<FutureTask<Boolean>> results = new ArrayList<>();
                List<Integer> served = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    int number = i;
                    LockConnection connection = processes.connection(i % 2);
                    FutureTask<Boolean> result = new FutureTask<>(() -> {
                        try {
                            Lease lease = connection.acquire(request.waitTimeout(java.time.Duration.ofHours(9)));
                            synchronized (served) {
                                served.add(number);
                            }
                            lease.release();
                            return true;
                        } catch (InterruptedException e) {
                            return false;
                        }
                    });
                    results.add(result);
                    Thread thread = new Thread(result);
                    threads.add(thread);
                    thread.start();
                    if (round == 0) {
                        processes.awaitTickets("fair", i + 1);
                    }
                }
                processes.awaitTickets("fair", 200);
                Random random = new Random(round);
                Set<Integer> interrupted = ConcurrentHashMap.newKeySet();
                while (interrupted.size() < 100) {
                    int i = random.nextInt(200);
                    interrupted.add(i);
                    threads.get(i).interrupt();
                    if (interrupted.size() == 60 && held != null) {
                        held.release();
                        held = null;
                    }
                }
                long begun = System.nanoTime();
                int got = 0;
                for (int i = 0; i < 200; i++) {
                    got += results.get(i).get(60, TimeUnit.SECONDS) ? 1 : 0;
                }
                System.out.println(
                        "STORM fair served " + got + " in " + (System.nanoTime() - begun) / 1_000_000 + " ms");
                processes.awaitTickets("fair", 0);
                assertThat(got).isGreaterThanOrEqualTo(100);
                if (round == 0) {
                    assertThat(served).isSorted();
                }
                long fresh = System.nanoTime();
                processes
                        .connection(0)
                        .acquire(request.waitTimeout(ofSeconds(5)))
                        .release();
                assertThat(System.nanoTime() - fresh).isLessThan(ofMillis(2_000).toNanos());
            }
        }
    }
}
