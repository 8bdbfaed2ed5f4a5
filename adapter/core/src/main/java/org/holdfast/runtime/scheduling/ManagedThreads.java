// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import org.jspecify.annotations.Nullable;

/**
 * Threads of the container, for a factory that an application opens: from its ManagedThreadFactory, which has no queue
 * and no bound that an application could use up.
 *
 * <p>A container gives a new thread the names, the class loader and the security identity of the thread that asks for
 * it. So the first thread, the maker, makes all others: they have the context of the thread that opened the factory,
 * and no listener runs with the rights of a caller that happened to need a thread.
 *
 * <p>No promise may depend on them. Payara ends a thread without a word, its task not begun, when the application has
 * gone; Open Liberty begins none before the application has started. So the maker checks that each thread begins its
 * task, and has a daemon of ours do that otherwise; and as long as the maker itself has not begun, all threads are
 * daemons of ours. Safe for use by any number of threads.
 */
final class ManagedThreads implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(ManagedThreads.class.getName());

    private static final String NAME = "java:comp/DefaultManagedThreadFactory";

    /** So long a thread has to begin its task, and the maker to make one. */
    static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A thread that is not started by then will not be: there was no memory for it, which its caller was told. */
    private static final long UNTIL_STARTED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ThreadFactory container;
    private final DaemonFactory ours;

    /** One for each caller that waits for a thread at the most, and one for each pulse. */
    private final Queue<Runnable> requests = new ConcurrentLinkedQueue<>();

    private volatile @Nullable Thread maker;

    /** Of the maker. */
    private final List<ManagedTask> notBegun = new ArrayList<>();

    private volatile boolean ready;
    private volatile boolean closed;

    /** Makes threads that no container knows. */
    interface DaemonFactory {
        Thread newDaemon(Runnable task, String name);
    }

    ManagedThreads(ThreadFactory container, DaemonFactory ours) {
        this.container = container;
        this.ours = ours;
    }

    /** Returns the factory of the component on whose thread this is called; null if there is none, as in Java SE. */
    static @Nullable ThreadFactory find() {
        try {
            return InitialContext.doLookup(NAME) instanceof ThreadFactory found ? found : null;
        } catch (NoInitialContextException e) {
            return null;
        } catch (NamingException | RuntimeException | LinkageError e) { // servers differ in how they say no
            LOG.log(
                    System.Logger.Level.INFO,
                    "HF0112: no ManagedThreadFactory at " + NAME + " for the thread that opens the factory (" + e
                            + "): its threads are daemons of its own");
            return null;
        }
    }

    /** Starts the maker, with the context of the calling thread. */
    void begin() {
        try {
            start(container.newThread(this::make));
        } catch (RuntimeException | LinkageError e) {
            refused(e);
        }
    }

    private static void start(@Nullable Thread made) {
        if (made != null) {
            toDaemon(made).start();
        }
    }

    /** Those of Open Liberty are none, and would keep a process alive. */
    private static Thread toDaemon(Thread made) {
        if (!made.isDaemon()) {
            made.setDaemon(true);
        }
        return made;
    }

    private static void refused(Throwable failure) {
        LOG.log(System.Logger.Level.DEBUG, "HF0113: the container makes no thread: one of ours is used", failure);
    }

    private void make() {
        maker = Thread.currentThread();
        while (!closed || !notBegun.isEmpty()) {
            try {
                answerOne();
            } catch (Throwable e) { // without memory: what it has made may still need a look
                Pulse.pauseAfterFailure();
            }
        }
        ready = false;
    }

    private void answerOne() {
        ready = !closed;
        Runnable request = nextRequest();
        if (request != null) {
            request.run();
        }
        notBegun.removeIf(task -> isSettled(task, System.nanoTime()));
    }

    /** Returns null if there was none for a while. */
    private @Nullable Runnable nextRequest() {
        Runnable request = requests.poll();
        if (request == null) {
            LockSupport.parkNanos(this, notBegun.isEmpty() ? IDLE_NANOS : PATIENCE_NANOS);
            Thread.interrupted(); // a container interrupts its threads when it stops: this one ends when it is closed
            request = requests.poll();
        }
        return request;
    }

    private void request(Runnable request) {
        requests.add(request);
        LockSupport.unpark(maker); // null has no effect: it polls before it parks
    }

    /** Returns whether a task needs no further look. */
    private boolean isSettled(ManagedTask task, long now) {
        long age = now - task.madeAt;
        if (task.begun.get()) {
            return true;
        }
        if (task.thread.getState() == Thread.State.NEW) {
            return age > UNTIL_STARTED_NANOS;
        }
        if (age < PATIENCE_NANOS) {
            return false;
        }
        LOG.log(
                System.Logger.Level.DEBUG,
                "HF0114: the thread " + task.thread.getName() + " of the container has not begun its task: one of ours"
                        + " does");
        return isBegunByOurs(task);
    }

    private boolean isBegunByOurs(ManagedTask task) {
        try {
            ours.newDaemon(task, task.name).start();
            return true;
        } catch (OutOfMemoryError e) {
            return false; // no thread for it now: looked at again
        }
    }

    /**
     * Returns a thread of the container, or one of ours if it gives none at once. The caller starts it.
     *
     * @param name of a thread of ours
     */
    Thread newThread(Runnable task, String name) {
        ManagedTask once = new ManagedTask(task, name);
        Thread made = ready ? requestThread(once) : null;
        return made == null ? ours.newDaemon(once, name) : made;
    }

    private @Nullable Thread requestThread(ManagedTask task) {
        CompletableFuture<@Nullable Thread> made = new CompletableFuture<>();
        request(() -> make(task, made));
        try {
            return made.get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            ready = false; // until the maker comes for the next request
        } catch (ExecutionException e) {
            refused(e);
        }
        made.cancel(false);
        return null;
    }

    /** On the maker. */
    private void make(ManagedTask task, CompletableFuture<@Nullable Thread> made) {
        if (made.isDone()) {
            return;
        }
        try {
            Thread thread = container.newThread(task);
            if (thread != null) {
                task.thread = toDaemon(thread);
                task.madeAt = System.nanoTime();
                notBegun.add(task);
            }
            made.complete(thread);
        } catch (RuntimeException | Error e) {
            made.completeExceptionally(e);
        }
    }

    /** Starts a thread of the container for a pulse, as soon as there is one: until then a thread of ours stands in. */
    void takeOver(Pulse pulse) {
        ours.newDaemon(pulse::standIn, "holdfast-stand-in").start();
        request(() -> {
            try {
                start(container.newThread(pulse));
            } catch (RuntimeException | Error e) { // the thread of ours goes on
                refused(e);
            }
        });
    }

    /** The maker ends when all threads that it has made have begun their tasks. */
    @Override
    public void close() {
        closed = true;
        request(() -> {});
    }

    /** A task that is run once, by the thread that begins it first. */
    private static final class ManagedTask implements Runnable {

        private final Runnable task;
        private final String name;
        private final AtomicBoolean begun = new AtomicBoolean();

        private Thread thread = Thread.currentThread();
        private long madeAt;

        ManagedTask(Runnable task, String name) {
            this.task = task;
            this.name = name;
        }

        @Override
        public void run() {
            if (begun.compareAndSet(false, true)) {
                task.run();
            }
        }
    }
}
