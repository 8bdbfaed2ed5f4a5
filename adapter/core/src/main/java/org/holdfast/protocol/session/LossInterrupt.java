// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Interrupts the thread that takes a lease when the lease is lost, and takes the interrupt back if that thread has not
 * noticed it by the time the lease ends: a pooled thread must not meet it in its next work.
 *
 * <p>A thread that has lost several leases is interrupted for all of them, until it has ended the last.
 */
final class LossInterrupt implements Runnable {

    /** Keeps nothing: what a thread of a pool keeps would keep the class loader of a stopped application. */
    private static final ThreadLocal<WeakReference<Interrupts>> CURRENT = new ThreadLocal<>();

    private final Interrupts interrupts = Interrupts.ofThisThread();
    private boolean over;

    /** What the leases of one thread share; guarded by itself. */
    private static final class Interrupts {

        private final Thread thread = Thread.currentThread();

        /**
         * Those that are lost, and that the application can still end: the others would keep the interrupts of a pooled
         * thread from being taken back.
         */
        private final Set<LossInterrupt> lost = Collections.newSetFromMap(new WeakHashMap<>());

        private boolean sent;

        static Interrupts ofThisThread() {
            WeakReference<Interrupts> known = CURRENT.get();
            Interrupts shared = known == null ? null : known.get();
            if (shared == null) {
                shared = new Interrupts();
                CURRENT.set(new WeakReference<>(shared));
            }
            return shared;
        }
    }

    /** The lease was lost. An interrupt that the thread has already is not ours to take back. */
    @Override
    public void run() {
        synchronized (interrupts) {
            if (over) {
                return;
            }
            if (interrupts.lost.isEmpty()) {
                interrupts.sent = false;
            }
            interrupts.lost.add(this);
            if (!interrupts.thread.isInterrupted()) {
                interrupts.thread.interrupt();
                interrupts.sent = true;
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
            boolean last = interrupts.lost.remove(this) && interrupts.lost.isEmpty();
            if (last && interrupts.sent && Thread.currentThread() == interrupts.thread) {
                Thread.interrupted();
            }
        }
    }
}
