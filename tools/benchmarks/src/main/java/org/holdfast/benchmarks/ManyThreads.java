// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;

/**
 * Many threads of one process take a lock of their own each and release it, all the time: how many pairs a second come
 * of that, beside bare sockets that send our scripts, one set for each thread.
 *
 * <p>The contestants take turns within one run.
 */
public final class ManyThreads {

    private static final int TURNS = Integer.getInteger("turns", 8);
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

    private ManyThreads() {}

    public static void main(String[] arguments) throws Exception {
        System.out.println("| nodes | threads | client | pairs/s | rate / floor | connections a node |");
        System.out.println("| --- | --- | --- | --- | --- | --- |");
        for (int count : new int[] {1, 3}) {
            try (RedisServers redis = RedisServers.start(count, Path.of("target", "redis"))) {
                for (int threads : new int[] {1, 8, 32, 128}) {
                    measure(redis.all(), threads);
                }
            }
        }
    }

    private static void measure(List<RedisServer> nodes, int threads) throws Exception {
        String uris = nodes.stream().map(RedisServer::uri).collect(Collectors.joining(","));
        LockConnectionFactory locks = Holdfast.connect(Map.of("nodes", uris, "guard", "DEVELOPMENT"));
        List<Contestant> ours = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            ours.add(ofOurs(locks, "lock-" + i));
        }
        ours.get(0).pair(); // from now on it keeps the heartbeat that our scripts look at
        List<Contestant> floors = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            floors.add(Floor.ofScripts(nodes, "floor-" + i));
        }
        Map<String, List<Contestant>> all = new LinkedHashMap<>();
        all.put("floor: bare sockets, our scripts", floors);
        all.put("Holdfast", ours);
        Map<String, Double> rates = new LinkedHashMap<>();
        for (int turn = -2; turn < TURNS; turn++) {
            for (Map.Entry<String, List<Contestant>> entry : all.entrySet()) {
                double rate = rate(entry.getValue());
                rates.merge(entry.getKey(), turn < 0 ? 0 : rate / TURNS, Double::sum);
            }
        }
        int opened = connections(nodes) / nodes.size() - threads - 1; // but for the one that asks
        double floor = rates.get("floor: bare sockets, our scripts");
        rates.forEach((name, rate) -> System.out.printf(
                "| %d | %d | %s | %,.0f | %.2f | %s |%n",
                nodes.size(), threads, name, rate, rate / floor, name.equals("Holdfast") ? opened : threads));
        for (Contestant contestant : floors) {
            contestant.close();
        }
        locks.close();
    }

    private static int connections(List<RedisServer> nodes) {
        return nodes.stream()
                .map(node -> node.ask("INFO clients"))
                .flatMap(String::lines)
                .filter(line -> line.startsWith("connected_clients:"))
                .mapToInt(line ->
                        Integer.parseInt(line.substring(line.indexOf(':') + 1).trim()))
                .sum();
    }

    private static Contestant ofOurs(LockConnectionFactory locks, String name) {
        LockConnection connection = locks.getConnection();
        return new Contestant() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public void pair() throws Exception {
                connection.acquire(name).release();
            }

            @Override
            public void close() {
                connection.close();
            }
        };
    }

    /** Returns how many pairs a second all of them come to, each on a thread of its own. */
    private static double rate(List<Contestant> contestants) throws Exception {
        AtomicLong pairs = new AtomicLong();
        AtomicReference<Exception> failure = new AtomicReference<>();
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        long until = System.nanoTime() + TURN_NANOS;
        for (Contestant contestant : contestants) {
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                    long done = 0;
                    while (System.nanoTime() < until) {
                        contestant.pair();
                        done++;
                    }
                    pairs.addAndGet(done);
                } catch (Exception e) {
                    failure.compareAndSet(null, e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
        return pairs.get() * 1e9 / TURN_NANOS;
    }
}
