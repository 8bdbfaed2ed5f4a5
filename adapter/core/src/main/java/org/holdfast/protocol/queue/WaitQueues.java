// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Successor;
import org.holdfast.protocol.quorum.QuorumResult;
import org.jspecify.annotations.Nullable;

/**
 * The lines in which the callers of this process wait for locks, first come, first served.
 *
 * <p>Only the head of a line asks the nodes; where these have to know the order, each waiter asks once, when it comes.
 * A release by this process wakes the head at once, or hands it the lock. A name without waiters takes no memory.
 */
public final class WaitQueues implements Successor {

    /**
     * The waiters for the same thing in the same way.
     *
     * @param lock the name, of several the first
     */
    record QueueKey(String lock, Kind kind) {}

    /** The ways to wait for what has the same name. */
    enum Kind {
        /** The first caller that asks after the lock becomes free gets it. */
        BARGING,
        /** By tickets, whose order the nodes know. */
        FAIR,
        /** For a permit. */
        PERMIT
    }

    private static final List<Kind> KINDS = List.of(Kind.values());

    private final AtomicLong wakes = new AtomicLong();
    private final ConcurrentHashMap<QueueKey, Queue> lines = new ConcurrentHashMap<>();

    /** The waiters for several names, by each name but the one in whose line they wait. */
    private final ConcurrentHashMap<String, Set<Turn>> watchers = new ConcurrentHashMap<>();

    /**
     * The waiters of one line, in order. Guarded by the map's lock on the line, but for what the last attempt of any of
     * them found.
     */
    private static final class Queue {
        private final ArrayDeque<Turn> turns = new ArrayDeque<>(2);
        private volatile @Nullable Found found;
    }

    /**
     * What an attempt found.
     *
     * @param begun when it began: it means nothing to callers that came later
     */
    public record Found(QuorumResult quorumResult, long begun) {}

    /** What a turn needs of its waiter. */
    interface Waiter {

        /** Is called when the turn may have come, on any thread. Must not block. */
        void wake();

        /** Is called in the order of the line, before another waiter joins it. Must not block. */
        default void joined() {}

        /**
         * Returns the hold that the waiter gets in place of one that another holder in this process does not need any
         * more; null for none.
         */
        default @Nullable HeldLock handOff(HeldLock old) {
            return null;
        }
    }

    /**
     * Joins the end of a line. Leave it by the turn.
     *
     * @param names all the names that are waited for
     */
    Turn enter(QueueKey line, List<String> names, Waiter waiter) {
        Turn turn = new Turn(line, names, waiter);
        turn.watch();
        lines.compute(line, (key, present) -> {
            Queue queue = present == null ? new Queue() : present;
            queue.turns.addLast(turn);
            turn.queue = queue;
            turn.isFirst = queue.turns.peekFirst() == turn;
            waiter.joined();
            return queue;
        });
        return turn;
    }

    /** Returns whether a caller waits in the line. */
    boolean isWaitedFor(QueueKey line) {
        return lines.containsKey(line);
    }

    /** Returns a number that grows with each wake, to see later whether one was missed. */
    long wakes() {
        return wakes.get();
    }

    /** Wakes the heads of the lines of a name: the lock may be free. */
    public void wake(String lock) {
        wakes.incrementAndGet(); // before the check: a waiter that comes just now sees it, or is seen
        if (lines.isEmpty()) {
            return;
        }
        for (Kind kind : KINDS) {
            Turn[] head = new Turn[1];
            lines.computeIfPresent(new QueueKey(lock, kind), (key, queue) -> {
                head[0] = queue.turns.peekFirst();
                return queue;
            });
            if (head[0] != null) { // outside of the map's lock: the waiter may borrow a thread for it
                head[0].waiter.wake();
            }
        }
        for (Turn turn : watchers.getOrDefault(lock, Set.of())) {
            if (turn.isFirst) { // a turn that becomes first later is woken by that
                turn.waiter.wake();
            }
        }
    }

