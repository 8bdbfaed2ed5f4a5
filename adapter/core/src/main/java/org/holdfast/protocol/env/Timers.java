// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Tasks that are due at a moment, for callers that have no thread to wait in. Safe for use by any number of threads.
 */
public final class Timers {

    /** What is due later need not be done promptly, but with other things that are due at about the same time. */
    private static final long PROMPT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Time time;
    private final AtomicLong numbers = new AtomicLong();
    private final Due prompt;
    private final Due ordinary;

    /**
     * A moment on the monotonic clock; the number keeps apart what is due at the same time.
     *
     * @param prompt whether the task was due soon when it came: a caller waits for it
     */
    public record Alarm(long at, long number, boolean prompt) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            long difference = at - other.at; // nanoTime may overflow: only differences mean anything
            return difference != 0 ? Long.signum(difference) : Long.compare(number, other.number);
        }
    }

    /** Tasks whose moments are reported in the same way. */
    private record Due(ConcurrentSkipListMap<Alarm, Runnable> tasks, LongConsumer within) {

        Due(LongConsumer within) {
            this(new ConcurrentSkipListMap<>(), within);
        }
    }

    /** @param sweeps has {@link #sweep} called in time */
    public Timers(Time time, WakeUp sweeps) {
        this.time = time;
        this.prompt = new Due(sweeps::promptlyWithin);
        this.ordinary = new Due(sweeps::within);
    }

    private Due dueLike(Alarm alarm) {
        return alarm.prompt() ? prompt : ordinary;
    }

    /** Has the task run by the first {@link #sweep} after so long. It must not block. */
    public Alarm in(long nanos, Runnable task) {
        long at = time.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 4);
        Alarm alarm = new Alarm(at, numbers.incrementAndGet(), nanos < PROMPT_NANOS);
        dueLike(alarm).tasks().put(alarm, task);
        dueLike(alarm).within().accept(nanos);
        return alarm;
    }

    public void cancel(Alarm alarm) {
        dueLike(alarm).tasks().remove(alarm);
    }

    /** Runs what is due. */
    public void sweep() {
        sweep(prompt);
        sweep(ordinary);
    }

    private void sweep(Due due) {
        long now = time.nanoTime();
        Map.Entry<Alarm, Runnable> first = due.tasks().firstEntry();
        while (first != null && first.getKey().at() - now <= 0) {
            if (due.tasks().remove(first.getKey(), first.getValue())) {
                first.getValue().run();
            }
            first = due.tasks().firstEntry();
        }
        if (first != null) {
            due.within().accept(first.getKey().at() - time.nanoTime());
        }
    }

    /** Returns how many there are. */
    public int size() {
        return prompt.tasks().size() + ordinary.tasks().size();
    }
}
