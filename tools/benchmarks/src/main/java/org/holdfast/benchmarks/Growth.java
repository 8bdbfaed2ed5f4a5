// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.params.SetParams;

/**
 * What a lock that no other caller wants costs on three nodes, while there is more and more else: names that nodes
 * remember, callers that wait for other locks, leases that the process keeps, threads that take locks of their own.
 *
 * <p>Writes {@code docs/performance/growth.csv}; {@link Plots} draws it.
 */
public final class Growth {

    private static final int PAIRS = Integer.getInteger("pairs", 4_000);
    private static final int AT_ONCE = 1_000;
    private static final long FENCE_MILLIS = TimeUnit.HOURS.toMillis(1);

    private final Csv results = Csv.of("what", "x", "p50", "p99", "p999", "rate");

    private Growth() {}

    public static void main(String[] arguments) throws Exception {
        Growth growth = new Growth();
        growth.names();
        growth.waiters();
        growth.leases();
        growth.threads();
        growth.results.write(Measured.RESULTS.resolve("growth.csv"));
    }

    private void add(String what, int x, Measured measured) {
        results.add(what, x, measured.p50(), measured.p99(), measured.p999(), measured.rate());
    }

    private interface Body {
        void run(RedisServers redis, LockConnectionFactory locks, LockConnection connection) throws Exception;
    }

    private static void onThreeNodes(Body body) throws Exception {
        try (RedisServers redis = RedisServers.start(3, Path.of("target", "redis"));
                LockConnectionFactory locks = Measured.connect(redis.uris());
                LockConnection connection = locks.getConnection()) {
            Measured.pairs(connection, "measured", 5 * PAIRS); // what is measured is compiled code
            body.run(redis, locks, connection);
        }
    }

    /** Nodes remember the last token of each name for ten minutes; here for an hour, as none must be forgotten. */
    private void names() throws Exception {
        onThreeNodes((redis, locks, connection) -> {
            int known = 0;
            for (int names : new int[] {1, 100, 10_000, 100_000, 1_000_000}) {
                for (RedisServer node : redis.all()) {
                    remember(node, known, names);
                }
                known = names;
                add("names", names, Measured.pairs(connection, "measured", PAIRS));
            }
        });
    }

    private static void remember(RedisServer node, int from, int to) {
        long token = System.currentTimeMillis() * 1_000;
        try (Jedis jedis = new Jedis("127.0.0.1", node.port());
                Pipeline pipeline = jedis.pipelined()) {
            for (int i = from; i < to; i++) {
                pipeline.set(
                        "holdfast:{known-" + i + "}:fence",
                        Long.toString(token),
                        SetParams.setParams().px(FENCE_MILLIS));
                if (i % AT_ONCE == 0) {
                    pipeline.sync();
                }
            }
        }
    }

    /** Each waits for one of a tenth as many locks, which another process has. */
    private void waiters() throws Exception {
        onThreeNodes((redis, locks, connection) -> {
            try (LockConnectionFactory others = Measured.connect(redis.uris());
                    LockConnection holder = others.getConnection()) {
                List<Lease> held = new ArrayList<>();
                List<CompletableFuture<Lease>> waiting = new ArrayList<>();
                for (int waiters : new int[] {1, 10, 100, 1_000, 10_000}) {
                    while (waiting.size() < waiters) {
                        String name = "held-" + waiting.size() / 10;
                        if (waiting.size() % 10 == 0) {
                            held.add(holder.acquire(LockRequest.of(name).detached()));
                        }
                        waiting.add(connection.acquireAsync(LockRequest.of(name)));
                    }
                    TimeUnit.SECONDS.sleep(3); // until all stand in line
                    add("waiters", waiters, Measured.pairs(connection, "measured", PAIRS));
                }
                waiting.forEach(each -> each.cancel(true));
                held.forEach(Lease::release);
            }
        });
    }

    private void leases() throws Exception {
        onThreeNodes((redis, locks, connection) -> {
            List<Lease> held = new ArrayList<>();
            for (int leases : new int[] {1, 100, 1_000, 10_000, 100_000}) {
                while (held.size() < leases) {
                    held.add(connection.acquire(
                            LockRequest.of("held-" + held.size()).detached()));
                }
                TimeUnit.SECONDS.sleep(leases < 10_000 ? 1 : 12); // renewed for the first time
                add("leases", leases, Measured.pairs(connection, "measured", PAIRS));
            }
        });
    }

    /** Each thread has its own lock and connection; what is counted are the pairs of all of them. */
    private void threads() throws Exception {
        onThreeNodes((redis, locks, connection) -> {
            for (int threads : new int[] {1, 2, 4, 8, 16, 32, 64, 128}) {
                List<FutureTask<long[]>> running = new ArrayList<>();
                int each = Math.max(200, 4 * PAIRS / threads);
                long begun = System.nanoTime();
                for (int thread = 0; thread < threads; thread++) {
                    String name = "of-thread-" + thread;
                    running.add(Measured.start(() -> pairs(locks, name, each)));
                }
                long[] all = new long[threads * each];
                for (int thread = 0; thread < threads; thread++) {
                    System.arraycopy(running.get(thread).get(), 0, all, thread * each, each);
                }
                double rate = all.length * 1e9 / (System.nanoTime() - begun);
                Measured times = Measured.of(all);
                add("threads", threads, new Measured(times.p50(), times.p99(), times.p999(), rate));
            }
        });
    }

    private static long[] pairs(LockConnectionFactory locks, String name, int pairs) throws InterruptedException {
        long[] nanos = new long[pairs];
        try (LockConnection own = locks.getConnection()) {
            for (int i = 0; i < pairs; i++) {
                long begun = System.nanoTime();
                own.acquire(name).release();
                nanos[i] = System.nanoTime() - begun;
            }
        }
        return nanos;
    }
}
