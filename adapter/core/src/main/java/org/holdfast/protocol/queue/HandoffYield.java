// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;

/**
 * Lets other processes go first, for a moment after this one has released a lock that they wait for: they have to
 * receive the announcement of the release before they can ask, and a waiter in this process would always be faster.
 *
 * <p>Safe for use by any number of threads. A name takes no memory when its moment is over and {@link #sweep} has
 * passed.
 */
public final class HandoffYield {

    /** Several times what it takes to receive a release and to ask for the lock. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long RANGE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** So long a moment that is over may take memory. */
    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Time time;
    private final Randomness randomness;
    private final ReleaseNotifications notifications;
    private final WakeUp sweeps;
    private final ConcurrentHashMap<String, Long> until = new ConcurrentHashMap<>();

    /** @param sweeps has {@link #sweep} called in time */
    public HandoffYield(Time time, Randomness randomness, ReleaseNotifications notifications, WakeUp sweeps) {
        this.time = time;
        this.randomness = randomness;
        this.notifications = notifications;
        this.sweeps = sweeps;
    }

    /**
     * The lock was released on the nodes.
     *
     * @param listeners how many connections a node has notified of that, at the most
     */
    public void released(String lock, long listeners) {
        int ours = notifications.isSubscribed(lock) ? 1 : 0;
        if (listeners > ours) { // other processes wait for it
            until.put(lock, time.nanoTime() + LEAST_NANOS + randomness.below(RANGE_NANOS));
            sweeps.within(SWEEP_NANOS);
        }
    }

    /** Returns how long to wait before the lock is asked for; 0 or less if at once. */
    long nanosLeft(String lock) {
        if (until.isEmpty()) {
            return 0;
        }
        Long moment = until.get(lock);
        return moment == null ? 0 : moment - time.nanoTime();
    }

    /** Forgets what is over. */
    public void sweep() {
        long now = time.nanoTime();
        until.values().removeIf(moment -> moment - now <= 0);
        if (!until.isEmpty()) {
            sweeps.within(SWEEP_NANOS);
        }
    }

    public int size() {
        return until.size();
    }
}
