// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/**
 * How long pairs of a request and a release took.
 *
 * @param p50 median, in microseconds; likewise the others
 * @param rate pairs a second
 */
record Measured(double p50, double p99, double p999, double rate) {

    /** Where the results are, seen from the directory in which benchmarks run. */
    static final Path RESULTS = Path.of("..", "..", "docs", "performance");

    static Measured of(long[] nanos) {
        long sum = 0;
        for (long each : nanos) {
            sum += each;
        }
        return new Measured(
                Contestants.percentile(nanos, 0.5),
                Contestants.percentile(nanos, 0.99),
                Contestants.percentile(nanos, 0.999),
                nanos.length * 1e9 / sum);
    }

    /** Takes a lock again and again, on this thread. */
    static Measured pairs(LockConnection connection, String name, int pairs) throws InterruptedException {
        long[] nanos = new long[pairs];
        for (int i = 0; i < pairs; i++) {
            long begun = System.nanoTime();
            connection.acquire(name).release();
            nanos[i] = System.nanoTime() - begun;
        }
        return of(nanos);
    }

    static LockConnectionFactory connect(String uris) {
        return Holdfast.connect(Map.of("nodes", uris, "guard", "DEVELOPMENT", "waitTimeoutMillis", "60000"));
    }

    static <T> FutureTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }
}
