// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import org.holdfast.protocol.env.Chain;
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

    /** Of one name each: other lines are found by the index. */
    private static final List<QueueKey.Kind> PLAIN = List.of(QueueKey.Kind.BARGING, QueueKey.Kind.FAIR);

    private final AtomicLong wakes = new AtomicLong();
    private final ConcurrentHashMap<QueueKey, Queue> lines = new ConcurrentHashMap<>();

    /** The lines for several names, and for permits, by each name. Changed with the map's lock on the line. */
    private final ConcurrentHashMap<String, Set<QueueKey>> indexed = new ConcurrentHashMap<>();

    /**
     * The waiters of one line, in order. Guarded by the map's lock on the line, but for what the last attempt of any of
     * them found.
     */
    private static final class Queue {
        private final Chain<Turn> turns = new Chain<>();
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

        /** Returns whether no waiter that comes later can stand before this one. Is called on any thread. */
        default boolean hasPlace() {
            return true;
        }

        /**
         * Returns the hold that the waiter gets in place of one that another holder in this process does not need any
         * more; null for none.
         */
        default @Nullable HeldLock handOff(HeldLock old) {
            return null;
        }
    }

    /** Joins the end of a line. Leave it by the turn. */
    Turn enter(QueueKey line, Waiter waiter) {
        Turn turn = new Turn(line, waiter);
        try {
            enter(turn);
        } catch (RuntimeException | Error e) { // as without memory: callers behind it would wait for ever
            turn.leave();
            lines.compute(line, (key, present) -> present == null ? unindexed(key) : present);
            throw e;
        }
        return turn;
    }

    private void enter(Turn turn) {
        lines.compute(turn.line, (key, present) -> {
            Queue queue = present == null ? new Queue() : present;
            turn.queue = queue;
            turn.isFirst = queue.turns.first() == null;
            turn.waiter.joined(); // before what a caller that fails here would leave behind
            if (present == null && key.isIndexed()) {
                addToIndex(key);
            }
            queue.turns.addLast(turn);
            return queue;
        });
    }

    private @Nullable Queue unindexed(QueueKey line) {
        if (line.isIndexed()) {
            removeFromIndex(line);
        }
        return null;
    }

    private void addToIndex(QueueKey line) {
        for (String name : line.names()) {
            indexed.compute(name, (key, present) -> {
                Set<QueueKey> some = present == null ? ConcurrentHashMap.newKeySet() : present;
                some.add(line);
                return some;
            });
        }
    }

    private void removeFromIndex(QueueKey line) {
        for (String name : line.names()) {
            indexed.computeIfPresent(name, (key, present) -> {
                present.remove(line);
                return present.isEmpty() ? null : present;
            });
        }
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
        for (QueueKey.Kind kind : PLAIN) {
            wakeHead(QueueKey.of(lock, kind));
        }
        Set<QueueKey> others = indexed.get(lock);
        if (others != null) {
            others.forEach(this::wakeHead);
        }
    }

    private void wakeHead(QueueKey line) {
        Turn[] head = new Turn[1];
        lines.computeIfPresent(line, (key, queue) -> {
            head[0] = queue.turns.first();
            return queue;
        });
        if (head[0] != null) { // outside of the map's lock: the waiter may borrow a thread for it
            head[0].waiter.wake();
        }
    }

    /** Wakes all waiters, also those behind the heads. */
    public void wakeAll() {
        wakes.incrementAndGet();
        List<Turn> all = new ArrayList<>();
        for (QueueKey line : lines.keySet()) {
            lines.computeIfPresent(line, (key, queue) -> {
                queue.turns.forEach(all::add);
                return queue;
            });
        }
        all.forEach(turn -> turn.waiter.wake()); // outside of the map's locks
    }

    @Override
    public boolean isWaitedFor(List<String> names) {
        return !lines.isEmpty()
                && names.stream()
                        .anyMatch(name -> indexed.containsKey(name)
                                || PLAIN.stream().anyMatch(kind -> lines.containsKey(QueueKey.of(name, kind))));
    }

    @Override
    public void freed(List<String> names) {
        names.forEach(this::wake);
    }

    /**
     * Hands it to the head of the line in which its holder would have waited, if it fits that waiter. None that waits
     * for several names fits.
     */
    @Override
    public boolean handOff(HeldLock released) {
        if (lines.isEmpty()) {
            return false;
        }
        Turn[] taken = new Turn[1];
        QueueKey.Kind kind = released.cohort().isInTurn() ? QueueKey.Kind.FAIR : QueueKey.Kind.BARGING;
        lines.computeIfPresent(QueueKey.of(released.lock(), kind), (key, queue) -> {
            Turn head = queue.turns.first();
            taken[0] = head != null && head.accept(released) ? head : null;
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

    /** Returns how many callers wait in lines and have a place that no later waiter of any process can take. */
    public int placed() {
        int[] placed = new int[1];
        for (QueueKey line : lines.keySet()) {
            lines.computeIfPresent(line, (key, queue) -> {
                queue.turns.forEach(turn -> placed[0] += turn.waiter.hasPlace() ? 1 : 0);
                return queue;
            });
        }
        return placed[0];
    }

    /** Returns how many lines there are. */
    public int size() {
        return lines.size() + indexed.size();
    }

    /** A place in a line. */
    public final class Turn extends Chain.Link<Turn> {

        private final QueueKey line;
        private final Waiter waiter;

        /** There from the beginning: a waiter that cannot leave, for want of memory, would keep all others waiting. */
        private final BiFunction<QueueKey, Queue, @Nullable Queue> leaving = this::leave;

        private @Nullable Turn promoted;
        private @Nullable Queue queue;
        private volatile boolean isFirst;
        private volatile @Nullable HeldLock handed;

        /** Has asked the nodes for its place, so that those behind it may. Guarded by the map's lock on the line. */
        private boolean asked;

        private Turn(QueueKey line, Waiter waiter) {
            this.line = line;
            this.waiter = waiter;
            this.asked = line.kind() != QueueKey.Kind.FAIR; // of others the nodes know no order
        }

        /** Returns whether this is the head of the line. */
        public boolean isFirst() {
            return isFirst;
        }

        /** Returns whether each waiter before it has asked the nodes for its place: they keep the order of these. */
        boolean mayAsk() {
            boolean[] may = new boolean[1];
            lines.computeIfPresent(line, (key, present) -> {
                Turn before = present.turns.previous(this);
                may[0] = before == null || before.asked;
                return present;
            });
            return may[0];
        }

        /** The nodes have been sent the question for its place: the next one may ask. */
        void asked() {
            Turn[] next = new Turn[1];
            lines.computeIfPresent(line, (key, present) -> {
                next[0] = asked ? null : present.turns.next(this);
                asked = true;
                return present;
            });
            if (next[0] != null) {
                next[0].waiter.wake();
            }
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

        /** Leaves the line; the next one becomes its head, or may ask. What was handed over is known from then on. */
        void leave() {
            lines.computeIfPresent(line, leaving);
            Turn next = promoted;
            promoted = null;
            if (next != null) {
                next.waiter.wake();
            }
        }

        private @Nullable Queue leave(QueueKey key, Queue present) {
            Turn behind = present.turns.next(this);
            present.turns.remove(this);
            Turn next = present.turns.first();
            if (next != null && !next.isFirst) {
                next.isFirst = true;
                promoted = next;
            } else if (behind != null && !behind.asked) {
                promoted = behind; // it may ask now
            }
            if (next == null && key.isIndexed()) {
                removeFromIndex(key);
            }
            return next == null ? null : present;
        }
    }
}
