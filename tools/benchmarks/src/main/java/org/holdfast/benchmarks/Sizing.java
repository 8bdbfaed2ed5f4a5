// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;

/**
 * What a lock costs its nodes: processor, commands, bytes, memory and connections, for one node and for clusters with
 * one, two and four shards.
 *
 * <p>The processor time is that of the Redis processes, as they report it, less what an idle client costs them. So it
 * means something on a machine that is shared, too; the rate of pairs does not.
 */
public final class Sizing {

    private static final int THREADS = 16;
    private static final int NAMES = 1_000;
    private static final int LEASES = 5_000;
    private static final int WAITERS = 1_000;
    private static final Duration TTL = Duration.ofMillis(4_500);
    /** A lease is renewed so often before it would end. */
    private static final int RENEWALS_A_TTL = 3;

    private static final Duration MEASURED = Duration.ofSeconds(Integer.getInteger("seconds", 8));
    private static final Path FILES = Path.of("target", "redis");

    private final String deployment;
    private final List<RedisServer> servers;
    private final LockConnectionFactory locks;
    private Cost idle = new Cost(0, 0, 0, 0);

    /** What nodes have spent, all together. */
    private record Cost(double cpuMicros, long commands, long bytes, double seconds) {

        Cost since(Cost before) {
            return new Cost(
                    cpuMicros - before.cpuMicros,
                    commands - before.commands,
                    bytes - before.bytes,
                    seconds - before.seconds);
        }

        Cost without(Cost idle) {
            double part = seconds / idle.seconds;
            return new Cost(
                    cpuMicros - idle.cpuMicros * part,
                    commands - (long) (idle.commands * part),
                    bytes - (long) (idle.bytes * part),
                    seconds);
        }
    }

    private Sizing(String deployment, List<RedisServer> servers, LockConnectionFactory locks) {
        this.deployment = deployment;
        this.servers = servers;
        this.locks = locks;
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("| deployment | what | count | a second | node CPU us each | commands each | bytes each |");
        System.out.println("| --- | --- | --- | --- | --- | --- | --- |");
        try (RedisServer server = RedisServer.start(FILES)) {
            measure("one node", List.of(server), server.uri());
        }
        for (int shards : new int[] {1, 2, 4}) {
            try (RedisCluster cluster = RedisCluster.start(FILES, shards, 0)) {
                measure("cluster, " + shards + " shards", cluster.servers(), cluster.uri());
            }
        }
    }

    private static void measure(String deployment, List<RedisServer> servers, String nodes) throws Exception {
        Map<String, String> settings = Map.of("nodes", nodes, "maxLeaseTtlMillis", "5000", "nodeTimeoutMillis", "1000");
        try (LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnectionFactory others = Holdfast.connect(settings)) {
            Sizing sizing = new Sizing(deployment, servers, locks);
            try (LockConnection connection = locks.getConnection()) {
                for (int i = 0; i < 50; i++) { // names in every shard
                    connection
                            .acquire(LockRequest.of("first" + i).ttl(TTL).waitTimeout(Duration.ofMinutes(1)))
                            .release();
                }
            }
            sizing.pairs(Duration.ofSeconds(5)); // compiles
            sizing.idle();
            sizing.print("pair", sizing.pairs(MEASURED));
            sizing.leases();
            sizing.waiters(others);
        }
    }

    private void idle() throws Exception {
        Cost before = cost();
        Thread.sleep(MEASURED.toMillis());
        idle = cost().since(before);
        System.out.printf(
                "| %s | idle client, a second | %.0f | - | %.0f | %.1f | %.0f |%n",
                deployment,
                idle.seconds,
                idle.cpuMicros / idle.seconds,
                idle.commands / idle.seconds,
                idle.bytes / idle.seconds);
        System.out.printf(
                "| %s | connections of a client with %d threads, and of an idle one | %d | - | - | - | - |%n",
                deployment, THREADS, sum(server -> field(server, "connected_clients")));
    }

