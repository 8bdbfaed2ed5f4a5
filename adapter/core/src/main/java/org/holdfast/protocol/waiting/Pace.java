// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;

/**
 * When one waiter attempts next; and how often announcements may hasten that: a client that may do nothing but PUBLISH
 * must not be able to keep the nodes busy.
 *
 * <p>An announcement is believed at once while some of a budget is left. The budget grows slowly with time, and by more
 * when the lock seems to have changed hands: then its expiry on the nodes has moved, which a mere announcement cannot
 * do. The holder's renewals move it, too, at most a few times a second and each by a third of the TTL; hand-offs that
 * follow each other fast move it often and by little. For one thread at a time.
 */
final class Pace {

    /** More contenders than usually get a lock before this one does. */
    private static final int MOST = 50;

    /** Gained when the expiry has moved at once: a hand-off, its undone contenders, or a renewal. */
    private static final int GAINED = 2;

    /**
     * Gained when the expiry has moved little by little: several hand-offs are hidden in that, or unsteady round trips.
     */
    private static final int GAINED_BY_FAST_HAND_OFFS = 10;

    /** 25 a second, beyond the first. */
    private static final long REFILL_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    /** More than what round trips and busy threads differ by, most of the time. */
    private static final long MOVED_ON_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The next holder may have asked for a shorter TTL; round trips do not differ by that much. */
    private static final long MOVED_BACK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Time time;
    private boolean isSet;
    private long due;
    private int left = MOST;
    private long refilledAt;
    private boolean hasExpiry;
    private long expiry;
    private long lastRead;
    private long lastLikely;

    Pace(Time time) {
        this.time = time;
        this.refilledAt = time.nanoTime();
    }

    /** Returns whether it is known when to attempt next. */
    boolean isSet() {
        return isSet;
    }

    /**
     * The next attempt is due after so long. A moment and not a pause: what wakes the waiter meanwhile must not put it
     * off.
     */
    void set(long nanos) {
        due = time.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 4);
        isSet = true;
    }

    /** Returns how long to wait; 0 or less if the attempt is due. */
    long nanosLeft() {
        return due - time.nanoTime();
    }

    /** An attempt was made: it is not known when the next one is due. */
    void attempted() {
        isSet = false;
    }

    /**
     * There was an announcement: the attempt is due now, or soon. Only while it is {@link #isSet}.
     *
     * @return whether announcements are believed at once: some of the budget is left
     */
    boolean hasten() {
        long now = time.nanoTime();
        long hastened = take(now) ? now : refilledAt + REFILL_NANOS;
        if (due - hastened > 0) {
            due = hastened;
        }
        return left > 0;
    }

    /** Takes one from the budget; false if nothing is left. */
    private boolean take(long now) {
        long earned = (now - refilledAt) / REFILL_NANOS;
        refilledAt += earned * REFILL_NANOS;
        left = (int) Math.min(MOST, left + earned);
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }

    /**
     * The lock was found held.
     *
     * @param nanos for how long, if it is not renewed
     */
    void foundHeld(long nanos) {
        long expiresAt = time.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 4);
        if (!hasExpiry) {
            hasExpiry = true;
            expiry = expiresAt;
            lastRead = expiresAt;
            lastLikely = expiresAt;
            return;
        }
        long likely =
                expiresAt - lastRead < 0 ? expiresAt : lastRead; // what delays a reply makes its expiry seem later
        boolean atOnce = likely - lastLikely > MOVED_ON_NANOS;
        boolean back = expiry - likely > MOVED_BACK_NANOS;
        lastRead = expiresAt;
        lastLikely = likely;
        if (back || likely - expiry > MOVED_ON_NANOS) {
            expiry = likely;
            left = Math.min(MOST, left + (back || atOnce ? GAINED : GAINED_BY_FAST_HAND_OFFS));
        }
    }
}
