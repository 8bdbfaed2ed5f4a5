// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.ArrayDeque;
import org.holdfast.protocol.env.Time;

/**
 * Lets so many waiters ask the nodes at the same time: when a thousand locks become free at once, the last waiter must
 * not find nodes that are too busy to answer in time.
 *
 * <p>Safe for use by any number of threads; waiters enter in the order in which they came.
 */
public final class AttemptLimiter {

    private final Time time;
    private final ArrayDeque<Time.Signal> outside = new ArrayDeque<>();
    private int free;

    public AttemptLimiter(Time time, int places) {
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
