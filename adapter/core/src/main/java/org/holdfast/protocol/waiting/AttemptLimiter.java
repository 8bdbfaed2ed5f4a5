// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import org.holdfast.protocol.env.Chain;

/**
 * Lets so many waiters ask the nodes at the same time: when a thousand locks become free at once, the last waiter must
 * not find nodes that are too busy to answer in time.
 *
 * <p>Safe for use by any number of threads; waiters enter in the order in which they came. No thread waits here.
 */
public final class AttemptLimiter {

    private final Chain<Pass> outside = new Chain<>();
    private int free;

    public AttemptLimiter(int places) {
        this.free = places;
    }

    /** What one waiter enters with. */
    final class Pass extends Chain.Link<Pass> {

        private final Runnable whenLetIn;
        private boolean inside;
        private boolean queued;

        /** @param whenLetIn called when a place is free for a waiter that was refused, on any thread. Must not block */
        Pass(Runnable whenLetIn) {
            this.whenLetIn = whenLetIn;
        }

        /** Returns whether the waiter is inside; else it is let in later. In both cases it has to {@link #leave}. */
        boolean enter() {
            synchronized (outside) {
                if (!inside && !queued) {
                    inside = free > 0;
                    queued = !inside;
                    if (inside) {
                        free--;
                    } else {
                        outside.addLast(this);
                    }
                }
                return inside;
            }
        }

        /** Gives up the place inside, and lets the next waiter in; or gives up the place outside, if there is one. */
        void leave() {
            Pass next = null;
            synchronized (outside) {
                if (queued) {
                    queued = false;
                    outside.remove(this);
                } else if (inside) {
                    inside = false;
                    next = outside.pollFirst();
                    if (next == null) {
                        free++;
                    } else {
                        next.queued = false;
                        next.inside = true;
                    }
                }
            }
            if (next != null) { // outside of the lock: the waiter may borrow a thread for it
                next.whenLetIn.run();
            }
        }
    }
}
