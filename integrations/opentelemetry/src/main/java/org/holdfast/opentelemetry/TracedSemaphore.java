// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LeaseSemaphore;
import org.holdfast.LockRequest;

/** A semaphore in the shape of the JDK's, whose permits have spans. */
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
        boolean released = false;
        try {
            view.release();
            released = true;
        } finally {
            holds.permitReleased(request, released);
        }
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
