// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.holdfast.Holdfast;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseSemaphore;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/** The main program of {@link FullHeapTest}: all that is held is given back, once, while there is no memory. */
final class EndsInFullHeap {

    private static final int TIMES = 3;
    private static final Duration TTL = ofSeconds(1);
    private static final Duration FULL = ofMillis(300);

    private static volatile boolean full;

    /** What holds a lock, and gives it back on the same thread. */
    private interface Holding {
        void end() throws Exception;
    }

    private interface Taking {
        Holding take(String name) throws Exception;
    }

    private final Map<String, String> settings;

    /** Of one holder after the other. */
    private volatile int failures;

    private EndsInFullHeap(String nodes) {
        settings = Map.of(
                "nodes", nodes, "guard", "OFF", "ttlMillis", Long.toString(TTL.toMillis()), "nodeTimeoutMillis", "500");
    }

    public static void main(String[] arguments) throws Exception {
        OwnClasses.loadAll();
        System.getLogger("test").log(System.Logger.Level.INFO, "the JDK has what a log line needs");
        new EndsInFullHeap(arguments[0]).run();
        System.exit(0); // what a close that failed leaves behind is not what this is about
    }

    private void run() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnectionFactory others = Holdfast.connect(settings);
                LockConnection another = others.getConnection()) {
            Map<String, Taking> ways = ways(locks);
            for (Taking way : ways.values()) {
                way.take("warm-" + System.nanoTime()).end(); // loads what it needs
            }
            for (int i = 0; i < TIMES; i++) {
                for (Map.Entry<String, Taking> way : ways.entrySet()) {
                    holdAndEnd(way.getKey() + i, way.getValue());
                }
            }
            System.out.println("without memory: " + failures);
            Thread.sleep(TTL.multipliedBy(2).toMillis());
            for (String way : ways.keySet()) {
                int free = 0;
                for (int i = 0; i < TIMES; i++) {
                    free += isFree(another, way, way + i) ? 1 : 0;
                }
                System.out.println(way + ": free=" + free + " of " + TIMES);
            }
        }
    }

    private Map<String, Taking> ways(LockConnectionFactory locks) {
        return Map.of(
                "factory",
                name -> {
                    LockConnectionFactory own = Holdfast.connect(settings);
                    own.getConnection().acquire(name);
                    return own::close;
                },
                "connection",
                name -> {
                    LockConnection connection = locks.getConnection();
                    connection.acquire(name);
                    return connection::close;
                },
                "lock",
                name -> {
                    LeaseLock lock = locks.getConnection().lock(name);
                    lock.lock();
                    return lock::unlock;
                },
                "semaphore",
                name -> {
                    LeaseSemaphore semaphore = locks.getConnection().semaphore(name, 1);
                    semaphore.acquire();
                    return semaphore::release;
                });
    }

    private void holdAndEnd(String name, Taking way) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        full = false;
        Thread holder = new Thread(() -> {
            try {
                Holding holding = way.take(name);
                held.countDown();
                while (!full) {
                    LockSupport.parkNanos(100_000);
                }
                holding.end();
            } catch (Exception | OutOfMemoryError e) {
                failures++;
            }
        });
        holder.start();
        held.await();
        HeapFilling.fill();
        full = true;
        holder.join(FULL.toMillis());
        HeapFilling.empty();
        holder.join();
    }

    private static boolean isFree(LockConnection connection, String way, String name) throws InterruptedException {
        if (way.equals("semaphore")) {
            return connection.semaphore(name, 1).tryAcquire();
        }
        return connection.tryAcquire(LockRequest.of(name).waitTimeout(TTL)).isPresent();
    }
}
