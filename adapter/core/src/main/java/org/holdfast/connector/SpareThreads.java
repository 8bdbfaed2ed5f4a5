// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.Queue;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Begins tasks that the container has accepted and does not begin: its executors have queues, and an application that
 * blocks their threads must not keep a loss from being reported, nor a waiter from leaving its queue. Long tasks are
 * begun here at once, as long as there are threads: they would keep those of the container.
 *
 * <p>The threads are those of timers that are this adapter's alone. A timer is made for that, and cancelled when
 * nothing is left to do. Safe for use by any number of threads.
 */
final class SpareThreads implements AutoCloseable {

    /** So long the container has to begin a task: as long as a turn of what renews leases. */
    private static final long PATIENCE_MILLIS = 20;

    /** What waits for nodes ends by itself. */
    private static final int MOST_OF_OURS = 4;

    /** As many as the application's code may have threads for one key prefix. */
    private static final int MOST_OF_THE_APPLICATION = 96;

    /**
     * Long tasks of one key prefix: the probe of the nodes, the reader thread of releases, and one that connects for
     * each node.
     */
    private static final int MOST_OF_THE_LASTING = 32;

    /** Gives timers, each with a thread of its own. */
    interface Timers {
        Timer createTimer();
    }

    /**
     * Returns a new timer with a thread of a name of ours.
     *
     * <p>The timers that containers give are threads just like it. But WildFly names them after the configuration of
     * the adapter, passwords included. A recording of the JVM shows the name that a thread had when it started, so
     * renaming it is too late.
     */
    static Timer newTimer() {
        return new Timer("holdfast-timer-" + NUMBERS.incrementAndGet(), true);
    }

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Timers timers;
    private final Timer watch;
    private final Lane ours = new Lane(MOST_OF_OURS);
    private final Lane application = new Lane(MOST_OF_THE_APPLICATION);
    private final Lane lasting = new Lane(MOST_OF_THE_LASTING);

    SpareThreads(Timers timers) {
        this.timers = timers;
        this.watch = timers.createTimer(); // now: later the caller's thread would leave its class loader on the timer's
    }

    /** Returns a task for the container, which is begun here if that does not do it soon. */
    Runnable ours(Runnable task) {
        return ours.watched(task);
    }

    /** As {@link #ours}, for the application's code. */
    Runnable ofTheApplication(Runnable task) {
        return application.watched(task);
    }

    /** As {@link #ours}, for long tasks. */
    Runnable lasting(Runnable task) {
        return lasting.watched(task);
    }

    /**
     * Begins a long task here at once.
     *
     * @return false if there is no thread for it
     */
    boolean beginLasting(Runnable task) {
        return lasting.begin(task);
    }

    /** Continues until all that was accepted before has begun. */
    @Override
    public void close() {
        try {
            later(watch::cancel, 2 * PATIENCE_MILLIS);
        } catch (IllegalStateException e) {
            // it was closed before
        }
    }

    private void later(Runnable task, long millis) {
        watch.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        task.run();
                    }
                },
                millis);
    }

    /** Tasks of one kind, and how many spare threads they may have. */
    private final class Lane {

        private final Semaphore free;
        private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

        Lane(int most) {
            this.free = new Semaphore(most);
        }

        Runnable watched(Runnable task) {
            AtomicBoolean begun = new AtomicBoolean();
            Runnable once = () -> {
                if (begun.compareAndSet(false, true)) {
                    task.run();
                }
            };
            Runnable unlessBegun = () -> {
                if (!begun.get()) {
                    waiting.add(once);
                    start();
                }
            };
            try {
                later(unlessBegun, PATIENCE_MILLIS);
            } catch (IllegalStateException e) { // closed: the container gives no threads any more
                unlessBegun.run();
            }
            return once;
        }

        /** The thread is made by the watch: one made by the caller would keep its class loader. */
        boolean begin(Runnable task) {
            if (!free.tryAcquire()) {
                return false;
            }
            try {
                later(() -> startThread(task), 0);
                return true;
            } catch (IllegalStateException e) { // closed
                free.release();
                return false;
            }
        }

        private void start() {
            if (!waiting.isEmpty() && free.tryAcquire()) {
                startThread(() -> {});
            }
        }

        /** @param first is run before what waits */
        private void startThread(Runnable first) {
            try {
                Timer own = timers.createTimer();
                own.schedule(
                        new TimerTask() {
                            @Override
                            public void run() {
                                work(own, first);
                            }
                        },
                        0);
            } catch (RuntimeException | OutOfMemoryError e) {
                waiting.add(first);
                free.release();
                tryAgain();
            }
        }

        private void tryAgain() {
            try {
                later(this::start, PATIENCE_MILLIS);
            } catch (IllegalStateException e) { // closed: the leases are released all the same
                waiting.clear();
            }
        }

        private void work(Timer own, Runnable first) {
            own.cancel(); // this is its last task
            try {
                first.run();
                Runnable next;
                while ((next = waiting.poll()) != null) {
                    next.run();
                }
            } finally {
                free.release();
                start();
            }
        }
    }
}
