// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;
import org.jspecify.annotations.Nullable;

/**
 * Threads of one factory that no adapter gives any: one renews, a few make the attempts of waiters without a thread,
 * and
 * others run the application's code. In a container they are {@linkplain ManagedThreads the container's}, else daemons
 * of our own; no thread that runs the application's code does any of ours.
 */
public final class StandaloneScheduling implements Scheduling {

    /** More than one: an attempt may wait for a node that hangs. */
    private static final int WAITERS = 4;

    private static final long IDLE_SECONDS = 10;

    private final DueMoment due;
    private final ThreadPoolExecutor application = pool("holdfast-application");
    private final ThreadPoolExecutor waiterThreads = pool("holdfast-waiters");

    /** Two tasks for each asynchronous request wait here at the most. */
    private final LimitedThreads waiters = new LimitedThreads(waiterThreads, WAITERS);

    private final @Nullable ManagedThreads managed;
    private volatile @Nullable Pulse pulse;

    /**
     * Takes daemons of our own.
     *
     * @param time by which the repeated task is due
     */
    public StandaloneScheduling(Time time) {
        this(time, null);
    }

    /** @param container makes the threads; null for none */
    public StandaloneScheduling(Time time, @Nullable ThreadFactory container) {
        this.due = new DueMoment(time);
        this.managed = container == null ? null : new ManagedThreads(container, StandaloneScheduling::daemon);
    }

    /** Takes the threads of the component on whose thread this is called, if it has any. */
    public static StandaloneScheduling ofTheComponent(Time time) {
        return new StandaloneScheduling(time, ManagedThreads.find());
    }

    /** As many threads as calls: the caller bounds these. */
    private ThreadPoolExecutor pool(String name) {
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> newThread(task, name));
    }

    private Thread newThread(Runnable task, String name) {
        return managed == null ? daemon(task, name) : managed.newThread(task, name);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Runs the application's code when no scheduling gives threads any more, on a daemon of its own. The caller bounds
     * these.
     */
    public static void runAfterClose(Runnable task) {
        daemon(task, "holdfast-closing").start();
    }

    @Override
    public void repeat(Runnable task) {
        Pulse own = new Pulse(due, task);
        pulse = own;
        within(0);
        if (managed != null) {
            managed.begin();
        }
        keepRunning(own, "holdfast-renewal");
    }

    private void keepRunning(Pulse lasting, String name) {
        if (managed == null) {
            daemon(lasting, name).start();
        } else {
            managed.takeOver(lasting);
        }
    }

    @Override
    public void within(long nanos) {
        due.within(nanos);
    }

    @Override
    public void promptlyWithin(long nanos) {
        due.promptlyWithin(nanos);
    }

    @Override
    public void keepRunning(Pulse lasting) {
        keepRunning(lasting, "holdfast-nodes");
    }

    @Override
    public void runLong(Runnable task) {
        newThread(task, "holdfast-nodes").start();
    }

    @Override
    public void execute(Runnable task) {
        waiters.execute(task);
    }

    @Override
    public void runApplication(Runnable task) {
        application.execute(task);
    }

    @Override
    public void close() {
        Pulse own = pulse;
        if (own != null) {
            own.close();
        }
        try {
            waiterThreads.shutdown();
            application.shutdown();
        } finally {
            if (managed != null) {
                managed.close();
            }
        }
    }
}
