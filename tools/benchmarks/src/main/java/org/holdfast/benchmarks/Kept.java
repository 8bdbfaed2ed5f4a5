// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;

/** What it costs that locks are held, or waited for, and nothing else happens: on one node. */
final class Kept {

    private static final int SECONDS = 20;

    private Kept() {}

    /**
     * What it costs to hold locks.
     *
     * @param calls of scripts, a second
     * @param processor of the node, a part of one
     * @param bytes of heap for each
     */
    record Held(double calls, double processor, double bytes) {}

    static Held locks(Library library, int count) throws Exception {
        try (RedisServers redis = RedisServers.start(1, Path.of("target", "redis"))) {
            List<RedisServer> nodes = redis.all();
            try (LockClient client = library.connect(List.of(nodes.get(0).uri()))) {
                client.take("first").release().run();
                long heap = settledHeap();
                List<LockClient.Taken> taken = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    taken.add(client.take("many-" + i));
                }
                TimeUnit.SECONDS.sleep(10); // renewed once
                double bytes = (double) (settledHeap() - heap) / count;
                long calls = NodeFigures.scriptCalls(nodes);
                double processor = NodeFigures.processorMicros(nodes);
                TimeUnit.SECONDS.sleep(SECONDS);
                Held held = new Held(
                        (double) (NodeFigures.scriptCalls(nodes) - calls) / SECONDS,
                        (NodeFigures.processorMicros(nodes) - processor) / 1e6 / SECONDS,
                        bytes);
                taken.clear();
                return held;
            }
        }
    }

    /**
     * What it costs to wait.
     *
     * @param calls of scripts, a second
     * @param connections to the node, of the process that waits
     */
    record Waiting(double calls, long connections) {}

    /** Has requests wait for a tenth as many locks, each by a connection of its own. */
    static Waiting waiters(int count) throws Exception {
        try (RedisServers redis = RedisServers.start(1, Path.of("target", "redis"));
                LockConnectionFactory holders = Measured.connect(redis.uris());
                LockConnectionFactory waiters = Measured.connect(redis.uris());
                LockConnection holder = holders.getConnection()) {
            List<RedisServer> nodes = redis.all();
            List<Lease> held = new ArrayList<>();
            for (int i = 0; i < count / 10; i++) {
                held.add(holder.acquire("n" + i));
            }
            long before = NodeFigures.connections(nodes);
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            List<LockConnection> connections = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                LockConnection connection = waiters.getConnection();
                connections.add(connection);
                waiting.add(connection.acquireAsync("n" + i % held.size()));
            }
            TimeUnit.SECONDS.sleep(20); // until all are in line, and pauses are as long as they get
            long calls = NodeFigures.scriptCalls(nodes);
            TimeUnit.SECONDS.sleep(SECONDS);
            Waiting found = new Waiting(
                    (double) (NodeFigures.scriptCalls(nodes) - calls) / SECONDS,
                    NodeFigures.connections(nodes) - before);
            waiting.forEach(each -> each.cancel(true));
            connections.forEach(LockConnection::close);
            held.forEach(Lease::release);
            return found;
        }
    }

    private static long settledHeap() throws InterruptedException {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(300);
            Runtime runtime = Runtime.getRuntime();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }
}
