// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import jakarta.interceptor.InvocationContext;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The attempts at one call that are under way, by the thread that has begun each.
 *
 * <p>An interceptor outside of the lock may begin one while another goes on: a retry after a time limit does, whose
 * first attempt does not stop. Each of them takes the lock for itself. Safe for use by any number of threads.
 */
final class Attempts {

    private static final String KEY = Attempts.class.getName();

    private final Map<Thread, LockedInvocation> byThread = new ConcurrentHashMap<>();

    /** Those whose locks are not released yet, which may be after the threads that took them have returned. */
    private final Set<LockedInvocation> open = ConcurrentHashMap.newKeySet();

    private Attempts() {}

    /** Returns those at a call. The data of a call are not made for several threads, which may come here at once. */
    static Attempts of(InvocationContext call) {
        Map<String, Object> data = call.getContextData();
        synchronized (data) {
            if (data.get(KEY) instanceof Attempts known) {
                return known;
            }
            Attempts first = new Attempts();
            data.put(KEY, first);
            return first;
        }
    }

    /** Returns that of the calling thread; null if it has none. */
    @Nullable
    LockedInvocation ofThisThread() {
        return byThread.get(Thread.currentThread());
    }

    /**
     * Returns that of the calling thread, or else the only one, as an interceptor may run the rest on another thread;
     * null if there is none, or several.
     */
    @Nullable
    LockedInvocation current() {
        LockedInvocation own = ofThisThread();
        if (own != null) {
            return own;
        }
        LockedInvocation only = null;
        for (LockedInvocation each : open) {
            if (only != null) {
                return null;
            }
            only = each;
        }
        return only;
    }

    /** Begins one on the calling thread; returns what was under way there, to be restored. */
    @Nullable
    LockedInvocation begin(LockedInvocation attempt) {
        open.add(attempt);
        return byThread.put(Thread.currentThread(), attempt);
    }

    /** The thread that has begun one returns. */
    void end(@Nullable LockedInvocation before) {
        if (before == null) {
            byThread.remove(Thread.currentThread());
        } else {
            byThread.put(Thread.currentThread(), before);
        }
    }

    /** The lock of an attempt is released, or will be by the thread that is in the method. */
    void close(LockedInvocation attempt) {
        open.remove(attempt);
    }
}
