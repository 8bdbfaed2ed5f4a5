// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tasks that are due at a moment, for callers that have no thread to wait in. Safe for use by any number of threads.
 */
public final class Timers {

    private final Time time;
    private final WakeUp sweeps;
    private final AtomicLong numbers = new AtomicLong();
    private final ConcurrentSkipListMap<Alarm, Runnable> alarms = new ConcurrentSkipListMap<>();

    /** A moment on the monotonic clock; the number keeps apart what is due at the same time. */
    public record Alarm(long at, long number) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            long difference = at - other.at; // nanoTime may overflow: only differences mean anything
            return difference != 0 ? Long.signum(difference) : Long.compare(number, other.number);
        }
    }

    /** @param sweeps has {@link #sweep} called in time */
    public Timers(Time time, WakeUp sweeps) {
        this.time = time;
        this.sweeps = sweeps;
    }

    /** Has the task run by the first {@link #sweep} after so long. It must not block. */
    public Alarm in(long nanos, Runnable task) {
        Alarm alarm = new Alarm(time.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 4), numbers.incrementAndGet());
        alarms.put(alarm, task);
        sweeps.within(nanos);
        return alarm;
    }

    public void cancel(Alarm alarm) {
        alarms.remove(alarm);
    }

    /** Runs what is due. */
    public void sweep() {
        long now = time.nanoTime();
        Map.Entry<Alarm, Runnable> first = alarms.firstEntry();
        while (first != null && first.getKey().at() - now <= 0) {
            if (alarms.remove(first.getKey(), first.getValue())) {
                first.getValue().run();
            }
            first = alarms.firstEntry();
        }
        if (first != null) {
            sweeps.within(first.getKey().at() - time.nanoTime());
        }
    }

    /** Returns how many there are. */
    public int size() {
        return alarms.size();
    }
}
