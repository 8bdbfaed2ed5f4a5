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
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.LockEngine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Storms of callers, interrupts, cancels, closes and faults of nodes; nothing may be left afterwards. */
class AttackSixStormTest {

    private static final int THREADS = 24;
    private static final int NODES = 3;

    private final Map<String, AtomicLong> ends = new ConcurrentSkipListMap<>();
    private volatile boolean over;
    private Processes processes;
    private final LockConnection[] shared = new LockConnection[2];
    private final Map<Thread, String> doing = new ConcurrentHashMap<>();
    private final Set<String> oddities = ConcurrentHashMap.newKeySet();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void storm_leavesNothing(long seed) throws Exception {
        boolean faults = seed % 2 == 0;
        long stormSeconds = Long.getLong("storm.seconds", 25);
        processes = Processes.start(NODES, 2, Map.of("nodeTimeoutMillis", "700", "ttlMillis", "3000"));
        try {
            for (int p = 0; p < 2; p++) {
                shared[p] = processes.factory(p).getConnection();
            }
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(seed * 1_000 + i);
                Thread thread = new Thread(() -> call(random), "caller-" + i);
                callers.add(thread);
                thread.start();
            }
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(stormSeconds);
            Random random = new Random(seed);
            Thread chaos = new Thread(() -> chaos(new Random(seed + 77), until), "chaos");
            if (faults) {
                chaos.start();
            }
            while (System.nanoTime() < until) {
                Thread.sleep(1);
                callers.get(random.nextInt(THREADS)).interrupt();
                if (random.nextInt(200) == 0) {
                    int p = random.nextInt(2);
                    LockConnection old = shared[p];
                    shared[p] = processes.factory(p).getConnection();
                    old.close();
                }
            }
            over = true;
            chaos.join();
            long begun = System.nanoTime();
            for (Thread caller : callers) {
                caller.join(Math.max(1, 60_000 - (System.nanoTime() - begun) / 1_000_000));
            }
            List<String> hanging = new ArrayList<>();
            for (Thread caller : callers) {
                if (caller.isAlive()) {
                    hanging.add(caller.getName() + " " + doing.get(caller) + " " + List.of(caller.getStackTrace()));
                }
            }
            System.out.println("STORM " + seed + " faults=" + faults + " ended after "
                    + (System.nanoTime() - begun) / 1_000_000 + " ms: " + new TreeMap<>(ends));
            oddities.forEach(o -> System.out.println("STORM odd: " + o));
            hanging.forEach(h -> System.out.println("STORM hangs: " + h));
            for (int p = 0; p < 2; p++) {
                shared[p].close();
            }
            assertNothingIsLeft();
            freshCallers();
            assertNothingIsLeft();
            assertThat(hanging).isEmpty();
            assertThat(oddities).isEmpty();
        } finally {
            processes.close();
        }
    }

    private void freshCallers() throws Exception {
        for (int p = 0; p < 2; p++) {
            for (String name : List.of("n0", "n1", "n2")) {
                for (LockRequest request : List.of(
                        LockRequest.of(name),
                        LockRequest.of(name).fair(true),
                        LockRequest.of(name).mode(LockMode.READ),
                        LockRequest.permit("p" + name, 2),
                        LockRequest.allOf("n0", "n2"))) {
                    long begun = System.nanoTime();
                    processes
                            .connection(p)
                            .acquire(request.waitTimeout(ofSeconds(20)))
                            .release();
                    long millis = (System.nanoTime() - begun) / 1_000_000;
                    if (millis > 1_000) {
                        System.out.println("STORM slow " + millis + " ms: " + request);
                    }
                    if (millis > 6_000) {
                        oddities.add("fresh caller waited " + millis + " ms for " + request);
                    }
                }
            }
        }
    }

    private void assertNothingIsLeft() throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
        String left = left();
        while (!left.isEmpty() && System.nanoTime() < until) {
            Thread.sleep(50);
            left = left();
        }
        if (!left.isEmpty()) {
            System.out.println("STORM left: " + left);
        }
        assertThat(left).isEmpty();
    }

    private String left() throws Exception {
        StringBuilder left = new StringBuilder();
        for (int p = 0; p < 2; p++) {
            LockEngine engine = engine(processes.factory(p));
            if (EngineBridge.remembered(engine) != 0) {
                left.append(" remembered ")
                        .append(EngineBridge.remembered(engine))
                        .append(" held ")
                        .append(engine.heldNames(9))
                        .append(" waiters ")
                        .append(engine.waiters())
                        .append(" tickets ")
                        .append(EngineBridge.tickets(engine));
            }
            Object limiter = AttackSixTest.field(engine, "attemptLimiter");
            if (!AttackSixTest.field(limiter, "free").equals(100)) {
                left.append(" limiter ").append(AttackSixTest.field(limiter, "free"));
            }
            Object unfinished = AttackSixTest.field(AttackSixTest.field(processes.factory(p), "service"), "unfinished");
            int releases = ((org.holdfast.protocol.quorum.UnfinishedReleases) unfinished).size();
            if (releases != 0) {
                left.append(" unfinished ").append(releases);
            }
            int open = ((java.util.concurrent.atomic.AtomicInteger) AttackSixTest.field(processes.factory(p), "open"))
                    .get();
            int idle = ((java.util.Collection<?>) AttackSixTest.field(processes.factory(p), "idle")).size();
            if (open != idle) {
                left.append(" connections open ").append(open).append(" idle ").append(idle);
            }
        }
        for (int node = 0; node < NODES; node++) {
            Set<String> keys = processes.ask(node, jedis -> jedis.keys("*"));
            keys.removeIf(key -> key.endsWith(":fence") || key.contains("latch"));
            if (!keys.isEmpty()) {
                left.append(" keys of ").append(node).append(' ').append(keys);
            }
        }
        return left.toString();
    }

    private static LockEngine engine(LockConnectionFactory factory) throws Exception {
        return (LockEngine) AttackSixTest.field(AttackSixTest.field(factory, "service"), "engine");
    }

    private void count(String end) {
        ends.computeIfAbsent(end, e -> new AtomicLong()).incrementAndGet();
    }

    private void call(Random random) {
        while (!over) {
            String kind = "?";
            try {
                int p = random.nextInt(2);
                boolean own = random.nextInt(3) == 0;
                LockConnection connection = own ? processes.factory(p).getConnection() : shared[p];
                try {
                    kind = once(random, connection);
                    count(kind + " done");
                } finally {
                    if (own) {
                        connection.close();
                    }
                }
            } catch (Throwable e) {
                String name = e.getClass().getSimpleName();
                count(name);
                if (e instanceof Error
                        || e instanceof NullPointerException
                        || e instanceof UnsupportedOperationException
                        || e instanceof java.util.NoSuchElementException) {
                    oddities.add(
                            kind + " " + e + " at " + List.of(e.getStackTrace()).subList(0, 4));
                }
            } finally {
                if (random.nextInt(3) == 0) {
                    Thread.interrupted();
                }
            }
        }
    }

    private LockRequest request(Random random) {
        String name = "n" + random.nextInt(3);
        LockRequest request =
                switch (random.nextInt(7)) {
                    case 0 -> LockRequest.of(name).fair(true);
                    case 1 -> LockRequest.of(name).mode(LockMode.READ);
                    case 2 -> LockRequest.of(name).mode(LockMode.WRITE);
                    case 3 -> LockRequest.permit("p" + name, 2);
                    case 4 -> LockRequest.allOf("n0", "n2");
                    default -> LockRequest.of(name);
                };
        return switch (random.nextInt(6)) {
            case 0 -> request.waitTimeout(ofMillis(0));
            case 1 -> request.waitTimeout(ofMillis(1));
            case 2 -> request.waitTimeout(ofMillis(50));
            case 3 -> request.waitTimeout(ofMillis(1_000));
            default -> request.waitTimeout(ofSeconds(8));
        };
    }

    private String once(Random random, LockConnection connection) throws Exception {
        int kind = random.nextInt(8);
        Thread me = Thread.currentThread();
        switch (kind) {
            case 0, 1 -> {
                boolean rw = random.nextBoolean();
                boolean reads = random.nextBoolean();
                String name = "n" + random.nextInt(3);
                Lock lock = !rw
                        ? connection.lock(name)
                        : reads
                                ? connection.readWriteLock(name).readLock()
                                : connection.readWriteLock(name).writeLock();
                if (random.nextBoolean()) {
                    doing.put(me, "lock " + lock);
                    boolean before = me.isInterrupted();
                    lock.lock();
                    if (before && !me.isInterrupted()) {
                        oddities.add("lock() lost an interrupt");
                    }
                } else {
                    doing.put(me, "lockInterruptibly " + lock);
                    lock.lockInterruptibly();
                }
                try {
                    work(random);
                } finally {
                    lock.unlock();
                }
                return "lock";
            }
            case 2, 3 -> {
                LockRequest request = request(random).detached();
                doing.put(me, "async " + request);
                CompletableFuture<Lease> future = connection.acquireAsync(request);
                switch (random.nextInt(5)) {
                    case 0 -> {
                        spin(random);
                        future.cancel(true);
                        if (!future.isCancelled()) {
                            future.thenAccept(Lease::release);
                        }
                        future.whenComplete((l, e) -> {});
                    }
                    case 1 -> {
                        future.thenAccept(lease -> {
                            lease.release();
                            throw new IllegalStateException("thrown on purpose");
                        });
                    }
                    case 2 -> {
                        CompletableFuture<Lease> timed = future.orTimeout(random.nextInt(60), TimeUnit.MILLISECONDS);
                        timed.thenAccept(Lease::release);
                    }
                    case 3 ->
                        future.thenAcceptAsync(Lease::release, task -> {
                            if (random.nextBoolean()) {
                                future.join().release();
                                throw new java.util.concurrent.RejectedExecutionException("on purpose");
                            }
                            task.run();
                        });
                    default -> {
                        long begun = System.nanoTime();
                        try {
                            future.get(30, TimeUnit.SECONDS).release();
                        } catch (InterruptedException e) {
                            future.thenAccept(Lease::release);
                            throw e;
                        } catch (java.util.concurrent.TimeoutException e) {
                            oddities.add("future not done after 30 s: " + request);
                            future.thenAccept(Lease::release);
                        } finally {
                            late(request, begun);
                        }
                    }
                }
                return "async";
            }
            case 4 -> {
                DistributedLatch latch = connection.latch("l" + random.nextInt(3), random.nextInt(3), 500);
                doing.put(me, "latch");
                if (random.nextBoolean()) {
                    latch.countDown("id" + random.nextInt(300));
                } else {
                    long begun = System.nanoTime();
                    if (latch.await(ofMillis(random.nextInt(700)))) {
                        oddities.add("the latch opened with 300 ids of 500");
                    }
                    if (System.nanoTime() - begun > 4_000_000_000L) {
                        oddities.add("latch await took " + (System.nanoTime() - begun) / 1_000_000 + " ms");
                    }
                }
                return "latch";
            }
            default -> {
                LockRequest request = request(random);
                if (random.nextInt(4) == 0) {
                    request = request.detached();
                }
                doing.put(me, "acquire " + request);
                long begun = System.nanoTime();
                Lease lease;
                try {
                    lease = connection.tryAcquire(request).orElse(null);
                } finally {
                    late(request, begun);
                }
                if (lease == null) {
                    return "none";
                }
                try {
                    if (random.nextInt(6) == 0) {
                        lease.onLost(loss -> {
                            throw new AssertionError("thrown on purpose");
                        });
                    }
                    if (random.nextInt(6) == 0) {
                        connection
                                .tryAcquire(request.waitTimeout(ofMillis(random.nextInt(30))))
                                .ifPresent(Lease::release);
                    }
                    work(random);
                } finally {
                    lease.release();
                }
                return "lease";
            }
        }
    }

    private void late(LockRequest request, long begun) {
        long waited =
                System.nanoTime() - begun - request.waitTimeout().orElseThrow().toNanos();
        if (waited > 4_000_000_000L) { // its last attempt, the release, and a machine that is busy
            oddities.add("late by " + waited / 1_000_000 + " ms: " + request);
        }
    }

    private static void spin(Random random) {
        long until = System.nanoTime() + random.nextInt(3_000_000);
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }

    private static void work(Random random) {
        if (random.nextInt(3) == 0) {
            java.util.concurrent.locks.LockSupport.parkNanos(random.nextInt(20_000_000));
        }
    }

    private void chaos(Random random, long until) {
        try {
            while (System.nanoTime() < until) {
                Thread.sleep(random.nextInt(1_200));
                int node = random.nextInt(NODES);
                int what = random.nextInt(8);
                count("fault " + what);
                switch (what) {
                    case 0 -> {
                        processes.redis.get(node).kill();
                        Thread.sleep(random.nextInt(800));
                        processes.redis.get(node).start();
                    }
                    case 1 -> {
                        int other = (node + 1) % NODES;
                        processes.redis.get(node).freeze();
                        processes.redis.get(other).freeze();
                        Thread.sleep(random.nextInt(2_000));
                        processes.redis.get(node).thaw();
                        processes.redis.get(other).thaw();
                    }
                    case 2 -> tell(node, "FLUSHALL");
                    case 3 -> tell(node, "SCRIPT FLUSH");
                    case 4 -> {
                        for (int n = 0; n < NODES; n++) {
                            tell(n, "CONFIG SET maxmemory 1");
                        }
                        Thread.sleep(random.nextInt(1_000));
                        for (int n = 0; n < NODES; n++) {
                            tell(n, "CONFIG SET maxmemory 0");
                        }
                    }
                    case 5 -> tell(node, "CLIENT KILL TYPE normal");
                    case 6 -> tell(node, "CLIENT KILL TYPE pubsub");
                    default -> {
                        for (int n = 0; n < NODES; n++) {
                            tell(n, "CLIENT KILL TYPE normal");
                        }
                    }
                }
            }
        } catch (Exception e) {
            oddities.add("chaos " + e);
        }
    }

    private void tell(int node, String command) {
        try {
            processes.redis.get(node).command(command);
        } catch (Exception e) {
            count("chaos " + e.getClass().getSimpleName());
        }
    }
}
