// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.TimeUnit;

/**
 * Bounds how many attempts of one waiter announcements cause: a client that may do nothing but PUBLISH must not be able to keep
 * the nodes busy.
 *
 * <p>An announcement is believed as long as there is something left. What is left grows slowly with time, and is full again when
 * the lock seems to have changed hands: then its expiry on the nodes has moved, which a mere announcement cannot do. For one
 * thread at a time.
 */
final class NewsBudget {

    /** A lock that is held for a fraction of a millisecond changes hands so often before its expiry moves by {@link #MOVED_ON_NANOS}. */
    private static final int MOST = 50;

    /** 25 a second, beyond the first. */
    private static final long REFILL_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    /** More than what round trips differ by, most of the time. */
    private static final long MOVED_ON_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** The next holder may have asked for a shorter TTL; round trips do not differ by that much. */
    private static final long MOVED_BACK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private int left = MOST;
    private long refilledAt;
    private boolean hasExpiry;
    private long expiry;

    NewsBudget(long now) {
        this.refilledAt = now;
    }

    /** Takes one; false if nothing is left. */
    boolean take(long now) {
        long earned = (now - refilledAt) / REFILL_NANOS;
        refilledAt += earned * REFILL_NANOS;
        left = (int) Math.min(MOST, left + earned);
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }

    /** Returns when there is one more to take. */
    long nextAt() {
        return refilledAt + REFILL_NANOS;
    }

    /**
     * The lock was found held.
     *
     * @param expiresAt when it ends, if it is not renewed
     */
    void found(long expiresAt) {
        if (!hasExpiry || expiresAt - expiry > MOVED_ON_NANOS || expiry - expiresAt > MOVED_BACK_NANOS) {
            hasExpiry = true;
            expiry = expiresAt;
            left = MOST;
        }
    }
}
