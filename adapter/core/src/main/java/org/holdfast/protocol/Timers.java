// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** What is to be done at a moment, for those who have no thread to wait in. Safe for use by any number of threads. */
final class Timers {

    private final Time time;
    private final AtomicLong numbers = new AtomicLong();
    private final ConcurrentSkipListMap<Alarm, Runnable> alarms = new ConcurrentSkipListMap<>();

    /** A moment on the monotonic clock; the number keeps apart what is due at the same time. */
    record Alarm(long at, long number) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            long difference = at - other.at; // nanoTime may overflow: only differences mean anything
            return difference != 0 ? Long.signum(difference) : Long.compare(number, other.number);
        }
    }

    Timers(Time time) {
        this.time = time;
    }

    /** Has the task run by the first {@link #sweep} after so long. It must not block. */
    Alarm in(long nanos, Runnable task) {
        Alarm alarm = new Alarm(time.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 4), numbers.incrementAndGet());
        alarms.put(alarm, task);
        return alarm;
    }

    void cancel(Alarm alarm) {
        alarms.remove(alarm);
    }

    /** Runs what is due. */
    void sweep() {
        long now = time.nanoTime();
        Map.Entry<Alarm, Runnable> first = alarms.firstEntry();
        while (first != null && first.getKey().at() - now <= 0) {
            if (alarms.remove(first.getKey(), first.getValue())) {
                first.getValue().run();
            }
            first = alarms.firstEntry();
        }
    }

    /** Returns how many there are. */
    int size() {
        return alarms.size();
    }
}
