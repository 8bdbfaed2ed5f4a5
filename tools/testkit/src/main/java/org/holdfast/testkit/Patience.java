// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for other processes. */
final class Patience {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long POLL_MILLIS = 20;

    private Patience() {}

    /**
     * Waits until something is so.
     *
     * @param what is waited for, for a message
     */
    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("waited in vain until " + what);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS); // other processes: there is nothing to be notified by
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting until " + what, e);
            }
        }
    }
}
