// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

/**
 * Wakes the thread that does what is due, which sleeps until the earliest moment that it was told.
 *
 * <p>Whatever has something due later reports that when it becomes known, and in each run of that thread, which forgets
 * the moments of before. Safe for use by any number of threads.
 */
@FunctionalInterface
public interface WakeUp {

    /** Wakes nothing: for what is called often enough. */
    WakeUp NONE = nanos -> {};

    /** Has that thread run within so many nanoseconds, or soon if there are none left. It may run earlier. */
    void within(long nanos);

    /**
     * As {@link #within}, for what a caller waits for: runs that are a little apart, so that much is done in one, are
     * not so for this.
     */
    default void promptlyWithin(long nanos) {
        within(nanos);
    }
}