    /** Wakes all waiters, also those behind the heads. */
    public void wakeAll() {
        wakes.incrementAndGet();
        List<Turn> all = new ArrayList<>();
        for (QueueKey line : lines.keySet()) {
            lines.computeIfPresent(line, (key, queue) -> {
                all.addAll(queue.turns);
                return queue;
            });
        }
        all.forEach(turn -> turn.waiter.wake()); // outside of the map's locks
    }

    @Override
    public void freed(List<String> names) {
        names.forEach(this::wake);
    }

    /** Hands it to the head of the line of those that need not be in order for the nodes, if it fits that waiter. */
    @Override
    public boolean handOff(HeldLock released) {
        if (lines.isEmpty()) {
            return false;
        }
        Turn[] taken = new Turn[1];
        lines.computeIfPresent(new QueueKey(released.lock(), Kind.BARGING), (key, queue) -> {
            Turn head = queue.turns.peekFirst();
            taken[0] = head.accept(released) ? head : null;
            return queue;
        });
        if (taken[0] != null) {
            taken[0].waiter.wake();
        }
        return taken[0] != null;
    }

    /** Returns how many callers wait in lines. */
    public int waiters() {
        return lines.values().stream().mapToInt(queue -> queue.turns.size()).sum();
    }

    /** Returns how many lines there are. */
    public int size() {
        return lines.size() + watchers.size();
    }

    /** A place in a line. */
    public final class Turn {

        private final QueueKey line;
        private final List<String> names;
        private final Waiter waiter;
        private @Nullable Queue queue;
        private volatile boolean isFirst;
        private volatile @Nullable HeldLock handed;

        private Turn(QueueKey line, List<String> names, Waiter waiter) {
            this.line = line;
            this.names = names;
            this.waiter = waiter;
        }

        /** Returns whether this is the head of the line. */
        public boolean isFirst() {
            return isFirst;
        }

        /** Returns what was handed over, or null. A waiter that does not leave the line with it must release it. */
        public @Nullable HeldLock handed() {
            return handed;
        }

        /** Notes what an attempt found, for all in the line. */
        void found(Found newest) {
            Queue mine = Objects.requireNonNull(queue, "not in line");
            Found known = mine.found;
            if (known == null || newest.begun() - known.begun() > 0) {
                mine.found = newest;
            }
        }

        /** Returns what the last attempt of any waiter in the line found; null if there was none. */
        @Nullable
        Found found() {
            return Objects.requireNonNull(queue, "not in line").found;
        }

        private boolean accept(HeldLock old) {
            HeldLock next = handed == null ? waiter.handOff(old) : null;
            if (next != null) {
                handed = next;
            }
            return next != null;
        }

        private void watch() {
            eachOther((name, present) -> {
                Set<Turn> turns = present == null ? ConcurrentHashMap.newKeySet() : present;
                turns.add(this);
                return turns;
            });
        }

        private void watchNoMore() {
            eachOther((name, present) -> {
                if (present == null) {
                    return null;
                }
                present.remove(this);
                return present.isEmpty() ? null : present;
            });
        }

        private void eachOther(BiFunction<String, Set<Turn>, Set<Turn>> change) {
            for (String name : names) {
                if (!name.equals(line.lock())) {
                    watchers.compute(name, change);
                }
            }
        }

        /** Leaves the line; the next one becomes its head. Returns what was handed over, or null. */
        @Nullable
        HeldLock leave() {
            watchNoMore();
            Turn[] promoted = new Turn[1];
            lines.computeIfPresent(line, (key, queue) -> {
                queue.turns.remove(this);
                Turn next = queue.turns.peekFirst();
                if (next != null && !next.isFirst) {
                    next.isFirst = true;
                    promoted[0] = next;
                }
                return next == null ? null : queue;
            });
            if (promoted[0] != null) {
                promoted[0].waiter.wake();
            }
            return handed;
        }
    }
}
