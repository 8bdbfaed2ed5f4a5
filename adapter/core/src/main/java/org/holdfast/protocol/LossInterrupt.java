// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

/**
 * Interrupts the thread that took a lease when the lease is lost, and takes the interrupt back if that thread has not noticed
 * it by the time the lease ends: a pooled thread must not meet it in its next work.
 */
final class LossInterrupt {

    /** For leases whose thread wants no interrupt. */
    static final LossInterrupt NONE = new LossInterrupt(null);

    private final Thread thread;
    private boolean over;
    private boolean sent;

    private LossInterrupt(Thread thread) {
        this.thread = thread;
    }

    /** Returns one for the calling thread. */
    static LossInterrupt ofThisThread() {
        return new LossInterrupt(Thread.currentThread());
    }

    /** The lease was lost. An interrupt that the thread has already is not ours to take back. */
    synchronized void send() {
        if (!over && thread != null && !thread.isInterrupted()) {
            thread.interrupt();
            sent = true;
        }
    }

    /** The lease has ended. Only its own thread can take the interrupt back; another one sees to it that none comes. */
    synchronized void end() {
        over = true;
        if (sent && Thread.currentThread() == thread) {
            sent = false;
            Thread.interrupted();
        }
    }
}
