// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LeaseSemaphore;
import org.holdfast.LockRequest;

/**
 * A semaphore in the shape of the JDK's, whose permits have spans. If two threads get permits through one connection at
 * the same moment, both spans may have the token of one of them.
 */
record TracedSemaphore(LeaseSemaphore view, LockRequest request, TracedHolds holds) implements LeaseSemaphore {

    @Override
    public void acquire() throws InterruptedException {
        holds.<InterruptedException>take(
                request,
                () -> {
                    view.acquire();
                    return true;
                },
                view::lease);
    }

    @Override
    public void acquireUninterruptibly() {
        holds.<RuntimeException>take(
                request,
                () -> {
                    view.acquireUninterruptibly();
                    return true;
                },
                view::lease);
    }

    @Override
    public boolean tryAcquire() {
        return holds.<RuntimeException>take(request, view::tryAcquire, view::lease);
    }

    @Override
    public boolean tryAcquire(long time, TimeUnit unit) throws InterruptedException {
        return holds.<InterruptedException>take(request, () -> view.tryAcquire(time, unit), view::lease);
    }

    @Override
    public void release() {
        try {
            view.release();
        } catch (IllegalMonitorStateException e) {
            if (e.getCause() != null) { // it was lost, and is not held any more
                holds.released(request, before -> before - 1);
            }
            throw e;
        }
        holds.released(request, before -> before - 1);
    }

    @Override
    public Lease lease() {
        return view.lease();
    }

    @Override
    public int availablePermits() {
        return view.availablePermits();
    }
}
