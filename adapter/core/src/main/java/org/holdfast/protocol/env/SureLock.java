// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Locks of this process for threads that may have no memory left, and must not end without them. */
public final class SureLock {

    private SureLock() {}

    /**
     * Returns a reentrant lock whose conditions give signals without memory.
     *
     * <p>The queue of a lock of the JDK gets its head when a thread has to wait for the lock for the first time, or is
     * signalled for the first time. Without memory for the head the signal is lost, and in JDK 17 the thread does not
     * even leave its wait when its time is over. So a thread waits for this lock before it is used.
     */
    public static Lock newLock() {
        ReentrantReadWriteLock locks = new ReentrantReadWriteLock();
        KeptInterrupt kept = KeptInterrupt.take(null); // an interrupted thread does not wait
        locks.readLock().lock(); // keeps the same thread out, too
        try {
            waitInVain(locks.writeLock());
        } catch (InterruptedException e) {
            kept = KeptInterrupt.taken(kept); // while it waited, so it has waited
        } finally {
            locks.readLock().unlock();
            KeptInterrupt.restore(kept);
        }
        return locks.writeLock();
    }

    private static void waitInVain(Lock lock) throws InterruptedException {
        if (lock.tryLock(1, TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException("a lock that this thread reads was taken");
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
}
