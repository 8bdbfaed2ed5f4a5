// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * What comes of it when all threads want the same lock all the time: threads of one process, and of two.
 *
 * <p>Each process is a JVM of its own. A share is the part of all acquisitions that the process with fewer has.
 */
public final class Contention {

    private static final Duration MEASURED = Duration.ofSeconds(Integer.getInteger("seconds", 10));
    private static final LockRequest REQUEST = LockRequest.of("wanted").waitTimeout(Duration.ofMinutes(1));

    private Contention() {}

    /** Takes the lock once and releases it. */
    private interface Turn {
        void take() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            contend(arguments[0], Integer.parseInt(arguments[1]), arguments[2]);
            return;
        }
        System.out.println("| client, and on what | processes x threads | acquisitions/s | share of the weaker |");
        System.out.println("| --- | --- | --- | --- |");
        for (int nodes : new int[] {1, 3}) {
            try (RedisServers redis = RedisServers.start(nodes, Path.of("target", "redis"))) {
                String uris = redis.all().stream().map(RedisServer::uri).collect(Collectors.joining(","));
                for (int threads : new int[] {1, 8}) {
                    compare("holdfast", nodes, threads, uris);
                    compare("holdfast, fair", nodes, threads, uris);
                    if (nodes == 1) {
                        compare("redisson", nodes, threads, uris);
                    }
                }
            }
        }
    }

    private static void compare(String library, int nodes, int threads, String uris) throws Exception {
        for (int processes = threads == 1 ? 2 : 1; processes <= 2; processes++) {
            List<Process> children = new ArrayList<>();
            for (int i = 0; i < processes; i++) {
                children.add(new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Contention.class.getName(),
                                library,
                                Integer.toString(threads),
                                uris)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start());
            }
            List<Long> counts = new ArrayList<>();
            for (Process child : children) {
                try (BufferedReader out =
                        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
                    counts.add(Long.parseLong(out.readLine()));
                }
                child.waitFor();
            }
            long sum = counts.stream().mapToLong(Long::longValue).sum();
            long least = counts.stream().mapToLong(Long::longValue).min().orElseThrow();
            System.out.printf(
                    "| %s, %d node%s | %d x %d | %d | %s |%n",
                    library,
                    nodes,
                    nodes == 1 ? "" : "s",
                    processes,
                    threads,
                    sum / MEASURED.toSeconds(),
                    processes == 1 ? "" : 100 * least / sum + " %");
        }
    }

    /** One process: warms up, then counts. All begin at the same moment. */
    private static void contend(String library, int threads, String uris) throws Exception {
        if (library.equals("redisson")) {
            Config config = new Config();
            config.useSingleServer().setAddress(uris);
            RedissonClient client = Redisson.create(config);
            RLock lock = client.getLock("wanted-redisson");
            contend(threads, () -> {
                lock.lock();
                lock.unlock();
            });
            client.shutdown();
            return;
        }
        LockRequest request = REQUEST.fair(library.endsWith("fair"));
        try (LockConnectionFactory locks = Holdfast.connect(Map.of("nodes", uris, "guard", "OFF"));
                LockConnection connection = locks.getConnection()) {
            contend(threads, () -> {
                Lease lease = connection.acquire(request);
                lease.release();
            });
        }
    }

    private static void contend(int threads, Turn turn) throws Exception {
        long second = 1_000_000_000L;
        long warm = System.nanoTime() + 4 * second;
        long end = warm + MEASURED.toNanos();
        AtomicLong counted = new AtomicLong();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                long now = System.nanoTime();
                while (now < end) {
                    try {
                        turn.take();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                    now = System.nanoTime();
                    if (now > warm && now < end) {
                        counted.incrementAndGet();
                    }
                }
            });
            all.add(thread);
            thread.start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        System.out.println(counted.get());
    }
}
