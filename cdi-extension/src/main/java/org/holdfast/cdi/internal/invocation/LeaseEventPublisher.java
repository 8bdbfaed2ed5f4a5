// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;

/** What observers receive of the lease of one call: that it was acquired, and then that it was released or lost. */
final class LeaseEventPublisher {

    private final LockEvents events;
    private final Method method;
    private final Lease lease;
    private final AtomicBoolean lossIsTold = new AtomicBoolean();

    /** The method, and transactions that keep the lock too and report their end here. */
    private final AtomicInteger keepers = new AtomicInteger(1);

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
     */
    void release() {
        try {
            if (events.isEndObserved()) {
                lease.isHeld();
            }
        } finally { // though that may fail, as without memory
            lease.release();
        }
        keeperEnded();
    }

    /** A transaction keeps the lock too. */
    void keptByTransaction() {
        keepers.incrementAndGet();
    }

    /** The method, or a transaction, does not keep the lock any more. One that timed out may end before its method. */
    void keeperEnded() {
        if (keepers.decrementAndGet() == 0) {
            ended();
        }
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
