// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.concurrent.TimeUnit;

/**
 * Whether this process has received the announcement that its lock was taken away, and no quorum has confirmed the lock
 * since.
 *
 * <p>Shared by all holders that have the lock one after the other without a release on the nodes. Safe for use by any
 * number of threads.
 */
final class Suspicion {

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

    /** Returns how often it was raised: to be handed to {@link #resolve} when what is sent from now on was granted. */
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
