// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;

/**
 * Where those of this process who wait for a lock stand in line, first come, first served.
 *
 * <p>Only the head of a line talks to the nodes; where these have to know the order, everybody does once, when he comes. A release by this process wakes the head at once, or hands it the lock. A name
 * nobody waits for takes no memory.
 */
final class WaitingRoom {

    /**
     * Those who wait for the same thing in the same way.
     *
     * @param lock the name, of several the first
     */
    record Line(String lock, Kind kind) {}

    /** The ways to wait for what has the same name. */
    enum Kind {
        /** Whoever comes first when the lock becomes free gets it. */
        FREE_FOR_ALL,
        /** Those with tickets, whose order the nodes know. */
        IN_TURN,
        /** For a permit. */
        PERMIT
    }

    private static final List<Kind> KINDS = List.of(Kind.values());

    private final AtomicLong wakes = new AtomicLong();
    private final ConcurrentHashMap<Line, Queue> lines = new ConcurrentHashMap<>();

    /** Those who wait for several names, by each name but the one in whose line they stand. */
    private final ConcurrentHashMap<String, Set<Turn>> watchers = new ConcurrentHashMap<>();

    /** The waiters of one line, in order. Guarded by the map's lock on the line, but for what the last attempt of any of them found. */
    private static final class Queue {
        private final ArrayDeque<Turn> turns = new ArrayDeque<>(2);
        private volatile Found found;
    }

    /**
     * What an attempt found.
     *
     * @param begun when it began: it says nothing to callers that came later
     */
    record Found(Outcome outcome, long begun) {}

    /** What a turn needs of who waits. */
    interface Waiter {

        /** Is called when the turn may have come, on any thread. Must not block. */
        void wake();

        /** Is called in the order of the line, before anybody else joins it. Must not block. */
        default void joined() {}

        /** Returns what the waiter would make of a hold that somebody in this process does not need any more; null for nothing. */
        default Hold inherit(Hold old) {
            return null;
        }
    }

    /**
     * Joins the end of a line. Leave it by the turn.
     *
     * @param names all the names that are waited for
     */
    Turn enter(Line line, List<String> names, Waiter waiter) {
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

    /** Returns whether somebody waits in the line. */
    boolean isWaitedFor(Line line) {
        return lines.containsKey(line);
    }

    /** Returns a number that grows with each wake, to see later whether one was missed. */
    long wakes() {
        return wakes.get();
    }

    /** Wakes the heads of the lines of a name: the lock may be free. */
    void wake(String lock) {
        wakes.incrementAndGet(); // before we look: who comes just now sees it, or is seen
        if (lines.isEmpty()) {
            return;
        }
        for (Kind kind : KINDS) {
            Turn[] head = new Turn[1];
            lines.computeIfPresent(new Line(lock, kind), (key, queue) -> {
                head[0] = queue.turns.peekFirst();
                return queue;
            });
            if (head[0] != null) { // outside of the map's lock: who is woken may borrow a thread for it
                head[0].waiter.wake();
            }
        }
        for (Turn turn : watchers.getOrDefault(lock, Set.of())) {
            if (turn.isFirst) { // who becomes first later is woken by that
                turn.waiter.wake();
            }
        }
    }

    /** Wakes all who wait, also those behind the heads. */
    void wakeAll() {
        wakes.incrementAndGet();
        List<Turn> all = new ArrayList<>();
        for (Line line : lines.keySet()) {
            lines.computeIfPresent(line, (key, queue) -> {
                all.addAll(queue.turns);
                return queue;
            });
        }
        all.forEach(turn -> turn.waiter.wake()); // outside of the map's locks
    }

    /** Gives the head of a line what it can make of a hold; returns whether it took it. */
    boolean handOver(Line line, Hold old) {
        if (lines.isEmpty()) {
            return false;
        }
        Turn[] taken = new Turn[1];
        lines.computeIfPresent(line, (key, queue) -> {
            Turn head = queue.turns.peekFirst();
            taken[0] = head.accept(old) ? head : null;
            return queue;
        });
        if (taken[0] != null) {
            taken[0].waiter.wake();
        }
        return taken[0] != null;
    }

    /** Returns how many stand in lines. */
    int waiters() {
        return lines.values().stream().mapToInt(queue -> queue.turns.size()).sum();
    }

    /** Returns how many lines there are. */
    int size() {
        return lines.size() + watchers.size();
    }

    /** A place in a line. */
    final class Turn {

        private final Line line;
        private final List<String> names;
        private final Waiter waiter;
        private Queue queue;
        private volatile boolean isFirst;
        private volatile Hold handed;

        private Turn(Line line, List<String> names, Waiter waiter) {
            this.line = line;
            this.names = names;
            this.waiter = waiter;
        }

        /** Returns whether this is the head of the line. */
        boolean isFirst() {
            return isFirst;
        }

        /** Returns what was handed over, or null. Whoever does not leave the line with it must give it back. */
        Hold handed() {
            return handed;
        }

        /** Notes what an attempt found, for all in the line. */
        void found(Found newest) {
            Found known = queue.found;
            if (known == null || newest.begun() - known.begun() > 0) {
                queue.found = newest;
            }
        }

        /** Returns what the last attempt of any waiter in the line found; null if there was none. */
        Found found() {
            return queue.found;
        }

        private boolean accept(Hold old) {
            Hold heir = handed == null ? waiter.inherit(old) : null;
            if (heir != null) {
                handed = heir;
            }
            return heir != null;
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
        Hold leave() {
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
