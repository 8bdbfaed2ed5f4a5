// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.holdfast.protocol.env.Closed;
import org.holdfast.protocol.env.Time;

/**
 * What latches need of the connection that gave them, and the threads that wait through it. Safe for use by any number
 * of threads.
 */
public final class LatchCaller {

    private final BooleanSupplier open;
    private final Runnable beforeWait;
    private final Set<Time.Signal> waiting = ConcurrentHashMap.newKeySet();

    /**
     * @param open whether the connection is open
     * @param beforeWait is run before a thread waits: what the connection has of a pool may be returned
     */
    public LatchCaller(BooleanSupplier open, Runnable beforeWait) {
        this.open = open;
        this.beforeWait = beforeWait;
    }

    boolean isOpen() {
        return open.getAsBoolean();
    }

    /** @throws IllegalStateException if the connection is closed */
    void requireOpen() {
        if (!isOpen()) {
            throw Closed.connection();
        }
    }

    void beforeWait() {
        beforeWait.run();
    }

    /** To be followed by a look whether the connection is open: it may have been closed just before. */
    void enter(Time.Signal waiter) {
        waiting.add(waiter);
    }

    void leave(Time.Signal waiter) {
        waiting.remove(waiter);
    }

    /** Ends all waits, once the connection shows that it is closed. */
    public void wakeAll() {
        waiting.forEach(Time.Signal::raise);
    }
}
