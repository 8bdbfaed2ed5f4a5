// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ResourceAdapterInternalException;
import jakarta.resource.spi.UnavailableException;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.runtime.Scheduling;

/**
 * The threads of the container.
 *
 * <p>Everything is scheduled from {@code ResourceAdapter.start}: managed executors tie a task to the application on whose
 * thread it was scheduled, and drop it when that application goes.
 */
final class ContainerScheduling {

    private static final System.Logger LOG = System.getLogger(ContainerScheduling.class.getName());

    /** The standard name, and the names of servers that do not bind it where a resource adapter starts. */
    private static final List<String> NAMES = List.of(
            "java:comp/DefaultManagedScheduledExecutorService",
            "java:jboss/ee/concurrency/scheduler/default",
            "concurrent/__defaultManagedScheduledExecutorService");

    private ContainerScheduling() {}

    /**
     * Finds the executor to use, or falls back on the timer that every container has.
     *
     * @param name JNDI name of a ManagedScheduledExecutorService, or null for the server's own
     */
    static Scheduling find(String name, BootstrapContext context)
            throws ResourceAdapterInternalException, UnavailableException {
        if (name != null && !name.isEmpty()) {
            ManagedScheduledExecutorService named = lookUp(name);
            if (named == null) {
                throw new ResourceAdapterInternalException(
                        "scheduler must name a ManagedScheduledExecutorService in JNDI, was '" + name + "'");
            }
            return new OnExecutor(named);
        }
        for (String known : NAMES) {
            ManagedScheduledExecutorService found = lookUp(known);
            if (found != null) {
                return new OnExecutor(found);
            }
        }
        LOG.log(
                System.Logger.Level.INFO,
                "no ManagedScheduledExecutorService at " + NAMES + ": leases are renewed by the container's timer");
        return new OnTimer(context.createTimer(), context.getWorkManager());
    }

    private static ManagedScheduledExecutorService lookUp(String name) {
        try {
            return InitialContext.doLookup(name) instanceof ManagedScheduledExecutorService found ? found : null;
        } catch (NamingException | RuntimeException e) { // servers differ in how they say no
            return null;
        }
    }

    private static final class OnExecutor implements Scheduling {

        private final ScheduledExecutorService executor;
        private ScheduledFuture<?> task;

        OnExecutor(ScheduledExecutorService executor) {
            this.executor = executor;
        }

        @Override
        public void repeat(Runnable runnable, long pauseMillis) {
            task = executor.scheduleWithFixedDelay(runnable, pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
        }

        @Override
        public void execute(Runnable listener) {
            executor.execute(listener);
        }

        /** The executor is the container's; the task would go on after the adapter is undeployed. */
        @Override
        public void close() {
            if (task != null) {
                task.cancel(false);
            }
        }
    }

    private static final class OnTimer implements Scheduling {

        private final Timer timer;
        private final WorkManager works;

        OnTimer(Timer timer, WorkManager works) {
            this.timer = timer;
            this.works = works;
        }

        @Override
        public void repeat(Runnable runnable, long pauseMillis) {
            timer.schedule(
                    new TimerTask() {
                        @Override
                        public void run() {
                            runnable.run();
                        }
                    },
                    pauseMillis,
                    pauseMillis);
        }

        @Override
        public void execute(Runnable listener) {
            try {
                works.scheduleWork(new Work() {
                    @Override
                    public void run() {
                        listener.run();
                    }

                    @Override
                    public void release() {
                        // it is short
                    }
                });
            } catch (WorkException e) {
                throw new IllegalStateException("the container runs no listener now", e);
            }
        }

        @Override
        public void close() {
            timer.cancel();
        }
    }
}
