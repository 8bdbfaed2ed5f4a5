// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.HolderInfo;
import org.jspecify.annotations.Nullable;

/**
 * Lets other processes go first after this one has released a lock that they wait for: they have to receive the
 * announcement of the release before they can ask, and a waiter in this process would always be faster. That ends when
 * one of them has had the lock and has released it, at the latest after a moment.
 *
 * <p>To a process that is far or busy a moment may be too short: this one would take the lock again and again, for
 * 100 ms each time. So a moment that has passed in vain makes the next one twice as long, up to a part of the time for
 * which this process has had the lock. A moment in which another process had the lock was long enough: the next one is
 * as long. When the longest moment was in vain, this process lets no other one go first for 100 ms, and then begins
 * with the shortest moment: the other process may be halted, or its waiter may have left. A connection goes on
 * listening for 2 s after that, and that of a process that lets this one go first listens as well: two processes that
 * seldom want the lock at the same time would keep each other waiting after each release.
 *
 * <p>Safe for use by any number of threads. A name takes no memory when its moment has been over for a while and {@link
 * #sweep} has passed.
 */
public final class HandoffYield {

    /** Several times what it takes to receive a release and to ask for the lock, on a machine that is not busy. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long RANGE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** The longest moment is of 32 to 64 ms. */
    private static final int MOST_DOUBLINGS = 4;

    /** A moment that was doubled is no longer than this part of the time for which this process has had the lock. */
    private static final int PART_OF_HELD = 2;

    /** So long after the longest moment, if it was in vain, no other process is let go first. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** So long after a moment its length is remembered. */
    private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Time time;
    private final Randomness randomness;
    private final ReleaseNotifications notifications;
    private final WakeUp sweeps;
    private final ConcurrentHashMap<String, OthersTurn> turns = new ConcurrentHashMap<>();

    /**
     * Other processes go first.
     *
     * @param until when that is over
     * @param notedAt when something was learned of it
     * @param token with which this process had the lock: each later owner has a larger one
     * @param doublings how often its length was doubled
     * @param next the smallest token of a later owner whose release was received, which may be that of this process;
     *     {@link #NONE} if there was none
     * @param latest the largest token of any owner whose release was received since
     */
    private record OthersTurn(long until, long notedAt, long token, int doublings, long next, long latest) {

        static final long NONE = Long.MAX_VALUE;

        /** Returns whether no other process has had the lock until this one had it with a token. */
        private boolean isInVain(long now, long own) { // a caller that does not wait does not let others go first
            return next >= own && now - until >= 0;
        }

        boolean isLongestInVain(long now, long own) {
            return doublings == MOST_DOUBLINGS && isInVain(now, own);
        }

        boolean isRested(long now) {
            return now - until >= REST_NANOS;
        }

        int doublingsOfNext(long now, long own) {
            if (isLongestInVain(now, own)) {
                return 0;
            }
            return isInVain(now, own) ? doublings + 1 : doublings;
        }

        /** This process has had the lock again. */
        OthersTurn withToken(long own) {
            return new OthersTurn(until, notedAt, own, doublings, NONE, own);
        }

        OthersTurn heard(long by) {
            return by > latest ? new OthersTurn(until, notedAt, token, doublings, next, by) : this;
        }

        /** A later owner has released the lock. */
        OthersTurn taken(long now, long by) {
            return new OthersTurn(now - until < 0 ? now : until, now, token, doublings, by, latest);
        }

        long nanosRemembered(long now) {
            return Math.max(until - now, notedAt - now) + MEMORY_NANOS;
        }

        boolean isForgotten(long now) {
            return nanosRemembered(now) <= 0;
        }
    }

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
     * @param heldNanos for how long this process has had it, one holder after the other; 0 if others may have had it at
     *     the same time
     * @param listeners how many connections a node has notified of that, at the most
     */
    public void released(String lock, long token, long heldNanos, long listeners) {
        int ours = notifications.isSubscribed(lock) ? 1 : 0;
        if (listeners > ours) { // other processes wait for it
            OthersTurn turn = turns.compute(lock, (name, before) -> nextTurn(before, token, heldNanos));
            sweeps.within(turn.nanosRemembered(time.nanoTime()));
        }
    }

    private OthersTurn nextTurn(@Nullable OthersTurn before, long token, long heldNanos) {
        long now = time.nanoTime();
        OthersTurn last = before == null || before.isForgotten(now) ? null : before;
        if (last != null && last.isLongestInVain(now, token) && !last.isRested(now)) {
            return last.withToken(token);
        }
        if (last != null && last.token() > token) { // the thread that had it has waited long for a processor
            return last;
        }
        int doublings = last == null ? 0 : last.doublingsOfNext(now, token);
        if (last != null && last.latest() > token) { // likewise: others have had their turn already
            return new OthersTurn(now, now, token, doublings, last.latest(), token);
        }
        long moment = LEAST_NANOS + randomness.below(RANGE_NANOS);
        long longest = Math.max(moment, heldNanos / PART_OF_HELD);
        long until = now + Math.min(moment << doublings, longest);
        return new OthersTurn(until, now, token, doublings, OthersTurn.NONE, token);
    }

    /**
     * A release was received. Messages of several nodes come in any order, also those of owners before this process,
     * and its own, which may come before {@link #released} is called.
     *
     * @param message the owner of the lock, as it describes itself: if that is wrong, this process comes too early or
     *     too late, and nothing else
     */
    public void heard(String lock, String message) {
        if (!turns.isEmpty()) {
            turns.computeIfPresent(
                    lock,
                    (name, turn) -> afterRelease(turn, HolderInfo.of(message).token()));
        }
    }

    private OthersTurn afterRelease(OthersTurn turn, long token) {
        OthersTurn known = turn.heard(token);
        return token > turn.token() && token < turn.next() ? known.taken(time.nanoTime(), token) : known;
    }

    /** Returns how long to wait before the lock is asked for; 0 or less if at once. */
    long nanosLeft(String lock) {
        if (turns.isEmpty()) {
            return 0;
        }
        OthersTurn turn = turns.get(lock);
        return turn == null ? 0 : turn.until() - time.nanoTime();
    }

    /** Returns whether other processes listened for the last release of the lock by this one, within a second or so. */
    boolean haveOthersWaited(String lock) {
        OthersTurn turn = turns.isEmpty() ? null : turns.get(lock);
        return turn != null && !turn.isForgotten(time.nanoTime());
    }

    /** Forgets what is over. */
    public void sweep() {
        long now = time.nanoTime();
        turns.values().removeIf(turn -> turn.isForgotten(now));
        turns.values().stream()
                .mapToLong(turn -> turn.nanosRemembered(now))
                .min()
                .ifPresent(sweeps::within);
    }

    public int size() {
        return turns.size();
    }
}
