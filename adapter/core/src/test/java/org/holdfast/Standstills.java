// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Notes when no thread of this process ran for a while: the process was stopped, or others had all processors. */
public final class Standstills implements AutoCloseable {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** More than what a thread waits for its turn on a machine that has some work to do. */
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong longest = new AtomicLong();
    private final Thread thread = new Thread(this::look, "standstills");

    private Standstills() {}

    /** Notes them from now on. */
    public static Standstills noted() {
        Standstills noted = new Standstills();
        noted.thread.setDaemon(true);
        noted.thread.start();
        return noted;
    }

    private void look() {
        long last = System.nanoTime();
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(LOOK_NANOS);
            long now = System.nanoTime();
            long still = now - last;
            if (still >= SHORTEST_NANOS) {
                count.incrementAndGet();
                longest.accumulateAndGet(still, Math::max);
            }
            last = now;
        }
    }

    /** Returns how many there were. */
    public int count() {
        return count.get();
    }

    /** Returns whether one lasted so long. */
    public boolean isAnyOf(long millis) {
        return longest.get() >= TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
