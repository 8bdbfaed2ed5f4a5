// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks in order, on so many threads of another executor at once at the most.
 *
 * <p>A {@code ThreadPoolExecutor} with a queue does the same, but its threads wait for a condition: one that is
 * signalled without memory may lose the signal, and its task waits until another one comes. Here a thread ends when
 * there is no task, and no signal is needed. Safe for use by any number of threads.
 */
final class LimitedThreads implements Executor {

    private final Executor threads;
    private final int most;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger running = new AtomicInteger();
    private final Runnable work = this::work;

    LimitedThreads(Executor threads, int most) {
        this.threads = threads;
        this.most = most;
    }

    /**
     * Runs a task as soon as fewer than the most are running.
     *
     * @throws RejectedExecutionException if there is no thread for it; then it is not run, as after any other failure,
     *     unless another task's thread has begun it already. The caller has to ask again soon: a task that came
     *     meanwhile may have been left to this thread
     */
    @Override
    public void execute(Runnable task) {
        waiting.add(task);
        try {
            start();
        } catch (RuntimeException | Error e) {
            if (waiting.remove(task)) {
                throw e;
            }
        }
    }

    private void start() {
        if (waiting.isEmpty() || !begin()) {
            return;
        }
        boolean started = false;
        try {
            threads.execute(work);
            started = true;
        } finally {
            if (!started) {
                running.decrementAndGet();
            }
        }
    }

    private boolean begin() {
        int now = running.get();
        while (now < most) {
            if (running.compareAndSet(now, now + 1)) {
                return true;
            }
            now = running.get();
        }
        return false;
    }

    /** Runs tasks as long as there are any; then checks again for one that came while this thread was about to end. */
    private void work() {
        do {
            Runnable task;
            while ((task = waiting.poll()) != null) {
                run(task);
            }
            running.decrementAndGet();
        } while (!waiting.isEmpty() && begin());
    }

    /** What fails is reported as in a thread of its own: the other tasks are still to be run. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            report(e);
        }
    }

    private static void report(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (RuntimeException | Error e) {
            // as the JVM does where a handler fails
        }
    }
}
