// SPDX-License-Identifier: Apache-2.0
package org.holdfast.shedlock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.holdfast.Lease;
import org.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;

/**
 * One lock of a job, from when it is taken or extended until it is unlocked, extended or over.
 *
 * <p>Whichever comes first of these three ends it, and the others find it ended. Its end is a moment on the monotonic
 * clock, from before the nodes were asked: so it never lasts longer than ShedLock believes, and a late timer makes no
 * extension of a lock that is over. Safe for use by any number of threads.
 */
final class JobLock implements SimpleLock {

    private static final System.Logger LOG = System.getLogger(JobLock.class.getName());

    /** Longer than any process lives, and short enough for differences of the clock. */
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE / 4);

    private enum State {
        HELD,
        /** Its time has ended; ShedLock has not unlocked it yet. */
        OVER,
        UNLOCKED,
        EXTENDED
    }

    private final String name;
    private final Lease lease;
    private final long endsAt;
    private final long keptUntil;
    private final ScheduledExecutorService ends;
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);
    private volatile @Nullable Future<?> end;

    private JobLock(String name, Lease lease, long endsAt, long keptUntil, ScheduledExecutorService ends) {
        this.name = name;
        this.lease = lease;
        this.endsAt = endsAt;
        this.keptUntil = keptUntil;
        this.ends = ends;
    }

    /**
     * Returns the lock of a job that has just got its lease.
     *
     * @param asked when the lease was asked for, by {@link System#nanoTime()}
     */
    static JobLock begin(JobRequest request, Lease lease, long asked, ScheduledExecutorService ends) {
        LockConfiguration terms = request.configuration();
        long keptUntil = request.keptByNodes() ? asked : asked + nanos(terms.getLockAtLeastFor());
        JobLock lock = new JobLock(terms.getName(), lease, asked + nanos(terms.getLockAtMostFor()), keptUntil, ends);
        lock.endInTime();
        return lock;
    }

    private static long nanos(Duration duration) {
        return duration.compareTo(FOR_EVER) < 0 ? duration.toNanos() : FOR_EVER.toNanos();
    }

    private void endInTime() {
        Future<?> planned = runAt(endsAt, this::end);
        end = planned;
        if (state.get() != State.HELD) { // ended before this thread could say where its end is
            planned.cancel(false);
        }
    }

    /** A lease that nothing would end must not stay. */
    private Future<?> runAt(long moment, Runnable task) {
        try {
            return ends.schedule(task, moment - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (RuntimeException | Error e) { // there is no thread
            lease.release();
            throw e;
        }
    }

    private void end() {
        if (state.compareAndSet(State.HELD, State.OVER)) {
            System.Logger.Level level =
                    lease.isHeld() ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG; // a loss was logged
            lease.release();
            LOG.log(
                    level,
                    "HF0602: the lockAtMostFor of job '" + name + "' is over and the job has not ended: others may"
                            + " begin it. Give it a longer one, or extend the lock (LockExtender)");
        }
    }

    private void forgetEnd() {
        Future<?> planned = end;
        if (planned != null) {
            planned.cancel(false);
        }
    }

    @Override
    public void unlock() {
        State before = state.getAndUpdate(now -> now == State.EXTENDED ? now : State.UNLOCKED);
        if (before == State.UNLOCKED || before == State.EXTENDED) {
            throw new IllegalStateException("HF0603: the lock of job '" + name + "' is not valid: it was "
                    + (before == State.EXTENDED ? "extended" : "unlocked") + " before");
        }
        forgetEnd();
        if (before == State.HELD) {
            if (keptUntil - System.nanoTime() > 0) {
                runAt(keptUntil, lease::release);
            } else {
                release();
            }
        }
    }

    private void release() {
        if (lease.release() == ReleaseResult.NOT_HELD) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0604: the lock of job '" + name
                            + "' was not held until the job ended: it may have run in another" + " process meanwhile");
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>The lease stays the same, with its fencing token; the nodes are not asked. Empty if the lock is over or its
     * lease is lost: then it may be unlocked all the same.
     */
    @Override
    public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
        LockConfiguration terms = new LockConfiguration(ClockProvider.now(), name, lockAtMostFor, lockAtLeastFor);
        long now = System.nanoTime();
        if (now - endsAt >= 0) {
            end();
        }
        if (state.get() == State.OVER || state.get() == State.HELD && !lease.isHeld()) {
            return Optional.empty();
        }
        if (!state.compareAndSet(State.HELD, State.EXTENDED)) {
            if (state.get() == State.OVER) {
                return Optional.empty();
            }
            throw new IllegalStateException(
                    "HF0605: the lock of job '" + name + "' cannot be extended: it was unlocked or extended before");
        }
        forgetEnd();
        long least = now + nanos(terms.getLockAtLeastFor());
        JobLock longer =
                new JobLock(name, lease, now + nanos(lockAtMostFor), least - keptUntil > 0 ? least : keptUntil, ends);
        longer.endInTime();
        return Optional.of(longer);
    }
}
