// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.holdfast.protocol.env.KeptInterrupt;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Round;
import org.jspecify.annotations.Nullable;

/** The answers to one command that was sent over {@link NodeConnections}. Guarded by their lock. */
final class PendingRound implements Round {

    private final Reader reader;
    private final Lock lock;

    /** The first of the answers that have arrived and are not taken yet; most often there is one. */
    private @Nullable Answer first;

    private @Nullable ArrayDeque<Answer> others;
    private @Nullable Condition changed;
    private long awaitedUntil;
    private int outstanding;
    private long pushedAt;
    private @Nullable Consumer<Answer> late;

    /** Reads the answers, for the thread that waits for them. Called with the lock of the connections. */
    interface Reader {

        /**
         * Waits until something may have changed for the round. Waits without the lock.
         *
         * @return false if the deadline has passed: what has come by then counts, and overdue connections are given up
         */
        boolean awaitChange(PendingRound round, long deadline);

        /** A thread that has its answer stops reading: if no other one reads, a waiting one must. */
        void passOnReading();
    }

    /** @param now the moment before the command is sent */
    PendingRound(Reader reader, Lock lock, int targets, long now) {
        this.reader = reader;
        this.lock = lock;
        this.outstanding = targets;
        this.pushedAt = now;
    }

    /** The sockets of all nodes have been given the command. Called with the lock. */
    void pushed(long now) {
        pushedAt = now;
    }

    /** Returns when that was; the moment before it was sent, until then. */
    long pushedAt() {
        return pushedAt;
    }

    /** Returns whether the caller no longer waits for the answers. */
    boolean isLeft() {
        return late != null;
    }

    /** Returns what its thread waits for while another reads. */
    Condition changed() {
        if (changed == null) {
            changed = lock.newCondition();
        }
        return changed;
    }

    /** Its thread waits until then, on the scale of {@link System#nanoTime()}, while another reads. */
    void awaited(long until) {
        awaitedUntil = until;
    }

    /** Returns whether the time is not over for which its thread waits. */
    boolean waitsAt(long now) {
        return now - awaitedUntil < 0;
    }

    /** Takes an answer, on whichever thread reads it. Called with the lock. */
    void answered(Answer answer) {
        outstanding--;
        if (late == null) {
            arrived(answer);
        } else {
            late.accept(answer);
        }
        if (changed != null) {
            changed.signal();
        }
    }

    private void arrived(Answer answer) {
        if (first == null) {
            first = answer;
            return;
        }
        if (others == null) {
            others = new ArrayDeque<>();
        }
        others.addLast(answer);
    }

    private @Nullable Answer takeFirst() {
        Answer taken = first;
        first = others == null ? null : others.pollFirst();
        return taken;
    }

    @Override
    public @Nullable Answer next(long deadline) {
        KeptInterrupt kept = KeptInterrupt.take(null); // a selector does not wait for an interrupted thread
        lock.lock();
        try {
            boolean inTime = true;
            while (inTime && first == null && outstanding > 0) {
                inTime = reader.awaitChange(this, deadline);
                kept = KeptInterrupt.take(kept);
            }
            return takeFirst();
        } finally {
            end(kept);
        }
    }

    @Override
    public void awaitLate(BooleanSupplier enough, long deadline) {
        KeptInterrupt kept = KeptInterrupt.take(null);
        lock.lock();
        try {
            boolean inTime = true;
            while (inTime && outstanding > 0 && !enough.getAsBoolean()) {
                inTime = reader.awaitChange(this, deadline);
                kept = KeptInterrupt.take(kept);
            }
        } finally {
            end(kept);
        }
    }

    /** Another thread reads from now on, if one waits. */
    private void end(@Nullable KeptInterrupt kept) {
        try {
            reader.passOnReading();
        } finally {
            lock.unlock();
            KeptInterrupt.restore(kept);
        }
    }

    @Override
    public void leave(Consumer<Answer> listener) {
        lock.lock();
        try {
            late = listener;
            Answer answer;
            while ((answer = takeFirst()) != null) {
                listener.accept(answer);
            }
        } finally {
            lock.unlock();
        }
    }
}
