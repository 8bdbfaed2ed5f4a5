// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;

/**
 * What it costs to wait: 10,000 threads (virtual ones where the JDK has them) for 1,000 locks that another process
 * holds, and as many requests that wait without a thread.
 *
 * <p>Memory is what is left in the heap after a collection, less what the same threads take when they wait for a latch.
 */
public final class ManyWaiters {

    private static final int WAITERS = Integer.getInteger("waiters", 10_000);
    private static final int NAMES = Integer.getInteger("names", 1_000);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final RedisServers redis;
    private final LockConnectionFactory holders;
    private final LockConnectionFactory waiters;
    private final LockConnection holder;
    private final LockConnection waiter;

    /** @param ended counted down as each waiter has had the lock */
    private record Waiting(String kind, long bytes, CountDownLatch ended) {}

    private ManyWaiters(RedisServers redis) {
        this.redis = redis;
        this.holders = connect(redis);
        this.waiters = connect(redis);
        this.holder = holders.getConnection();
        this.waiter = waiters.getConnection();
    }

    private static LockConnectionFactory connect(RedisServers redis) {
        String uris = redis.all().stream().map(RedisServer::uri).collect(Collectors.joining(","));
        return Holdfast.connect(Map.of("nodes", uris, "guard", "OFF"));
    }

    public static void main(String[] arguments) throws Exception {
        try (RedisServers redis = RedisServers.start(3, Path.of("target", "redis"))) {
            System.out.println("| " + WAITERS + " waiters for " + NAMES + " locks | bytes each, beyond its thread"
                    + " | threads of ours | subscribers a node | all served in ms |");
            System.out.println("| --- | --- | --- | --- | --- |");
            ManyWaiters run = new ManyWaiters(redis);
            run.measure(false, run::threads);
            for (boolean inTurn : new boolean[] {false, true}) {
                run.measure(inTurn, run::threads);
                run.measure(inTurn, run::futures);
            }
            run.waiters.close();
            run.holders.close();
        }
    }

    /** Lets so many callers wait, and returns what they take. */
    private interface Crowd {
        Waiting gather(boolean inTurn) throws Exception;
    }

    private void measure(boolean inTurn, Crowd crowd) throws Exception {
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            held.add(holder.acquire(LockRequest.of("n" + i).detached()));
        }
        Waiting waiting = crowd.gather(inTurn);
        int threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast"))
                .toList()
                .size();
        long subscribers = Stream.of(
                        redis.get(0).command("CLIENT LIST TYPE pubsub").split("\n"))
                .filter(line -> line.contains("id="))
                .count();
        long begun = System.nanoTime();
        held.forEach(Lease::release);
        waiting.ended().await();
        System.out.printf(
                "| %s, %s | %d | %d | %d | %d |%n",
                waiting.kind(),
                inTurn ? "fair" : "not fair",
                waiting.bytes() / WAITERS,
                threads,
                subscribers,
                (System.nanoTime() - begun) / 1_000_000);
    }

    private static LockRequest request(int waiter, boolean inTurn) {
        return LockRequest.of("n" + waiter % NAMES)
                .waitTimeout(LONG)
                .fair(inTurn)
                .detached();
    }

    private Waiting threads(boolean inTurn) throws Exception {
        CountDownLatch parked = new CountDownLatch(WAITERS);
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(WAITERS);
        for (int i = 0; i < WAITERS; i++) {
            LockRequest request = request(i, inTurn);
            start(() -> {
                parked.countDown();
                await(go);
                try (Lease lease = waiter.acquire(request)) {
                    lease.requireHeld();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                } finally {
                    ended.countDown();
                }
            });
        }
        parked.await();
        long before = settledHeap();
        go.countDown();
        Thread.sleep(8_000); // until all have asked, and are queued
        return new Waiting(kind(), settledHeap() - before, ended);
    }

    private Waiting futures(boolean inTurn) throws Exception {
        CountDownLatch ended = new CountDownLatch(WAITERS);
        long before = settledHeap();
        for (int i = 0; i < WAITERS; i++) {
            CompletableFuture<Lease> future = waiter.acquireAsync(request(i, inTurn));
            future.thenAccept(Lease::release).whenComplete((done, failure) -> ended.countDown());
        }
        Thread.sleep(8_000);
        return new Waiting("without threads", settledHeap() - before, ended);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String kind() {
        return Runtime.version().feature() >= 21 ? "virtual threads" : "threads";
    }

    private static void start(Runnable task) throws ReflectiveOperationException {
        if (Runtime.version().feature() >= 21) { // compiled for 17, which has no such method
            Method startVirtual = Thread.class.getMethod("startVirtualThread", Runnable.class);
            startVirtual.invoke(null, task);
        } else {
            new Thread(null, task, "waiter", 128 * 1024).start();
        }
    }

    private static long settledHeap() throws InterruptedException {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            System.gc();
            Thread.sleep(1_000); // attempts that are under way come and go
            Runtime runtime = Runtime.getRuntime();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }
}
