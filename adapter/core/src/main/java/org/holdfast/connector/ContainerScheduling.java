// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.resource.spi.UnavailableException;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.runtime.Scheduling;

/**
 * The threads of the container: its managed executor, and its timer in case that stands still.
 *
 * <p>Everything is scheduled from {@code ResourceAdapter.start}: managed executors tie a task to the application on whose
 * thread it was scheduled, and drop it when that application goes. A server that is being suspended or shut down gracefully
 * lets requests finish but may reject managed tasks; their leases must be renewed all the same. So the timer watches, and
 * takes over when the executor has run nothing for a while. Other tasks that the executor does not begin are begun on timers, too.
 */
final class ContainerScheduling implements Scheduling {

    private static final System.Logger LOG = System.getLogger(ContainerScheduling.class.getName());

    /** The standard name, and the names of servers that do not bind it where a resource adapter starts. */
    private static final List<String> NAMES = List.of(
            "java:comp/DefaultManagedScheduledExecutorService",
            "java:jboss/ee/concurrency/scheduler/default",
            "concurrent/__defaultManagedScheduledExecutorService");

    /** The executor stands still when the timer has had so many turns meanwhile: after a pause of the process, it has one. */
    private static final int STANDSTILL_TURNS = 5;

    private final ScheduledExecutorService executor;
    private final Timer timer;
    private final WorkManager works;
    private final SpareThreads spare;
    private final ReentrantLock running = new ReentrantLock();
    private volatile ScheduledFuture<?> managed;
    private volatile boolean managedRan;
    private int turnsWithoutIt;

    /**
     * @param executor null for none
     * @throws UnavailableException if the container gives no timer
     */
    ContainerScheduling(ScheduledExecutorService executor, SpareThreads.Timers timers, WorkManager works)
            throws UnavailableException {
        this.executor = executor;
        this.works = works;
        this.timer = timers.createTimer();
        try {
            this.spare = new SpareThreads(timers);
        } catch (UnavailableException | RuntimeException e) {
            timer.cancel();
            throw e;
        }
    }

    /**
     * Finds the executor to use.
     *
     * @param name JNDI name of a ManagedScheduledExecutorService, or null for the server's own
     * @param violations receives a sentence if there is none of that name
     * @return null for none
     */
    static ScheduledExecutorService findExecutor(String name, List<String> violations) {
        if (name == null || name.isEmpty()) {
            return serversOwn();
        }
        ScheduledExecutorService executor = lookUp(name);
        if (executor == null) {
            violations.add("HF0405: scheduler must name a ManagedScheduledExecutorService in JNDI, was '" + name + "'");
        }
        return executor;
    }

    private static ScheduledExecutorService serversOwn() {
        for (String known : NAMES) {
            ScheduledExecutorService found = lookUp(known);
            if (found != null) {
                return found;
            }
        }
        LOG.log(
                System.Logger.Level.INFO,
                "HF0406: no ManagedScheduledExecutorService at " + NAMES
                        + ": leases are renewed by the container's timer");
        return null;
    }

    private static ScheduledExecutorService lookUp(String name) {
        try {
            return InitialContext.doLookup(name) instanceof ManagedScheduledExecutorService found ? found : null;
        } catch (NamingException | RuntimeException e) { // servers differ in how they say no
            return null;
        }
    }

    @Override
    public void repeat(Runnable task, long pauseMillis) {
        if (executor != null) {
            managed = schedule(task, pauseMillis);
        }
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        watch(task);
                    }
                },
                pauseMillis,
                pauseMillis);
    }

    /** Returns null if the executor takes no task: the timer does without it. */
    private ScheduledFuture<?> schedule(Runnable task, long pauseMillis) {
        try {
            return executor.scheduleWithFixedDelay(
                    () -> runManaged(task), pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            warnOfTheTimer();
            return null;
        }
    }

    private static void warnOfTheTimer() {
        LOG.log(
                System.Logger.Level.WARNING,
                "HF0407: the managed executor runs no tasks (is the server suspended, overloaded, or still deploying?): from now on"
                        + " leases are renewed by the container's timer");
    }

    private void runManaged(Runnable task) {
        managedRan = true;
        run(task);
    }

    private void watch(Runnable task) {
        ScheduledFuture<?> present = managed;
        turnsWithoutIt = managedRan || running.isLocked() ? 0 : turnsWithoutIt + 1;
        managedRan = false;
        if (present != null && turnsWithoutIt > STANDSTILL_TURNS) {
            managed = null;
            cancel(present); // servers log each turn that they refuse
            warnOfTheTimer();
        }
        if (managed == null) {
            run(task);
        }
    }

    /** A container may have forgotten the task, or be about to go: that must not end the timer, nor keep us from stopping. */
    private static void cancel(ScheduledFuture<?> task) {
        try {
            task.cancel(false);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "HF0419: the managed executor does not cancel its task", e);
        }
    }

    private void run(Runnable task) {
        if (running.tryLock()) {
            try {
                task.run();
            } finally {
                running.unlock();
            }
        }
    }

    @Override
    public void execute(Runnable task) {
        offer(spare.ours(task));
    }

    @Override
    public void runApplication(Runnable task) {
        offer(spare.ofTheApplication(task));
    }

    /** Offers a task to the container, which may refuse it, or accept it and not begin it: then a spare thread does. */
    private void offer(Runnable task) {
        try {
            if (executor != null) {
                executor.execute(task);
                return;
            }
        } catch (RejectedExecutionException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "HF0408: the managed executor takes no task; the work manager has to",
                    e);
        }
        try {
            scheduleWork(task);
        } catch (RejectedExecutionException e) {
            LOG.log(System.Logger.Level.DEBUG, "HF0420: the work manager takes no task; a timer has to", e);
        }
    }

    /** Managed executors watch for tasks that go on for long, and complain of them. */
    @Override
    public void runLong(Runnable task) {
        scheduleWork(task);
    }

    private void scheduleWork(Runnable task) {
        try {
            works.scheduleWork(new Work() {
                @Override
                public void run() {
                    task.run();
                }

                @Override
                public void release() {
                    // it is short, or ends when the lock service is closed
                }
            });
        } catch (WorkException e) {
            throw new RejectedExecutionException("the container gives no thread now", e);
        }
    }

    /** The executor is the container's, and some containers do not end the timers of an adapter that is gone. */
    @Override
    public void close() {
        ScheduledFuture<?> present = managed;
        if (present != null) {
            cancel(present);
        }
        timer.cancel();
        spare.close();
    }
}
