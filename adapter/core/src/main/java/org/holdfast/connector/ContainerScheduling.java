// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.util.List;
import java.util.Objects;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.runtime.Scheduling;
import org.jspecify.annotations.Nullable;

/**
 * The threads of an adapter: the container's managed executor, and a timer of ours in case that stands still.
 *
 * <p>Everything is scheduled from {@code ResourceAdapter.start}: managed executors tie a task to the application on
 * whose thread it was scheduled, and drop it when that application goes. A server that is being suspended or shut down
 * gracefully lets requests finish but may reject managed tasks; their leases must be renewed all the same. So a timer
 * watches. It takes over when the executor has run nothing for a while, until the executor runs tasks again. Other
 * tasks that the executor does not begin are begun on timers, too.
 */
final class ContainerScheduling implements Scheduling {

    private static final System.Logger LOG = System.getLogger(ContainerScheduling.class.getName());

    /** The standard name, and the names of servers that do not bind it where a resource adapter starts. */
    private static final List<String> NAMES = List.of(
            "java:comp/DefaultManagedScheduledExecutorService",
            "java:jboss/ee/concurrency/scheduler/default",
            "concurrent/__defaultManagedScheduledExecutorService");

    /** The timer takes over when it has had so many turns meanwhile: after a pause of the process, it has one. */
    private static final int STANDSTILL_TURNS = 5;

    /**
     * A loaded server needs a second now and then, and more while it starts: that is no message yet. 10 s, with turns
     * of 20 ms.
     */
    private static final int TURNS_UNTIL_WARNING = 500;

    /** The executor is asked for a sign of life so many turns after it stood still, and then ever more rarely. 1 s. */
    private static final int FIRST_PROBE_TURNS = 50;

    /** An executor that rejects tasks is asked this often at the least: nothing of ours is left in its queue. 1 min. */
    private static final int MOST_PROBE_TURNS = 3_000;

    private final @Nullable ScheduledExecutorService executor;
    private final Timer timer;
    private final WorkManager works;
    private final SpareThreads spare;
    private final ReentrantLock running = new ReentrantLock();
    private volatile @Nullable ScheduledFuture<?> managed;
    private volatile boolean managedRan;
    private volatile boolean probeRan;
    private volatile boolean closed;

    // Of the timer's thread:

    /** Since the executor ran the repeated task. */
    private long turnsWithoutIt;

    /** Since the executor was given the repeated task, or ran it. */
    private long turnsOfTask;

    private long turnsUntilProbe;
    private long probePause;
    private boolean warned;

