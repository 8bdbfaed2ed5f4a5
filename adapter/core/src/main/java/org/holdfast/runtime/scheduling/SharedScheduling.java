// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The threads of one adapter, for several lock services. Only one task is repeated, scheduled when this is made: a
 * service that comes later, on the thread of an application, schedules nothing.
 */
public final class SharedScheduling {

    private final Scheduling threads;
    private final List<Runnable> repeated = new CopyOnWriteArrayList<>();

    public SharedScheduling(Scheduling threads) {
        this.threads = threads;
        threads.repeat(this::runAll);
    }

    /** What fails in one service keeps no other from its run. */
    private void runAll() {
        repeated.forEach(this::runOne);
    }

    private void runOne(Runnable sweep) {
        try {
            sweep.run();
        } catch (Throwable e) { // it reports its failures itself
            threads.within(DueMoment.PAUSE_NANOS);
        }
    }

    /** Returns the scheduling of one service, which ends with that service. */
    public Scheduling share() {
        return new Share();
    }

    private final class Share implements Scheduling {

        private volatile Runnable task = () -> {};

        @Override
        public void repeat(Runnable sweep) {
            task = sweep;
            repeated.add(sweep);
            within(0);
        }

        /** All services are swept by one run: a process that has several wakes up once for all. */
        @Override
        public void within(long nanos) {
            threads.within(nanos);
        }

        @Override
        public void promptlyWithin(long nanos) {
            threads.promptlyWithin(nanos);
        }

        @Override
        public void keepRunning(Pulse pulse) {
            threads.keepRunning(pulse);
        }

        @Override
        public void runLong(Runnable longTask) {
            threads.runLong(longTask);
        }

        @Override
        public void execute(Runnable shortTask) {
            threads.execute(shortTask);
        }

        @Override
        public void runApplication(Runnable task) {
            threads.runApplication(task);
        }

        @Override
        public void close() {
            repeated.remove(task);
        }
    }
}
