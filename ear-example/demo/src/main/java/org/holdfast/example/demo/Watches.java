// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.holdfast.example.demo.state.DemoEvent.Kind;
import org.holdfast.example.demo.state.Journal;

/** The threads that look at nodes, lock and servers, each again and again. */
final class Watches implements AutoCloseable {

    private static final long BETWEEN_LOOKS_MILLIS = 200;

    private final Journal journal;
    private final ScheduledExecutorService threads;

    /** One look. */
    @FunctionalInterface
    interface Look {

        void run() throws InterruptedException;
    }

    /** Begins. Each has a thread of its own: one that hangs keeps no other waiting. */
    Watches(Journal journal, List<Look> looks) {
        this.journal = journal;
        this.threads = Executors.newScheduledThreadPool(looks.size(), work -> {
            Thread thread = new Thread(work, "watch");
            thread.setDaemon(true);
            return thread;
        });
        for (Look look : looks) {
            threads.scheduleWithFixedDelay(() -> run(look), 0, BETWEEN_LOOKS_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** What is thrown would end the regular call. */
    private void run(Look look) {
        try {
            look.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the demo is ending
        } catch (RuntimeException e) {
            if (!threads.isShutdown()) {
                journal.bad(Kind.NODE, "the launcher could not look: " + e);
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            threads.awaitTermination(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
