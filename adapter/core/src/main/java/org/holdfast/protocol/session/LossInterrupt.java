// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Interrupts the thread that takes a lease when the lease is lost, and takes the interrupt back if that thread has not
 * noticed it by the time the lease ends: a pooled thread must not meet it in its next work.
 *
 * <p>A thread that has lost several leases is interrupted for all of them, until it has ended the last.
 */
final class LossInterrupt implements Runnable {

    /**
     * The leases that threads have lost and not ended yet. A lease that is never ended must not keep its thread in
     * memory.
     */
    private static final Map<Thread, Lost> LOST = Collections.synchronizedMap(new WeakHashMap<>());

    private final Thread thread = Thread.currentThread();
    private boolean over;

    private static final class Lost {
        /**
         * Those that the application can still end: the others would keep the interrupts of a pooled thread from being
         * taken back.
         */
        private final Set<LossInterrupt> leases = Collections.newSetFromMap(new WeakHashMap<>());

        private boolean sent;
    }

    /** The lease was lost. An interrupt that the thread has already is not ours to take back. */
    @Override
    public void run() {
        LOST.compute(thread, (key, known) -> {
            if (over) {
                return known;
            }
            Lost lost = known == null || known.leases.isEmpty() ? new Lost() : known;
            lost.leases.add(this);
            if (!thread.isInterrupted()) {
                thread.interrupt();
                lost.sent = true;
            }
            return lost;
        });
    }

    /**
     * The lease has ended. Only its own thread can take an interrupt back; another thread only prevents one that has
     * not come yet.
     */
    void end() {
        LOST.compute(thread, (key, lost) -> {
            over = true;
            if (lost == null || !lost.leases.remove(this) || !lost.leases.isEmpty()) {
                return lost;
            }
            if (lost.sent && Thread.currentThread() == thread) {
                Thread.interrupted();
            }
            return null;
        });
    }
}
