// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where the threads of this process wait for a lock, one queue a name, first come, first served.
 *
 * <p>Only the head of a queue talks to the nodes. A release by this process wakes the head at once. A name nobody waits for
 * takes no memory.
 */
final class WaitingRoom {

    private final Time time;
    private final AtomicLong wakes = new AtomicLong();
    private final ConcurrentHashMap<String, ArrayDeque<Turn>> queues = new ConcurrentHashMap<>();

    WaitingRoom(Time time) {
        this.time = time;
    }

    /** Joins the end of the queue. Close the turn to leave it. */
    Turn enter(String lock) {
        Turn turn = new Turn(lock);
        queues.compute(lock, (name, queue) -> {
            ArrayDeque<Turn> present = queue == null ? new ArrayDeque<>() : queue;
            present.addLast(turn);
            if (present.peekFirst() == turn) {
                turn.isFirst = true;
            }
            return present;
        });
        return turn;
    }

    /** Returns whether somebody waits for the lock. */
    boolean isWaitedFor(String lock) {
        return queues.containsKey(lock);
    }

    /** Returns a number that grows with each wake, to see later whether one was missed. */
    long wakes() {
        return wakes.get();
    }

    /** Wakes the head of the queue: the lock may be free. */
    void wake(String lock) {
        wakes.incrementAndGet();
        queues.computeIfPresent(lock, (name, queue) -> {
            queue.peekFirst().signal.raise();
            return queue;
        });
    }

    /** Wakes the heads of all queues. */
    void wakeAll() {
        queues.keySet().forEach(this::wake);
    }

    /** A place in the queue of one lock. */
    final class Turn implements AutoCloseable {

        private final String lock;
        private final Time.Signal signal = time.newSignal();
        private volatile boolean isFirst;

        private Turn(String lock) {
            this.lock = lock;
        }

        /** Returns whether this is the head of the queue. */
        boolean isFirst() {
            return isFirst;
        }

        /** Lets the next wait end at once if anybody was woken since, perhaps for this lock. */
        void catchUp(long wakesBefore) {
            if (wakes.get() != wakesBefore) {
                signal.raise();
            }
        }

        /** Waits so long, or until something may have changed; returns whether it has. */
        boolean await(long nanos) throws InterruptedException {
            return signal.await(nanos);
        }

        /** Leaves the queue; the next one becomes its head. */
        @Override
        public void close() {
            queues.computeIfPresent(lock, (name, queue) -> {
                queue.remove(this);
                Turn next = queue.peekFirst();
                if (next == null) {
                    return null;
                }
                if (!next.isFirst) {
                    next.isFirst = true;
                    next.signal.raise();
                }
                return queue;
            });
        }
    }
}
