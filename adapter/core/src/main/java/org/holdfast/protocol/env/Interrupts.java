// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The interrupts of one thread that losses of its leases have sent, told apart from those of the application: only the
 * former may be taken back. Safe for use by any number of threads.
 */
public final class Interrupts {

    /** Keeps nothing: what a thread of a pool keeps would keep the class loader of a stopped application. */
    private static final ThreadLocal<WeakReference<Interrupts>> CURRENT = new ThreadLocal<>();

    private final Thread thread = Thread.currentThread();

    /**
     * What is lost, and the application can still end: the rest would keep the interrupts of a pooled thread from being
     * taken back.
     */
    private final Set<Object> lost = Collections.newSetFromMap(new WeakHashMap<>());

    private boolean sent;

    /** Whether the thread has put aside the interrupt that was sent. */
    private boolean sentIsAside;

    /** How many waits of the thread have put one aside. */
    private int aside;

    /** Whether one that was not sent was put aside since: later it cannot be told apart from one that was. */
    private boolean foreign;

    private Interrupts() {}

    public static Interrupts ofThisThread() {
        Interrupts known = known();
        if (known != null) {
            return known;
        }
        Interrupts fresh = new Interrupts();
        CURRENT.set(new WeakReference<>(fresh));
        return fresh;
    }

    /** Returns null if no lease of this thread needs them. */
    static @Nullable Interrupts known() {
        WeakReference<Interrupts> known = CURRENT.get();
        return known == null ? null : known.get();
    }

    /** Interrupts the thread. An interrupt that it has already is not ours to take back. */
    public synchronized void send(Object lease) {
        if (lost.isEmpty()) {
            sent = false;
            foreign = aside > 0;
        }
        lost.add(lease);
        if (!thread.isInterrupted()) {
            thread.interrupt();
            sent = true;
            sentIsAside = false;
        }
    }

    /** Takes the interrupt back with the last lease that was lost. Only its own thread can do that. */
    public synchronized void end(Object lease) {
        boolean last = lost.remove(lease) && lost.isEmpty();
        if (last && sent && !foreign && Thread.currentThread() == thread) {
            Thread.interrupted();
        }
    }

    /**
     * This thread has cleared an interrupt, to restore it later; returns whether it is the one that was sent.
     *
     * @param first whether it is the first one of a wait
     */
    synchronized boolean putAside(boolean first) {
        aside += first ? 1 : 0;
        boolean ours = sent && !lost.isEmpty() && !sentIsAside && !thread.isInterrupted(); // if set: sent just now
        sentIsAside |= ours;
        foreign |= !ours;
        return ours;
    }

    synchronized void restored(boolean ours) {
        aside--;
        sentIsAside &= !ours;
    }
}