    /** @param executor null for none */
    ContainerScheduling(@Nullable ScheduledExecutorService executor, SpareThreads.Timers timers, WorkManager works) {
        this.executor = executor;
        this.works = works;
        this.timer = timers.createTimer();
        try {
            this.spare = new SpareThreads(timers);
        } catch (RuntimeException | OutOfMemoryError e) {
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
    static @Nullable ScheduledExecutorService findExecutor(@Nullable String name, List<String> violations) {
        if (name == null || name.isEmpty()) {
            return serversOwn();
        }
        ScheduledExecutorService executor = lookUp(name);
        if (executor == null) {
            violations.add("HF0405: scheduler must name a ManagedScheduledExecutorService in JNDI, was '" + name + "'");
        }
        return executor;
    }

    private static @Nullable ScheduledExecutorService serversOwn() {
        for (String known : NAMES) {
            ScheduledExecutorService found = lookUp(known);
            if (found != null) {
                return found;
            }
        }
        LOG.log(
                System.Logger.Level.INFO,
                "HF0406: no ManagedScheduledExecutorService at " + NAMES
                        + ": leases are renewed by a timer of the adapter");
        return null;
    }

    private static @Nullable ScheduledExecutorService lookUp(String name) {
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
                        watch(task, pauseMillis);
                    }
                },
                pauseMillis,
                pauseMillis);
    }

    /** Returns null if the executor takes no task: the timer does without it. */
    private @Nullable ScheduledFuture<?> schedule(Runnable task, long pauseMillis) {
        try {
            return Objects.requireNonNull(executor)
                    .scheduleWithFixedDelay(() -> runManaged(task), pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
        } catch (RuntimeException e) { // containers differ in how they say no, and none may end the timer
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "HF0431: the managed executor does not repeat a task; a timer has to",
                    e);
            return null;
        }
    }

    private void runManaged(Runnable task) {
        managedRan = true;
        run(task);
    }

    private void watch(Runnable task, long pauseMillis) {
        if (executor != null) {
            watchExecutor(task, pauseMillis);
        }
        if (managed == null || turnsWithoutIt > STANDSTILL_TURNS) {
            run(task);
        }
    }

    private void watchExecutor(Runnable task, long pauseMillis) {
        if (managedRan || running.isLocked()) {
            managedRan = false;
            if (managed != null) {
                itRuns();
                return;
            }
            probeRan = true; // the task that was cancelled has come to its turn
        }
        turnsWithoutIt++;
        turnsOfTask++;
        if (managed == null) {
            askForASignOfLife(task, pauseMillis);
        } else if (turnsOfTask > STANDSTILL_TURNS) {
            leave(managed);
        }
        if (turnsWithoutIt > TURNS_UNTIL_WARNING && !warned) {
            warned = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0407: the managed executor has run no task of the adapter for " + turnsWithoutIt * pauseMillis
                            + " ms (is the server suspended, overloaded, or still deploying?): a timer of the adapter renews"
                            + " leases until the executor runs tasks again");
        }
    }

    private void itRuns() {
        turnsWithoutIt = 0;
        turnsOfTask = 0;
        probePause = 0;
        if (warned) {
            warned = false;
            LOG.log(System.Logger.Level.INFO, "HF0430: the managed executor runs tasks again, and renews leases");
        }
    }

    private void leave(ScheduledFuture<?> present) {
        managed = null;
        cancel(present); // servers log each turn that they refuse
        probePause = Math.max(FIRST_PROBE_TURNS, probePause);
        turnsUntilProbe = probePause;
    }

    /**
     * A probe that runs shows an executor that works. One that does not run may be in its queue for long: there are
     * ever fewer.
     */
    private void askForASignOfLife(Runnable task, long pauseMillis) {
        if (probeRan) {
            probeRan = false;
            managed = schedule(task, pauseMillis);
            turnsOfTask = 0;
            if (closed && managed != null) {
                cancel(managed);
            }
            return;
        }
        turnsUntilProbe--;
        if (turnsUntilProbe <= 0) {
            boolean rejected = !probe();
            probePause = Math.max(FIRST_PROBE_TURNS, 2 * probePause);
            turnsUntilProbe = rejected ? Math.min(MOST_PROBE_TURNS, probePause) : probePause;
        }
    }

    private boolean probe() {
        try {
            Objects.requireNonNull(executor).execute(() -> probeRan = true);
            return true;
        } catch (RuntimeException e) { // containers differ in how they say no
            return false;
        }
    }

    /**
     * A container may have forgotten the task, or be about to go: that must not end the timer, nor keep us from
     * stopping.
     */
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

    /** Managed executors watch for long tasks, and warn of them. */
    @Override
    public void runLong(Runnable task) {
        offerWork(spare.lasting(task));
    }

    /** Offers a task to the container, which may refuse it, or accept it and not begin it: then a spare thread does. */
    private void offer(Runnable task) {
        if (executor == null) {
            offerWork(task);
            return;
        }
        try {
            executor.execute(task);
        } catch (RuntimeException | OutOfMemoryError e) { // containers differ in how they say no
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "HF0408: the managed executor takes no task; the work manager has to",
                    e);
            offerWork(task);
        }
    }

    /**
     * Open Liberty leaves an adapter running whose settings change, and its work manager then throws
     * NullPointerException.
     */
    private void offerWork(Runnable task) {
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
        } catch (WorkException | RuntimeException | OutOfMemoryError e) { // containers differ in how they say no
            LOG.log(System.Logger.Level.DEBUG, "HF0420: the work manager takes no task; a timer has to", e);
        }
    }

    /** The executor is the container's, and keeps running. */
    @Override
    public void close() {
        closed = true;
        ScheduledFuture<?> present = managed;
        if (present != null) {
            cancel(present);
        }
        timer.cancel();
        spare.close();
    }
}
