// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import org.holdfast.protocol.env.Interrupts;

/**
 * Interrupts the thread that takes a lease when the lease is lost, and takes the interrupt back if that thread has not
 * noticed it by the time the lease ends: a pooled thread must not meet it in its next work.
 *
 * <p>A thread that has lost several leases is interrupted for all of them, until it has ended the last.
 */
final class LossInterrupt implements Runnable {

    private final Interrupts interrupts = Interrupts.ofThisThread();
    private boolean over;

    /** The lease was lost. */
    @Override
    public void run() {
        synchronized (interrupts) {
            if (!over) {
                interrupts.send(this);
            }
        }
    }

    /**
     * The lease has ended. Only its own thread can take an interrupt back; another thread only prevents one that has
     * not come yet.
     */
    void end() {
        synchronized (interrupts) {
            over = true;
            interrupts.end(this);
        }
    }
}
