// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ScheduledExecutorService;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.protocol.env.Time;
import org.holdfast.runtime.SystemTime;
import org.holdfast.runtime.scheduling.DueMoment;
import org.holdfast.runtime.scheduling.Pulse;
import org.holdfast.runtime.scheduling.Scheduling;
import org.jspecify.annotations.Nullable;

/**
 * The threads of an adapter: the container's managed executor, and a thread of ours in case that stands still.
 *
 * <p>Everything is scheduled from {@code ResourceAdapter.start}, or by a thread that was made there: managed executors
 * tie a task to the application on whose thread it was scheduled, and drop it when that application goes. A server that
 * is being suspended or shut down gracefully lets requests finish but may reject managed tasks; their leases must be
 * renewed all the same. So the thread of a timer watches, and renews them meanwhile: see {@link ManagedTask}. Other
 * tasks that the executor does not begin are begun on timers, too.
 */
final class ContainerScheduling implements Scheduling {

    private static final System.Logger LOG = System.getLogger(ContainerScheduling.class.getName());

    /** The standard name, and the names of servers that do not bind it where a resource adapter starts. */
    private static final List<String> NAMES = List.of(
            "java:comp/DefaultManagedScheduledExecutorService",
            "java:jboss/ee/concurrency/scheduler/default",
            "concurrent/__defaultManagedScheduledExecutorService");

    private final @Nullable ScheduledExecutorService executor;
    private final Timer timer;
    private final WorkManager works;
    private final SpareThreads spare;
    private final Time time = new SystemTime();
    private final DueMoment due = new DueMoment(time);
    private volatile Runnable endRepeated = () -> {};

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
        if (name == null || name.isBlank()) {
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
    public void repeat(Runnable task) {
        within(0);
        if (executor == null) {
            Pulse pulse = new Pulse(due, task);
            begin(pulse, pulse::close);
        } else {
            ManagedTask managed = new ManagedTask(executor, time, due, task);
            begin(managed, managed::close);
        }
    }

    /** @param end ends the work */
    private void begin(Runnable work, Runnable end) {
        endRepeated = end;
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        work.run();
                    }
                },
                0);
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
    public void execute(Runnable task) {
        offer(spare.ours(task));
    }

    @Override
    public void runApplication(Runnable task) {
        offer(spare.ofTheApplication(task));
    }

    @Override
    public void keepRunning(Pulse pulse) {
        runLong(pulse);
    }

    /**
     * On a thread of ours, as long as there is one. Open Liberty runs requests, works, managed tasks and changes of its
     * configuration on one pool, which has few threads and may be long in getting more: a work that lasts leaves it one
     * less for ever. Managed executors watch for long tasks, and warn of them.
     */
    @Override
    public void runLong(Runnable task) {
        if (!spare.beginLasting(task)) {
            offerWork(spare.lasting(task));
        }
    }

    /** Offers a task to the container, which may refuse it, or accept it and not begin it: then a spare thread does. */
    private void offer(Runnable task) {
        if (executor == null) {
            offerWork(task);
            return;
        }
        try {
            Submission.submit(task, submitted -> {
                executor.execute(submitted);
                return true;
            });
        } catch (RuntimeException | Error e) { // containers differ in how they say no
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
            Submission.submit(task, submitted -> {
                works.scheduleWork(work(submitted));
                return true;
            });
        } catch (WorkException | RuntimeException | Error e) { // containers differ in how they say no
            LOG.log(System.Logger.Level.DEBUG, "HF0420: the work manager takes no task; a timer has to", e);
        }
    }

    private static Work work(Runnable task) {
        return new Work() {
            @Override
            public void run() {
                task.run();
            }

            @Override
            public void release() {
                // it is short, or ends when the lock service is closed
            }
        };
    }

    /** The executor is the container's, and keeps running. */
    @Override
    public void close() {
        endRepeated.run();
        timer.cancel();
        spare.close();
    }
}
