// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;

/**
 * When a repeated task is due next: at the earliest moment that was reported since its last run began.
 *
 * <p>Runs are a little apart, so that much that is due at about the same time is done in one; but not those for which a
 * caller waits. One thread may sleep here
 * until the task is due; a moment that moves earlier wakes it. Moments are on the monotonic clock: a wall clock that is
 * set back delays nothing. Safe for use by any number of threads.
 */
public final class DueMoment implements WakeUp {

    /** A fraction of a third of the shortest TTL: a renewal that just missed a run comes in time all the same. */
    public static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** So far apart are runs for which a caller waits. */
    static final long PROMPT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A run that finds nothing to do drops connections that their nodes have closed. */
    static final long LONGEST_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Time time;
    private final Time.Signal signal;
    private final AtomicLong next;
    private final AtomicLong prompt;
    private volatile long lastEnd;
    private volatile boolean running;

    public DueMoment(Time time) {
        this.time = time;
        this.signal = time.newSignal();
        long now = time.nanoTime();
        this.lastEnd = now - PAUSE_NANOS;
        this.next = new AtomicLong(now + LONGEST_SLEEP_NANOS);
        this.prompt = new AtomicLong(now + LONGEST_SLEEP_NANOS);
    }

    @Override
    public void within(long nanos) {
        moveForward(next, nanos);
    }

    @Override
    public void promptlyWithin(long nanos) {
        moveForward(prompt, nanos);
    }

    private void moveForward(AtomicLong reported, long nanos) {
        long moment = time.nanoTime() + Math.min(nanos, LONGEST_SLEEP_NANOS);
        long known = reported.get();
        while (moment - known < 0) {
            if (reported.compareAndSet(known, moment)) {
                if (!running) { // else the moment is read when the run has ended
                    wake();
                }
                return;
            }
            known = reported.get();
        }
    }

    /** Returns the moment. */
    public long at() {
        long end = lastEnd;
        long ordinary = later(next.get(), end + PAUSE_NANOS);
        long promptly = later(prompt.get(), end + PROMPT_PAUSE_NANOS);
        return promptly - ordinary < 0 ? promptly : ordinary;
    }

    private static long later(long moment, long other) {
        return moment - other > 0 ? moment : other;
    }

    /** Returns in how many nanoseconds the task is due; 0 or less if now. */
    public long nanosLeft() {
        return at() - time.nanoTime();
    }

    /**
     * Runs the task, which reports here when it is due next. For one thread at a time.
     *
     * @param task reports its failures itself; whatever it throws, the next run comes
     */
    public void run(Runnable task) {
        running = true;
        long latest = time.nanoTime() + LONGEST_SLEEP_NANOS;
        next.set(latest); // before the run: what is reported from now on is not lost
        prompt.set(latest);
        try {
            task.run();
        } catch (Throwable e) { // were it the last run, nothing would be renewed
            within(PAUSE_NANOS);
        } finally {
            lastEnd = time.nanoTime();
            running = false;
        }
    }

    /** Sleeps until the moment moves earlier, or it is woken; so long at the most. For one thread. */
    public void sleep(long nanos) {
        try {
            signal.await(nanos);
        } catch (InterruptedException e) {
            // meant for a run before: a thread that sleeps here is woken to end
        }
    }

    /** Wakes the thread that sleeps. */
    public void wake() {
        signal.raise();
    }
}
