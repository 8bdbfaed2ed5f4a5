// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.HolderInfo;

/**
 * Lets other processes go first after this one has released a lock that they wait for: they have to receive the
 * announcement of the release before they can ask, and a waiter in this process would always be faster. That ends when
 * one of them has had the lock and has released it, at the latest after a moment.
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
    private final ConcurrentHashMap<String, OthersTurn> turns = new ConcurrentHashMap<>();

    /**
     * Other processes go first.
     *
     * @param until when that is over, if nothing ends it earlier
     * @param token with which this process had the lock: each later owner has a larger one
     */
    private record OthersTurn(long until, long token) {}

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
     * @param token the first one of its claim
     * @param listeners how many connections a node has notified of that, at the most
     */
    public void released(String lock, long token, long listeners) {
        int ours = notifications.isSubscribed(lock) ? 1 : 0;
        if (listeners > ours) { // other processes wait for it
            long until = time.nanoTime() + LEAST_NANOS + randomness.below(RANGE_NANOS);
            turns.put(lock, new OthersTurn(until, token));
            sweeps.within(SWEEP_NANOS);
        }
    }

    /**
     * A release was received. Messages of several nodes come in any order, also those of owners before this process.
     *
     * @param message the owner of the lock, as it describes itself: if that is wrong, this process comes too early or
     *     too late, and nothing else
     */
    public void heard(String lock, String message) {
        if (!turns.isEmpty()) {
            turns.computeIfPresent(lock, (name, turn) -> HolderInfo.of(message).token() > turn.token() ? null : turn);
        }
    }

    /** Returns how long to wait before the lock is asked for; 0 or less if at once. */
    long nanosLeft(String lock) {
        if (turns.isEmpty()) {
            return 0;
        }
        OthersTurn turn = turns.get(lock);
        return turn == null ? 0 : turn.until() - time.nanoTime();
    }

    /** Forgets what is over. */
    public void sweep() {
        long now = time.nanoTime();
        turns.values().removeIf(turn -> turn.until() - now <= 0);
        if (!turns.isEmpty()) {
            sweeps.within(SWEEP_NANOS);
        }
    }

    public int size() {
        return turns.size();
    }
}
