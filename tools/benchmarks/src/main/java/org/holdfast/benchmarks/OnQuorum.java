// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisServers;

/**
 * Locks a second on a quorum, and how soon the next process has a lock that was released: on 1, 3 and 5 nodes, and on 3
 * of which one is gone, hangs, or is 5 ms away.
 *
 * <p>Writes {@code docs/performance/quorum.csv}; {@link Plots} draws it.
 */
public final class OnQuorum {

    private static final int PAIRS = Integer.getInteger("pairs", 10_000);
    private static final int THREADS = 16;
    private static final int HANDED = Integer.getInteger("handed", 1_500);
    private static final Duration FAR = Duration.ofMillis(5);

    private OnQuorum() {}

    private enum Fault {
        NONE("healthy"),
        GONE("one is gone"),
        HANGS("one hangs"),
        SLOW("one is 5 ms away");

        private final String text;

        Fault(String text) {
            this.text = text;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Csv results = Csv.of(
                "nodes", "state", "p50", "p99", "p999", "rate", "rate16", "handed-p50", "handed-p99", "handed-p999");
        for (int nodes : new int[] {1, 3, 5}) {
            measure(results, nodes, Fault.NONE);
        }
        for (Fault fault : List.of(Fault.GONE, Fault.HANGS, Fault.SLOW)) {
            measure(results, 3, fault);
        }
        results.write(Measured.RESULTS.resolve("quorum.csv"));
    }

    private static void measure(Csv results, int count, Fault fault) throws Exception {
        try (RedisServers redis = RedisServers.start(count, Path.of("target", "redis"));
                Link link = new Link(redis.get(0).port())) {
            String uris = redis.all().stream()
                    .map(node -> node == redis.get(0) ? "redis://127.0.0.1:" + link.port() : node.uri())
                    .collect(Collectors.joining(","));
            try (LockConnectionFactory one = Measured.connect(fault == Fault.SLOW ? uris : redis.uris());
                    LockConnectionFactory other = Measured.connect(fault == Fault.SLOW ? uris : redis.uris());
                    LockConnection connection = one.getConnection()) {
                Measured.pairs(connection, "measured", PAIRS);
                happen(fault, redis, link);
                Measured.pairs(connection, "measured", PAIRS / 10);
                Measured alone = Measured.pairs(connection, "measured", PAIRS);
                double together = together(one);
                Measured handed = handed(one, other);
                results.add(
                        count,
                        fault.text,
                        alone.p50(),
                        alone.p99(),
                        alone.p999(),
                        alone.rate(),
                        together,
                        handed.p50(),
                        handed.p99(),
                        handed.p999());
            } finally {
                redis.get(0).thaw();
            }
        }
    }

    private static void happen(Fault fault, RedisServers redis, Link link) {
        switch (fault) {
            case GONE -> redis.get(0).kill();
            case HANGS -> redis.get(0).freeze();
            case SLOW -> link.delayAll(FAR);
            default -> {}
        }
    }

    /** Returns the pairs a second of threads that take locks of their own. */
    private static double together(LockConnectionFactory locks) throws Exception {
        List<FutureTask<Void>> running = new ArrayList<>();
        long begun = System.nanoTime();
        for (int thread = 0; thread < THREADS; thread++) {
            String name = "of-thread-" + thread;
            running.add(Measured.start(() -> {
                try (LockConnection own = locks.getConnection()) {
                    Measured.pairs(own, name, PAIRS / 4);
                }
                return null;
            }));
        }
        for (FutureTask<Void> each : running) {
            each.get();
        }
        return THREADS * (PAIRS / 4) * 1e9 / (System.nanoTime() - begun);
    }

    /** A lease of one of two that contend. */
    private record Held(int process, long token, long granted, long released) {}

    /** Returns how long after a release the other process had the lock. Each holds it for a millisecond. */
    private static Measured handed(LockConnectionFactory one, LockConnectionFactory other) throws Exception {
        List<FutureTask<List<Held>>> running = new ArrayList<>();
        for (LockConnectionFactory locks : List.of(one, other)) {
            int process = running.size();
            running.add(Measured.start(() -> held(locks, process)));
        }
        List<Held> all = new ArrayList<>();
        for (FutureTask<List<Held>> each : running) {
            all.addAll(each.get());
        }
        all.sort(Comparator.comparingLong(Held::token));
        List<Long> nanos = new ArrayList<>();
        for (int i = 1; i < all.size(); i++) {
            if (all.get(i).process() != all.get(i - 1).process()) {
                nanos.add(all.get(i).granted() - all.get(i - 1).released());
            }
        }
        return Measured.of(nanos.stream().mapToLong(Long::longValue).toArray());
    }

    private static List<Held> held(LockConnectionFactory locks, int process) throws InterruptedException {
        List<Held> held = new ArrayList<>();
        try (LockConnection own = locks.getConnection()) {
            for (int i = 0; i < HANDED; i++) {
                Lease lease = own.acquire("handed");
                long granted = System.nanoTime();
                TimeUnit.MILLISECONDS.sleep(1);
                held.add(new Held(process, lease.token(), granted, System.nanoTime()));
                lease.release();
            }
        }
        return held;
    }
}
