// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayDeque;

/**
 * Lets so many of those who wait ask the nodes at the same time: when a thousand locks become free at once, the last one must not
 * find nodes that are too busy to answer in time.
 *
 * <p>Safe for use by any number of threads; who is let in comes in the order in which it came.
 */
final class Gate {

    private final Time time;
    private final ArrayDeque<Time.Signal> outside = new ArrayDeque<>();
    private int free;

    Gate(Time time, int places) {
        this.time = time;
        this.free = places;
    }

    /**
     * Goes in, and waits for that so long at the most.
     *
     * @return whether the caller is in, and has to {@link #leave}
     */
    boolean enter(long nanos) throws InterruptedException {
        Time.Signal mine;
        synchronized (this) {
            if (free > 0) {
                free--;
                return true;
            }
            mine = time.newSignal();
            outside.addLast(mine);
        }
        boolean in = false;
        try {
            in = mine.await(nanos);
            return in;
        } finally {
            if (!in && !isStillOutside(mine)) { // let in just now, and too late
                leave();
            }
        }
    }

    private synchronized boolean isStillOutside(Time.Signal signal) {
        return outside.remove(signal);
    }

    /** Goes out, and lets the next one in. */
    void leave() {
        Time.Signal next;
        synchronized (this) {
            next = outside.pollFirst();
            if (next == null) {
                free++;
            }
        }
        if (next != null) {
            next.raise();
        }
    }
}
