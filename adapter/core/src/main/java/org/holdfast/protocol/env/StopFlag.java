// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whether the lock service has been stopped, which no lock is taken after, or a connection been closed, which no caller
 * waits through after. Safe for use by any number of threads.
 */
public final class StopFlag {

    private static final String STOPPED =
            "HF0224: the lock service has been stopped: its factory or adapter" + " was closed";

    private final String why;
    private final Set<Runnable> wakes = ConcurrentHashMap.newKeySet();
    private volatile boolean raised;

    /** Returns the flag of a service. */
    public StopFlag() {
        this(STOPPED);
    }

    /** @param why what callers receive after it was raised */
    public StopFlag(String why) {
        this.why = why;
    }

    public void raise() {
        raised = true; // before any waiter is woken: one that checks now, or comes now, sees it
        wakes.forEach(Runnable::run);
    }

    public boolean isRaised() {
        return raised;
    }

    /**
     * Has a waiter woken when the flag is raised. The waiter has to check the flag after this call, before it waits.
     *
     * @param wake must not block; to be {@linkplain #forget forgotten} when the wait is over
     */
    public void onRaise(Runnable wake) {
        wakes.add(wake);
    }

    public void forget(Runnable wake) {
        wakes.remove(wake);
    }

    /** @throws IllegalStateException if it has been raised */
    public void requireOpen() {
        if (raised) {
            throw new IllegalStateException(why);
        }
    }

    public static IllegalStateException stopped() {
        return new IllegalStateException(STOPPED);
    }
}
