// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The locks of this process in the order in which something is due for them: a binary heap, in which each lock knows
 * its place.
 *
 * <p>A process may hold many locks, and this takes no object for any of them. It keeps the size that it has had once.
 * What fails for lack of memory or of stack changes nothing. Safe for use by any number of threads, which wait for each
 * other for some comparisons at the most.
 */
final class DueOrder {

    /** The place of a lock that is not here. */
    static final int NOWHERE = -1;

    private static final int FIRST_CAPACITY = 16;

    private HeldLock[] heap = new HeldLock[FIRST_CAPACITY];
    private int size;

    /** Adds a lock for which something is due at this moment on the monotonic clock, or moves it there. */
    synchronized void put(HeldLock heldLock, long at) {
        if (heldLock.place != NOWHERE) {
            settle(heldLock, heldLock.place, at, size);
            return;
        }
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        settle(heldLock, size, at, size + 1);
    }

    /** Moves a lock that is here to an earlier moment; returns whether it was due later. */
    synchronized boolean hasten(HeldLock heldLock, long at) {
        boolean isEarlier = heldLock.place != NOWHERE && at - heldLock.dueAt < 0;
        if (isEarlier) {
            settle(heldLock, heldLock.place, at, size);
        }
        return isEarlier;
    }

    synchronized void remove(HeldLock heldLock) {
        int place = heldLock.place;
        if (place == NOWHERE) {
            return;
        }
        HeldLock last = heap[size - 1];
        if (last == heldLock) {
            size--;
        } else {
            settle(last, place, last.dueAt, size - 1);
        }
        heap[size] = null;
        heldLock.place = NOWHERE;
    }

    /** Removes the first lock, and returns it, if something is due for it by this moment; else returns null. */
    synchronized @Nullable HeldLock poll(long dueAt) {
        if (size == 0 || heap[0].dueAt - dueAt > 0) {
            return null;
        }
        HeldLock first = heap[0];
        remove(first);
        return first;
    }

    synchronized boolean contains(HeldLock heldLock) {
        return heldLock.place != NOWHERE;
    }

    /** Returns when something is due for the first lock; nothing if there is none. */
    synchronized OptionalLong first() {
        return size == 0 ? OptionalLong.empty() : OptionalLong.of(heap[0].dueAt);
    }

    /**
     * Has a lock take a place that is free, or its own, and moves those that are to be before or behind it. Calls no
     * method: it could end half-way for lack of stack.
     *
     * @param newSize how many locks there are from now on
     */
    private void settle(HeldLock heldLock, int place, long at, int newSize) {
        size = newSize;
        int parent = (place - 1) / 2;
        while (place > 0 && at - heap[parent].dueAt < 0) { // nanoTime may overflow: only differences mean anything
            heap[place] = heap[parent];
            heap[place].place = place;
            place = parent;
            parent = (place - 1) / 2;
        }
        int child = 2 * place + 1;
        while (child < size) {
            if (child + 1 < size && heap[child + 1].dueAt - heap[child].dueAt < 0) {
                child++;
            }
            if (at - heap[child].dueAt <= 0) {
                break;
            }
            heap[place] = heap[child];
            heap[place].place = place;
            place = child;
            child = 2 * place + 1;
        }
        heap[place] = heldLock;
        heldLock.place = place;
        heldLock.dueAt = at;
    }
}
