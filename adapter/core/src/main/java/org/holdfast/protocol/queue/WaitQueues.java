// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
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

    /** One line, guarded by the map's lock on it, and what the last attempt of any of its waiters found. */
    private static final class Queue {
        private final WaitLine line = new WaitLine();
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
            turn.waiter().joined(); // before what a caller that fails here would leave behind
            if (present == null && key.isIndexed()) {
                addToIndex(key);
            }
            queue.line.join(turn);
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
        WaitLine.Member[] head = new WaitLine.Member[1];
        lines.computeIfPresent(line, (key, queue) -> {
            head[0] = queue.line.first();
            return queue;
        });
        if (head[0] != null) { // outside of the map's lock: the waiter may borrow a thread for it
            head[0].waiter().wake();
        }
    }

    /** Wakes all waiters, also those behind the heads. */
    public void wakeAll() {
        wakes.incrementAndGet();
        List<WaitLine.Member> all = new ArrayList<>();
        for (QueueKey line : lines.keySet()) {
            lines.computeIfPresent(line, (key, queue) -> {
                queue.line.forEach(all::add);
                return queue;
            });
        }
        all.forEach(turn -> turn.waiter().wake()); // outside of the map's locks
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
        WaitLine.Member[] taken = new WaitLine.Member[1];
        QueueKey.Kind kind = released.cohort().isInTurn() ? QueueKey.Kind.FAIR : QueueKey.Kind.BARGING;
        lines.computeIfPresent(QueueKey.of(released.lock(), kind), (key, queue) -> {
            WaitLine.Member head = queue.line.first();
            taken[0] = head != null && head.accept(released) ? head : null;
            return queue;
        });
        if (taken[0] != null) {
            taken[0].waiter().wake();
        }
        return taken[0] != null;
    }

    /** Returns how many callers wait in lines. */
    public int waiters() {
        return lines.values().stream().mapToInt(queue -> queue.line.size()).sum();
    }

    /** Returns how many callers wait in lines and have a place that no later waiter of any process can take. */
    public int placed() {
        int[] placed = new int[1];
        for (QueueKey line : lines.keySet()) {
            lines.computeIfPresent(line, (key, queue) -> {
                queue.line.forEach(turn -> placed[0] += turn.waiter().hasPlace() ? 1 : 0);
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
    public final class Turn extends WaitLine.Member {

        private final QueueKey line;

        /** There from the beginning: a waiter that cannot leave, for want of memory, would keep all others waiting. */
        private final BiFunction<QueueKey, Queue, @Nullable Queue> leaving = this::leave;

        private WaitLine.@Nullable Member woken;
        private @Nullable Queue queue;

        private Turn(QueueKey line, Waiter waiter) {
            super(waiter, line.kind() == QueueKey.Kind.FAIR);
            this.line = line;
        }

        /** Returns whether each waiter before it has asked the nodes for its place. */
        boolean mayAsk() {
            boolean[] may = new boolean[1];
            inLine(mine -> may[0] = mine.mayAsk(this));
            return may[0];
        }

        /** Returns a number that changes with all that may let a waiter of the line ask. */
        long changes() {
            long[] changes = new long[1];
            inLine(mine -> changes[0] = mine.changes());
            return changes[0];
        }

        /** Waits no more for those before it that have not asked, nor does any other waiter. */
        void pass() {
            inLine(mine -> mine.pass(this));
        }

        /** The nodes have been sent the question for its place: the next one may ask. */
        void asked() {
            change(mine -> mine.asked(this));
        }

        /** The nodes have given it its place, by the number of its ticket. */
        void placed(long number) {
            change(mine -> mine.placed(this, number));
        }

        /** No quorum has answered: it has to ask again. */
        void hasAskedInVain() {
            inLine(mine -> mine.hasAskedInVain(this));
        }

        private void inLine(Consumer<WaitLine> call) {
            lines.computeIfPresent(line, (key, present) -> {
                call.accept(present.line);
                return present;
            });
        }

        private void change(Function<WaitLine, WaitLine.@Nullable Member> change) {
            WaitLine.Member[] next = new WaitLine.Member[1];
            inLine(mine -> next[0] = change.apply(mine));
            if (next[0] != null) { // outside of the map's lock: the waiter may borrow a thread for it
                next[0].waiter().wake();
            }
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

        /** Leaves the line; the next one becomes its head, or may ask. What was handed over is known from then on. */
        void leave() {
            lines.computeIfPresent(line, leaving);
            WaitLine.Member next = woken;
            woken = null;
            if (next != null) {
                next.waiter().wake();
            }
        }

        private @Nullable Queue leave(QueueKey key, Queue present) {
            woken = present.line.leave(this);
            if (present.line.first() == null && key.isIndexed()) {
                removeFromIndex(key);
            }
            return present.line.first() == null ? null : present;
        }
    }
}
