// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LockRequest;

/** A lock in the shape of the JDK's, whose holds have spans. */
record TracedLock(LeaseLock view, LockRequest request, TracedHolds holds) implements LeaseLock {

    @Override
    public void lock() {
        holds.<RuntimeException>take(
                request,
                () -> {
                    view.lock();
                    return true;
                },
                view::lease);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        holds.<InterruptedException>take(
                request,
                () -> {
                    view.lockInterruptibly();
                    return true;
                },
                view::lease);
    }

    @Override
    public boolean tryLock() {
        return holds.<RuntimeException>take(request, view::tryLock, view::lease);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return holds.<InterruptedException>take(request, () -> view.tryLock(time, unit), view::lease);
    }

    @Override
    public void unlock() {
        boolean released = false;
        try {
            view.unlock();
            released = true;
        } finally {
            holds.unlocked(request, view::getHoldCount, released);
        }
    }

    @Override
    public Lease lease() {
        return view.lease();
    }

    @Override
    public boolean isLocked() {
        return view.isLocked();
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return view.isHeldByCurrentThread();
    }

    @Override
    public int getHoldCount() {
        return view.getHoldCount();
    }

    @Override
    public Condition newCondition() {
        return view.newCondition();
    }
}
