// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.holdfast.protocol.env.SureLock;
import org.holdfast.protocol.env.Time;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that the container's executor has for moments to come, a few at the most.
 *
 * <p>Each alarm that rings sets the next one, so none is set where an earlier one is. A later one stays beside an
 * earlier one: not every executor forgets a task that is cancelled before its time has come. Safe for use by any number
 * of threads; no lock is held while the executor is called.
 */
final class Alarms {

    private static final System.Logger LOG = System.getLogger(Alarms.class.getName());

    /** More are set only while the moment gets earlier again and again; the latest is cancelled then. */
    static final int MOST = 4;

    private final ScheduledExecutorService executor;
    private final Time time;
    private final Runnable onAlarm;
    private final Lock lock = new SureLock();
    private final List<Alarm> alarms = new ArrayList<>();
    private boolean closed;

    /** @param onAlarm is run by the executor for each alarm */
    Alarms(ScheduledExecutorService executor, Time time, Runnable onAlarm) {
        this.executor = executor;
        this.time = time;
        this.onAlarm = onAlarm;
    }

    private final class Alarm implements Runnable {

        private final long at;
        private volatile @Nullable ScheduledFuture<?> future;
        private volatile boolean cancelled;

        Alarm(long at) {
            this.at = at;
        }

        @Override
        public void run() {
            forget(this);
            if (!cancelled) {
                onAlarm.run();
            }
        }

        void scheduled(ScheduledFuture<?> byTheExecutor) {
            future = byTheExecutor;
            if (cancelled) { // just now
                cancel();
            }
        }

        /**
         * A container may have forgotten the task, or be about to go: that must not end the calling thread, nor keep
         * us from stopping.
         */
        void cancel() {
            cancelled = true;
            ScheduledFuture<?> known = future;
            try {
                if (known != null) {
                    known.cancel(false);
                }
            } catch (RuntimeException | Error e) {
                LOG.log(System.Logger.Level.DEBUG, "HF0419: the managed executor does not cancel its task", e);
            }
        }
    }

    /**
     * Sees to it that there is an alarm at the moment or before.
     *
     * @return false if the executor takes no task
     */
    boolean set(long at) {
        Alarm fresh = new Alarm(at);
        Alarm surplus = null;
        lock.lock();
        try {
            if (closed || alarms.stream().anyMatch(alarm -> alarm.at - at <= 0)) {
                return true;
            }
            if (alarms.size() == MOST) {
                surplus = alarms.stream()
                        .max(Comparator.comparingLong(alarm -> alarm.at - at))
                        .orElseThrow();
                alarms.remove(surplus);
            }
            alarms.add(fresh);
        } finally {
            lock.unlock();
        }
        if (surplus != null) {
            surplus.cancel();
        }
        return schedule(fresh);
    }

    private boolean schedule(Alarm alarm) {
        try {
            long left = Math.max(0, alarm.at - time.nanoTime());
            alarm.scheduled(
                    Submission.submit(alarm, submitted -> executor.schedule(submitted, left, TimeUnit.NANOSECONDS)));
            return true;
        } catch (RuntimeException | Error e) { // containers differ in how they say no, and their classes may be gone
            forget(alarm);
            LOG.log(System.Logger.Level.DEBUG, "HF0431: the managed executor schedules no task; a timer has to", e);
            return false;
        }
    }

    private void forget(Alarm alarm) {
        lock.lock();
        try {
            alarms.remove(alarm);
        } finally {
            lock.unlock();
        }
    }

    /** Cancels all: servers that stand still log each task that they refuse. */
    void cancel() {
        cancel(false);
    }

    /** Cancels all, and sets no other. */
    void close() {
        cancel(true);
    }

    private void cancel(boolean forEver) {
        List<Alarm> all;
        lock.lock();
        try {
            closed |= forEver;
            all = List.copyOf(alarms);
            alarms.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(Alarm::cancel);
    }
}
