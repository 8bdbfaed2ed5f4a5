// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

/** Runs a task whenever it is due, on the one thread that runs this, and lets that thread sleep meanwhile. */
public final class Pulse implements Runnable, AutoCloseable {

    private final DueMoment due;
    private final Runnable task;
    private volatile boolean closed;

    public Pulse(DueMoment due, Runnable task) {
        this.due = due;
        this.task = task;
    }

    /** Returns when this is closed, after a run that is under way. */
    @Override
    public void run() {
        while (!closed) {
            long left = due.nanosLeft();
            if (left > 0) {
                due.sleep(left);
            } else {
                due.run(task);
            }
        }
    }

    /** Lets no other run begin. */
    @Override
    public void close() {
        closed = true;
        due.wake();
    }
}
