// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.web;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * One reader of the state. It gets the newest state, and never the ones before it that it was too slow for. A reader
 * that takes no bytes any more is dropped by an interrupt of the thread that writes to it: that closes the connection.
 */
final class EventStream {

    /**
     * So often a connection whose state does not change is written to: that shows whether the reader is still there.
     */
    private static final long QUIET_SECONDS = 15;

    private final Thread writer = Thread.currentThread();
    private final OutputStream out;
    private String next;
    private boolean dropped;
    private boolean writing;
    private long writingSince;

    /** The calling thread is the one that writes. */
    EventStream(OutputStream out) {
        this.out = out;
    }

    /** Hands over a newer state. Does not block. */
    synchronized void offer(String state) {
        next = state;
        notifyAll();
    }

    /** Ends the stream; the thread that writes returns from {@link #run}. */
    synchronized void drop() {
        dropped = true;
        writer.interrupt();
    }

    /** Returns whether a write has not ended within the time. */
    synchronized boolean isStuck(long nanos) {
        return writing && System.nanoTime() - writingSince > nanos;
    }

    /** Writes what is offered, until the reader is gone or the stream is dropped. */
    void run() throws IOException {
        try {
            while (true) {
                String state = take();
                out.write((state == null ? ":\n\n" : "event: state\ndata: " + state + "\n\n")
                        .getBytes(StandardCharsets.UTF_8));
                out.flush();
                written();
            }
        } catch (InterruptedException e) {
            // dropped
        }
    }

    /** Returns the newest state; null if there was none for a long time. */
    private synchronized String take() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(QUIET_SECONDS);
        for (long left = deadline - System.nanoTime(); next == null && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        if (dropped) {
            throw new InterruptedException();
        }
        String taken = next;
        next = null;
        writing = true;
        writingSince = System.nanoTime();
        return taken;
    }

    private synchronized void written() {
        writing = false;
    }
}
