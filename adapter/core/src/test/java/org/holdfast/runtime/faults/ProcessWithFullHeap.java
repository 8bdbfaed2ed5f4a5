// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;

/** The main program of {@link FullHeapTest}: fills its heap for moments, and prints what becomes of its locks. */
final class ProcessWithFullHeap {

    private static final int TIMES = 6;
    private static final Duration FULL = ofMillis(200);
    private static final Duration TTL = ofSeconds(1);

    private ProcessWithFullHeap() {}

    public static void main(String[] arguments) throws Exception {
        Map<String, String> settings = Map.of(
                "nodes",
                arguments[0],
                "guard",
                "OFF",
                "ttlMillis",
                Long.toString(TTL.toMillis()),
                "nodeTimeoutMillis",
                "500");
        OwnClasses.loadAll();
        System.getLogger("test").log(System.Logger.Level.INFO, "the JDK has what a log line needs");
        try (LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnection connection = locks.getConnection()) {
            acquire(connection, "first").release();
            for (int i = 0; i < TIMES; i++) {
                fillWhileHeld(locks, connection, "held-" + i);
            }
            System.out.println("renewed=" + isRenewed(connection));
            int free = 0;
            for (int i = 0; i < TIMES; i++) {
                free += isFree(connection, "held-" + i) ? 1 : 0;
            }
            System.out.println("free=" + free + " of " + TIMES);
        }
    }

    /** On a busy machine a lease of a second may be lost for other reasons. */
    private static boolean isRenewed(LockConnection connection) throws InterruptedException {
        boolean renewed = false;
        for (int attempt = 0; attempt < 5 && !renewed; attempt++) {
            Lease fresh = acquire(connection, "fresh");
            Thread.sleep(TTL.multipliedBy(2).toMillis());
            renewed = fresh.isHeld();
            fresh.release();
        }
        return renewed;
    }

    private static void fillWhileHeld(LockConnectionFactory locks, LockConnection connection, String name)
            throws InterruptedException {
        Lease lease = acquire(connection, name);
        for (boolean fair : new boolean[] {true, false}) { // their waits end while the heap is full
            new Thread(() -> waitInVain(locks, LockRequest.of(name).fair(fair))).start();
        }
        Thread.sleep(50);
        HeapFilling.fill();
        long since = System.nanoTime();
        while (System.nanoTime() - since < FULL.toNanos()) {
            LockSupport.parkNanos(1_000_000);
        }
        try {
            lease.release(); // with nothing left
        } catch (RuntimeException | Error e) {
            // that is what this is about
        }
        HeapFilling.empty();
        Thread.sleep(50);
    }

    private static void waitInVain(LockConnectionFactory locks, LockRequest request) {
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire(request.waitTimeout(FULL));
        } catch (InterruptedException | RuntimeException | Error e) {
            // there is none, or no memory to say so
        }
    }

    /** After a moment without memory connections may have to be opened again. */
    private static Lease acquire(LockConnection connection, String name) throws InterruptedException {
        for (int attempt = 0; ; attempt++) {
            try {
                return connection.acquire(LockRequest.of(name).waitTimeout(ofSeconds(3)));
            } catch (LockException e) {
                if (attempt == 20) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }

    private static boolean isFree(LockConnection connection, String name) throws InterruptedException {
        try (Lease unfair = connection.acquire(LockRequest.of(name).waitTimeout(TTL.multipliedBy(2)))) {
            unfair.release();
            connection
                    .acquire(LockRequest.of(name).fair(true).waitTimeout(TTL.multipliedBy(2)))
                    .release();
            return true;
        } catch (LockException e) {
            System.out.println(e);
            return false;
        }
    }
}
