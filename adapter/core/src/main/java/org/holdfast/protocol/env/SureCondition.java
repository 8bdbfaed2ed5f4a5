// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What threads wait for under a {@link SureLock}. A wait needs memory before it begins, and none to end.
 *
 * <p>Threads are signalled in the order in which they came. A wait may end without a signal, as those of the JDK.
 */
public final class SureCondition implements Condition {

    private final SureLock lock;
    private @Nullable Waiting first;
    private @Nullable Waiting last;

    SureCondition(SureLock lock) {
        this.lock = lock;
    }

    /** One wait of a thread. */
    static final class Waiting {

        private final Thread thread = Thread.currentThread();

        /** Set with the lock; read without. */
        private volatile boolean signalled;

        private @Nullable Waiting previous;
        private @Nullable Waiting next;

        /** Has a thread woken behind this one. Both are in no condition any more. */
        void isFollowedBy(Waiting waiting) {
            next = waiting;
        }
    }

    /** Wakes a thread and those that follow it. Called without the lock. */
    static void wake(Waiting first) {
        Waiting woken = first;
        while (woken != null) {
            try {
                LockSupport.unpark(woken.thread);
            } catch (OutOfMemoryError | StackOverflowError e) {
                Thread.onSpinWait(); // without memory the JVM loses a virtual thread; the others must wake
            }
            woken = woken.next;
        }
    }

    @Override
    public void await() throws InterruptedException {
        awaitNanos(Long.MAX_VALUE);
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return awaitNanos(unit.toNanos(time)) > 0;
    }

    @Override
    public boolean awaitUntil(Date deadline) {
        throw new UnsupportedOperationException("no wait ends by the wall clock: use awaitNanos");
    }

    @Override
    public void awaitUninterruptibly() {
        KeptInterrupt kept = KeptInterrupt.take(null);
        try {
            await();
        } catch (InterruptedException e) {
            kept = KeptInterrupt.taken(kept);
        } finally {
            KeptInterrupt.restore(kept);
        }
    }

    /**
     * Waits for a signal, without the lock, so long at the most.
     *
     * @return what is left of the time; nothing or less if it is over
     * @throws InterruptedException if the thread is interrupted before it is signalled
     */
    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
        lock.requireHeld();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long begun = lock.nanoTime();
        Waiting waiting = new Waiting();
        add(waiting);
        int times = lock.timesHeld();
        try {
            lock.giveBack(times);
            long left = nanos;
            while (!waiting.signalled && left > 0 && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(this, left);
                left = nanos - (lock.nanoTime() - begun);
            }
        } finally {
            lock.takeBack(times);
            if (!waiting.signalled) {
                remove(waiting);
            }
        }
        if (!waiting.signalled && Thread.interrupted()) {
            throw new InterruptedException();
        }
        return nanos - (lock.nanoTime() - begun);
    }

    @Override
    public void signal() {
        lock.requireHeld();
        if (first != null) {
            signal(first);
        }
    }

    @Override
    public void signalAll() {
        lock.requireHeld();
        while (first != null) {
            signal(first);
        }
    }

    private void signal(Waiting waiting) {
        remove(waiting);
        waiting.signalled = true;
        lock.wakeLater(waiting);
    }

    private void add(Waiting waiting) {
        waiting.previous = last;
        if (last == null) {
            first = waiting;
        } else {
            last.next = waiting;
        }
        last = waiting;
    }

    private void remove(Waiting waiting) {
        if (waiting.previous == null) {
            first = waiting.next;
        } else {
            waiting.previous.next = waiting.next;
        }
        if (waiting.next == null) {
            last = waiting.previous;
        } else {
            waiting.next.previous = waiting.previous;
        }
        waiting.next = null;
    }
}