    private record Done(long count, Cost cost) {}

    private Done pairs(Duration duration) throws Exception {
        LongAdder done = new LongAdder();
        Cost before = cost();
        long end = System.nanoTime() + duration.toNanos();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int offset = t * NAMES / THREADS;
            threads.add(new Thread(() -> {
                try (LockConnection connection = locks.getConnection()) {
                    for (int i = 0; System.nanoTime() - end < 0; i++) {
                        connection
                                .acquire(LockRequest.of("n" + (offset + i % (NAMES / THREADS)))
                                        .ttl(TTL))
                                .release();
                        done.increment();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        return new Done(done.sum(), cost().since(before));
    }

    private void print(String what, Done done) {
        Cost own = done.cost.without(idle);
        System.out.printf(
                "| %s | %s | %d | %.0f | %.2f | %.2f | %.0f |%n",
                deployment,
                what,
                done.count,
                done.count / own.seconds,
                own.cpuMicros / done.count,
                (double) own.commands / done.count,
                (double) own.bytes / done.count);
    }

    private void leases() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Thread.sleep(12_000); // what lingers of the pairs is gone
            long memory = memory();
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < LEASES; i++) {
                leases.add(
                        connection.acquire(LockRequest.of("held-" + i).ttl(TTL).detached()));
            }
            System.out.printf(
                    "| %s | memory of a lease, bytes | %d | - | - | - | - |%n",
                    deployment, (memory() - memory) / LEASES);
            Cost before = cost();
            Thread.sleep(MEASURED.toMillis());
            Cost after = cost().since(before);
            print(
                    "renewal",
                    new Done((long) (LEASES * after.seconds * RENEWALS_A_TTL / TTL.toMillis() * 1_000), after));
            long lost = leases.stream().filter(lease -> !lease.isHeld()).count();
            leases.forEach(Lease::release);
            if (lost > 0) {
                System.out.println("lost: " + lost);
            }
        }
    }

    /** Each waits for a lock of its own, which another process holds. */
    private void waiters(LockConnectionFactory others) throws Exception {
        try (LockConnection holder = others.getConnection();
                LockConnection waiter = locks.getConnection()) {
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                LockRequest request = LockRequest.of("wait-" + i).ttl(TTL).detached();
                held.add(holder.acquire(request));
                waiting.add(waiter.acquireAsync(request.waitTimeout(Duration.ofMinutes(2))));
            }
            Thread.sleep(2_000);
            Cost before = cost();
            Thread.sleep(MEASURED.toMillis());
            Cost after = cost().since(before);
            print("waiter and its holder's renewals, a second", new Done((long) (WAITERS * after.seconds), after));
            held.forEach(Lease::release);
            waiting.stream().map(CompletableFuture::join).forEach(Lease::release);
        }
    }

    private Cost cost() {
        double cpu = servers.stream()
                .mapToDouble(server -> decimal(server, "used_cpu_user") + decimal(server, "used_cpu_sys"))
                .sum();
        return new Cost(
                cpu * TimeUnit.SECONDS.toMicros(1),
                sum(server -> field(server, "total_commands_processed")),
                sum(server -> field(server, "total_net_input_bytes") + field(server, "total_net_output_bytes")),
                System.nanoTime() / 1e9);
    }

    private long memory() {
        return sum(server -> field(server, "used_memory"));
    }

    private long sum(Function<RedisServer, Long> value) {
        return servers.stream().map(value).collect(Collectors.summingLong(Long::longValue));
    }

    private static long field(RedisServer server, String name) {
        return (long) decimal(server, name);
    }

    private static double decimal(RedisServer server, String name) {
        try {
            return server.command("INFO")
                    .lines()
                    .filter(line -> line.startsWith(name + ":"))
                    .mapToDouble(line ->
                            Double.parseDouble(line.substring(name.length() + 1).trim()))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
