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
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;

/**
 * Many threads of one process take a lock of their own each and release it, all the time: how many pairs a second come
 * of that, beside bare sockets, one set for each thread, and other libraries.
 *
 * <p>The contestants take turns within one run.
 */
public final class ManyThreads {

    private static final int TURNS = Integer.getInteger("turns", 8);
    private static final int WARM_UP = 6;
    private static final List<Library> ON_ONE_NODE =
            List.of(Library.RENEWED, Library.JEDIS, Library.SPRING, Library.REDISSON, Library.REDISSON_FENCED);
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

    private ManyThreads() {}

    public static void main(String[] arguments) throws Exception {
        System.out.println("| nodes | threads | client | pairs/s | rate / floor | connections of ours |");
        System.out.println("|" + " --- |".repeat(6));
        for (int count : new int[] {1, 3}) {
            for (int threads : new int[] {1, 8, 32, 128}) {
                List<Rate> rates = measure(count, threads);
                double floor = rates.get(0).perSecond();
                rates.forEach(rate -> System.out.printf(
                        "| %d | %d | %s | %,.0f | %.2f | %d |%n",
                        count, threads, rate.client(), rate.perSecond(), rate.perSecond() / floor, rate.ours()));
            }
        }
    }

    /** @param ours how many connections ours has to each node */
    record Rate(String client, double perSecond, long ours) {}

    /** Returns the rates, those of the two floors first: two scripts with a fence, and our scripts. */
    static List<Rate> measure(int count, int threads) throws Exception {
        try (RedisServers redis = RedisServers.start(count, Path.of("target", "redis"))) {
            List<RedisServer> nodes = redis.all();
            List<String> uris = nodes.stream().map(RedisServer::uri).toList();
            List<LockClient> clients = new ArrayList<>();
            Map<String, List<Contestant>> all = new LinkedHashMap<>();
            long ours = 0;
            all.put("floor: bare sockets, two scripts with a fence", new ArrayList<>());
            all.put("floor: bare sockets, our scripts", new ArrayList<>());
            for (Library library : count == 1 ? ON_ONE_NODE : List.of(Library.RENEWED)) {
                LockClient client = library.connect(uris);
                clients.add(client);
                List<Contestant> users = new ArrayList<>();
                for (int i = 0; i < threads; i++) {
                    users.add(Contestants.of(library, client, library + "-" + i));
                }
                all.put(library.title(), users);
                if (library == Library.RENEWED) {
                    rate(users); // opens its connections
                    ours = NodeFigures.connections(nodes) / count;
                }
            }
            for (int i = 0; i < threads; i++) { // after ours, which keeps the heartbeat that our scripts look at
                all.get("floor: bare sockets, two scripts with a fence")
                        .add(Floor.ofFencedScripts(nodes, "fenced-" + i));
                all.get("floor: bare sockets, our scripts").add(Floor.ofScripts(nodes, "floor-" + i));
            }
            Map<String, Double> rates = new LinkedHashMap<>();
            for (int turn = -WARM_UP; turn < TURNS; turn++) {
                for (Map.Entry<String, List<Contestant>> entry : all.entrySet()) {
                    double rate = rate(entry.getValue());
                    rates.merge(entry.getKey(), turn < 0 ? 0 : rate / TURNS, Double::sum);
                }
            }
            for (LockClient client : clients) {
                client.close();
            }
            long connections = ours;
            return rates.entrySet().stream()
                    .map(each -> new Rate(each.getKey(), each.getValue(), connections))
                    .toList();
        }
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
