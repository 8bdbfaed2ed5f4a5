// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time into the method under a lock, and none once the lock is to be released, which waits for the
 * thread that is inside.
 *
 * <p>An interceptor inside of the lock may run the rest on another thread, and not wait for it: that thread may be in
 * the method when its result is given up, or come when another attempt has the lock. Needs no memory. Safe for use by
 * any number of threads.
 */
final class MethodGate {

    private @Nullable Thread inside;
    private int timesInside;
    private boolean closed;
    private boolean awaited;
    private boolean released;

    /** Lets the calling thread in, also if it is inside, as a container may have an interceptor twice. */
    synchronized boolean enter() {
        boolean free = !closed && (inside == null || inside == Thread.currentThread());
        if (free) {
            inside = Thread.currentThread();
            timesInside++;
        }
        return free;
    }

    /** Returns whether the caller is to release the lock: it was to be released while the calling thread was inside. */
    synchronized boolean leave() {
        timesInside--;
        inside = timesInside == 0 ? null : inside;
        notifyAll();
        return closed && !awaited && isToBeReleased();
    }

    /** Lets no thread in any more. Returns whether the caller is to release the lock: no thread is inside. */
    synchronized boolean close() {
        closed = true;
        return isToBeReleased();
    }

    /**
     * Lets no thread in any more, waits until none is inside, and returns whether the caller is to release the lock. An
     * interrupt does not end what the other thread does, so it does not end the wait.
     */
    synchronized boolean closeWhenEmpty() {
        closed = true;
        boolean interrupted = false;
        try {
            while (inside != null && inside != Thread.currentThread()) {
                awaited = true;
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return isToBeReleased();
        } finally {
            awaited = false; // where the wait has failed, the other thread releases
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns true once. */
    private boolean isToBeReleased() {
        boolean due = inside == null && !released;
        released |= due;
        return due;
    }
}
