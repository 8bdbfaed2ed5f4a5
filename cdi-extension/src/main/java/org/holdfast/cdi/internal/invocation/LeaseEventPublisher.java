// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicBoolean;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;

/** What observers receive of the lease of one call: that it was acquired, and then that it was released or lost. */
final class LeaseEventPublisher {

    private final LockEvents events;
    private final Method method;
    private final Lease lease;
    private final AtomicBoolean lossIsTold = new AtomicBoolean();

    /** Of the method and its transaction. */
    private final AtomicBoolean oneHasEnded = new AtomicBoolean();

    LeaseEventPublisher(LockEvents events, Method method, Lease lease) {
        this.events = events;
        this.method = method;
        this.lease = lease;
    }

    void acquired() {
        if (events.isLossObserved()) {
            lease.onLost(this::lost);
        }
        events.acquired(method, lease);
    }

    /**
     * Releases the lease, and reports that, if no transaction keeps the lock any more. A loss that was not noticed yet
     * is noticed before.
     *
     * @param ofTransaction whether a transaction keeps the lock too, and reports its end here
     */
    void release(boolean ofTransaction) {
        try {
            if (events.isEndObserved()) {
                lease.isHeld();
            }
        } finally { // though that may fail, as without memory
            lease.release();
        }
        if (!ofTransaction || isLast()) {
            ended();
        }
    }

    /** The transaction does not keep the lock any more. If it timed out, the method may not have ended. */
    void transactionEnded() {
        if (isLast()) {
            ended();
        }
    }

    private boolean isLast() {
        return !oneHasEnded.compareAndSet(false, true);
    }

    /** The lease has ended, in one way or the other. */
    private void ended() {
        if (events.isEndObserved()) {
            try {
                lease.requireHeld();
            } catch (LeaseLostException e) {
                lost(e.loss());
                return;
            } catch (IllegalStateException e) {
                // it was released, as it should be
            }
            events.released(method, lease);
        }
    }

    /** The lease may report it to listeners, or may not if the lease ends just then. */
    private void lost(LeaseLoss loss) {
        if (lossIsTold.compareAndSet(false, true)) {
            events.lost(method, loss);
        }
    }
}
