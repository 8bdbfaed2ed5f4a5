// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A reentrant lock for threads that may have no memory left: its conditions give signals without any.
 *
 * <p>The queue of a lock of the JDK gets its head when a thread has to wait for the lock for the first time, or is
 * signalled for the first time. Without memory for the head the signal is lost, and in JDK 17 the thread does not even
 * leave its wait when its time is over. So the thread that makes this lock waits for it before it is used.
 */
public final class SureLock implements Lock {

    private final Sync sync = new Sync();

    /** Makes a lock. Works on an interrupted thread and leaves the interrupt status as it was. */
    public SureLock() {
        KeptInterrupt kept = KeptInterrupt.take(null); // an interrupted thread does not wait
        try {
            while (!sync.makeHead()) {
                kept = KeptInterrupt.taken(kept); // an interrupt came meanwhile
            }
        } finally {
            KeptInterrupt.restore(kept);
        }
    }

    /** Takes the lock. To wait for it needs memory; without any, the thread asks until it has it. */
    public static void take(Lock lock) {
        try {
            lock.lock();
        } catch (OutOfMemoryError e) {
            while (!lock.tryLock()) {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void lock() {
        sync.acquire(1);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        sync.acquireInterruptibly(1);
    }

    @Override
    public boolean tryLock() {
        return sync.tryAcquire(1);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return sync.tryAcquireNanos(1, unit.toNanos(time));
    }

    @Override
    public void unlock() {
        sync.release(1);
    }

    @Override
    public Condition newCondition() {
        return sync.newCondition();
    }

    /** The state is how often the owner has taken it. */
    private static final class Sync extends AbstractQueuedSynchronizer {

        private static final long serialVersionUID = 1;

        /**
         * A thread asks for the lock fewer times than this before it is in the queue. But not many: a later JDK that
         * finds no memory for the queue asks until it has the lock.
         */
        private static final int REFUSALS = 16;

        /** How often the thread that makes the lock is still refused it. */
        private int refusals;

        /** Has the calling thread wait for a moment; returns false if an interrupt came, which is cleared. */
        boolean makeHead() {
            refusals = REFUSALS;
            try {
                if (tryAcquireNanos(1, 1)) {
                    release(1);
                }
                return true;
            } catch (InterruptedException e) {
                return false;
            } finally {
                refusals = 0;
            }
        }

        @Override
        protected boolean tryAcquire(int times) {
            if (refusals > 0) {
                refusals--;
                return false;
            }
            Thread caller = Thread.currentThread();
            int taken = getState();
            if (taken == 0 && compareAndSetState(0, times)) {
                setExclusiveOwnerThread(caller);
                return true;
            }
            if (getExclusiveOwnerThread() != caller) {
                return false;
            }
            setState(taken + times);
            return true;
        }

        @Override
        protected boolean tryRelease(int times) {
            if (!isHeldExclusively()) {
                throw new IllegalMonitorStateException();
            }
            int left = getState() - times;
            if (left == 0) {
                setExclusiveOwnerThread(null);
            }
            setState(left);
            return left == 0;
        }

        @Override
        protected boolean isHeldExclusively() {
            return getExclusiveOwnerThread() == Thread.currentThread();
        }

        Condition newCondition() {
            return new ConditionObject();
        }
    }
}
