// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The holders of this process that have a lock one after the other, without a release on the nodes.
 *
 * @param since when the first of them got it
 * @param passed how often it was handed off
 * @param standstills how often our clock had stood still when the first of them asked for it
 * @param suspicion whether the lock may have been taken away from them
 * @param order the numbers of the tickets that come after that of the first of them, as far as nodes have told it;
 *     empty where the nodes do not know the waiters
 */
public record Cohort(long since, int passed, long standstills, Suspicion suspicion, Optional<List<Long>> order) {

    public Cohort {
        order = order.map(List::copyOf);
    }

    public Cohort(long since, long standstills, Optional<List<Long>> order) {
        this(since, 0, standstills, new Suspicion(), order);
    }

    Cohort next() {
        return new Cohort(since, passed + 1, standstills, suspicion, order);
    }

    /** Returns whether the next holder must be the next one by the nodes. */
    public boolean isInTurn() {
        return order.isPresent();
    }

    /** Returns whether a waiter with this ticket comes next, by the nodes. */
    public boolean isNext(long ticket) {
        return order.filter(next -> passed < next.size() && next.get(passed) == ticket)
                .isPresent();
    }

    /**
     * Whether this process has received the announcement that its lock was taken away, and no quorum has confirmed the
     * lock since.
     *
     * <p>The holders have one in common. Safe for use by any number of threads.
     */
    static final class Suspicion {

        /** A client that may do nothing but PUBLISH must not cause more than four renewals a second. */
        private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

        private volatile int raised;
        private volatile int resolved;
        private volatile long due;

        /** The lock has to be confirmed, at {@link #due}. */
        synchronized void raise(long now) {
            if (raised == 0 || now - due >= PAUSE_NANOS) {
                due = now;
            } else if (now - due >= 0) {
                due += PAUSE_NANOS;
            }
            raised++; // last: a thread that sees it, and holds no monitor, asks at the moment that belongs to it
        }

        /** Returns how often it was raised: for {@link #resolve}, when what is sent from now on was granted. */
        int raised() {
            return raised;
        }

        /** A quorum has granted a renewal that was sent when it had been raised so often. */
        synchronized void resolve(int raisedBefore) {
            if (raisedBefore - resolved > 0) {
                resolved = raisedBefore;
            }
        }

        /** Returns whether it was raised after {@link #raised} had returned this number. */
        boolean isRaisedSince(int raisedBefore) {
            return raised != raisedBefore;
        }

        /** Returns whether the lock may not be relied upon without asking the nodes. */
        boolean isOpen() {
            int known = resolved; // first: else an older raise might meet its own resolution, and hide a later one
            return known != raised;
        }

        /** Returns when to ask the nodes. */
        long due() {
            return due;
        }
    }
}
