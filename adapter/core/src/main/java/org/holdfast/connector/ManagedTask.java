// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.holdfast.protocol.env.Time;
import org.holdfast.runtime.scheduling.DueMoment;
import org.holdfast.runtime.scheduling.Pulse;

/**
 * Runs a task whenever it is due, on the container's managed executor, and on a thread of the adapter while that
 * executor stands still.
 *
 * <p>The executor has an alarm for the moment at which the task is due, and each run sets the next one. The adapter's
 * thread, which runs {@link #run}, sleeps until a little after that moment. It is woken when the moment moves earlier,
 * and sets an earlier alarm: no alarm is set by callers, because a managed executor ties a task to the application on
 * whose thread it was scheduled. If the task has not begun a few turns after it was due, the thread runs the task
 * itself, and asks the executor for a sign of life, until the executor runs tasks again.
 */
final class ManagedTask implements Runnable, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(ManagedTask.class.getName());

    /** How often the thread checks an executor that is late. */
    static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The thread takes over when it has had so many turns meanwhile: after a pause of the process, it has one. */
    static final int STANDSTILL_TURNS = 5;

    /** A loaded server needs a second now and then, and more while it starts: that is no message yet. */
    private static final long UNTIL_WARNING_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The executor is asked for a sign of life so long after it stood still, and then ever more rarely. */
    private static final long FIRST_PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** An executor that rejects tasks is asked this often at the least: nothing of ours is left in its queue. */
    private static final long MOST_PROBE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private enum Mode {
        /** The executor runs the task. */
        MANAGED,
        /** The executor stands still: the thread runs the task. */
        LEFT,
        /** The executor has given a sign of life: the thread runs the task until the executor does. */
        RETURNING
    }

    private final ScheduledExecutorService executor;
    private final Time time;
    private final DueMoment due;
    private final Runnable task;
    private final ReentrantLock running = new ReentrantLock();
    private final Alarms alarms;
    private volatile boolean managedRan;
    private volatile boolean probeRan;
    private volatile boolean closed;
    private volatile Mode mode = Mode.MANAGED;

    // Of the adapter's thread:

    /** Since the task was due, or since an alarm was due that shows whether the executor is back. */
    private int lateTurns;

    private long lastTurn;
    private long lateSince;
    private long probePause;
    private long nextProbe;
    private boolean warned;

    /**
     * Sets the first alarm, on the calling thread, whose context each run on the executor has from then on.
     *
     * @param task reports to {@code due} when it is due next
     */
    ManagedTask(ScheduledExecutorService executor, Time time, DueMoment due, Runnable task) {
        this.executor = executor;
        this.time = time;
        this.due = due;
        this.task = task;
        this.alarms = new Alarms(executor, time, this::alarmed);
        alarms.set(due.at());
    }

    /** On the executor. */
    private void alarmed() {
        managedRan = true;
        boolean set = false;
        try {
            runIfDue();
            set = alarms.set(due.at());
        } finally {
            if (!set || mode != Mode.MANAGED) { // the thread has to see to it
                due.wake();
            }
        }
    }

    private void runIfDue() {
        if (running.tryLock()) {
            try {
                if (!closed && due.nanosLeft() <= 0) {
                    due.run(task);
                }
            } finally {
                running.unlock();
            }
        }
    }

    /** The adapter's thread. Returns when this is closed, after a run that is under way. */
    @Override
    public void run() {
        while (!closed) {
            sleep(nextTurn());
        }
    }

    /** Whatever fails: this thread is the last that renews leases if the executor has gone. */
    private long nextTurn() {
        try {
            return turn();
        } catch (Throwable e) {
            mode = Mode.LEFT;
            return TURN_NANOS;
        }
    }

    private void sleep(long nanos) {
        try {
            due.sleep(nanos);
        } catch (Throwable e) { // no memory to sleep: the next turn comes at once
            Pulse.pauseAfterFailure();
        }
    }

    /** Does what is to be done now, and returns how long to sleep. */
    private long turn() {
        if (managedRan) {
            managedRan = false;
            itRuns();
        }
        if (running.isLocked()) { // what it reports meanwhile is read when it has ended
            return TURN_NANOS;
        }
        return switch (mode) {
            case MANAGED -> watch();
            case LEFT -> standIn(this::probe);
            case RETURNING -> standIn(this::awaitReturn);
        };
    }

    private void itRuns() {
        mode = Mode.MANAGED;
        lateTurns = 0;
        probePause = 0;
        if (warned) {
            warned = false;
            LOG.log(System.Logger.Level.INFO, "HF0430: the managed executor runs tasks again, and renews leases");
        }
    }

    private long watch() {
        long at = due.at();
        if (!alarms.set(at)) {
            leave();
            return 0;
        }
        long now = time.nanoTime();
        if (now - at < TURN_NANOS) {
            lateTurns = 0;
            return at - now + TURN_NANOS;
        }
        return countTurn(now);
    }

    /** Counts a turn in which the executor was late; wake-ups in between are none. */
    private long countTurn(long now) {
        if (lateTurns == 0) {
            lateSince = now;
        } else if (now - lastTurn < TURN_NANOS) {
            return TURN_NANOS - (now - lastTurn);
        }
        lastTurn = now;
        lateTurns++;
        if (lateTurns > STANDSTILL_TURNS) {
            leave();
            return 0;
        }
        return TURN_NANOS;
    }

    private void leave() {
        long now = time.nanoTime();
        if (mode == Mode.MANAGED && lateTurns == 0) {
            lateSince = now;
        }
        mode = Mode.LEFT;
        lateTurns = 0;
        alarms.cancel();
        probePause = Math.max(FIRST_PROBE_NANOS, probePause);
        nextProbe = now + probePause;
    }

    /** Runs the task when it is due. */
    private long standIn(Check check) {
        runIfDue();
        long now = time.nanoTime();
        if (!warned && now - lateSince >= UNTIL_WARNING_NANOS) {
            warned = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0407: the managed executor has run no task of the adapter for "
                            + TimeUnit.NANOSECONDS.toMillis(now - lateSince)
                            + " ms (is the server suspended, overloaded, or still deploying?): a timer of the adapter renews"
                            + " leases until the executor runs tasks again");
        }
        long untilWarning = warned ? Long.MAX_VALUE : lateSince + UNTIL_WARNING_NANOS - now;
        return Math.max(0, Math.min(Math.min(due.nanosLeft(), untilWarning), check.nanosLeft(now)));
    }

    /** What the thread does about the executor; returns when that is to be done again. */
    private interface Check {
        long nanosLeft(long now);
    }

    /**
     * Asks for a sign of life. A probe that runs shows an executor that works. One that does not run may be in its
     * queue for long: there are ever fewer.
     */
    private long probe(long now) {
        if (probeRan) {
            probeRan = false;
            return alarms.set(now) ? beginReturn(now) : probeLater(now, true);
        }
        return now - nextProbe < 0 ? nextProbe - now : probeLater(now, !sendProbe());
    }

    private long beginReturn(long now) {
        mode = Mode.RETURNING;
        lastTurn = now;
        return TURN_NANOS;
    }

    private long probeLater(long now, boolean rejected) {
        probePause = Math.max(FIRST_PROBE_NANOS, 2 * probePause);
        nextProbe = now + (rejected ? Math.min(MOST_PROBE_NANOS, probePause) : probePause);
        return nextProbe - now;
    }

    private boolean sendProbe() {
        try {
            return Submission.submit(this::probed, submitted -> {
                executor.execute(submitted);
                return true;
            });
        } catch (RuntimeException | Error e) { // containers differ in how they say no
            return false;
        }
    }

    /** On the executor. */
    private void probed() {
        probeRan = true;
        due.wake();
    }

    /** The alarm that was set for the return has some turns to run. */
    private long awaitReturn(long now) {
        if (now - lastTurn >= TURN_NANOS) {
            lastTurn = now;
            lateTurns++;
        }
        if (lateTurns > STANDSTILL_TURNS) {
            leave();
        }
        return TURN_NANOS;
    }

    @Override
    public void close() {
        closed = true;
        alarms.close();
        due.wake();
    }
}
