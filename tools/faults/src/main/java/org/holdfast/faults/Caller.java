// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.history.Kind;

/**
 * A thread of a client, which takes locks, works under them and releases them; it reports each step before it takes
 * it.
 */
public final class Caller implements Runnable {

    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Renewals put the end of a lease off by more than that. */
    private static final long WORTH_REPORTING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final int number;
    private final LockConnectionFactory locks;
    private final Habit habit;
    private final int names;
    private final Consumer<Report> reports;
    private final ResourceClient resource;
    private final Random random;

    /**
     * @param number of its own; the one after it is taken too, by locks of two names
     * @param names nearly all of its locks have one of so many names; 0 for none
     * @param reports receives each step before it is taken
     */
    public Caller(
            int number,
            LockConnectionFactory locks,
            Habit habit,
            int names,
            Consumer<Report> reports,
            ResourceClient resource) {
        this.number = number;
        this.locks = locks;
        this.habit = habit;
        this.names = names;
        this.reports = reports;
        this.resource = resource;
        this.random = new Random(number);
    }

    @Override
    public void run() {
        while (!Thread.currentThread().isInterrupted()) {
            Errand errand = Errand.any(random, names);
            long asked = System.nanoTime();
            try (LockConnection connection = locks.getConnection()) {
                Optional<Lease> lease = connection.tryAcquire(errand.request());
                lease.ifPresent(it -> hold(it, errand, asked, System.nanoTime()));
            } catch (LockException e) {
                pause(2 * STEP_NANOS); // no quorum
            } catch (InterruptedException e) {
                return;
            }
            pause(STEP_NANOS);
        }
    }

    private void pause(long most) {
        LockSupport.parkNanos((long) (random.nextDouble() * most));
    }

    private void hold(Lease lease, Errand errand, long asked, long granted) {
        long until = validUntil(lease, asked);
        for (int name = 0; name < lease.names().size(); name++) {
            reports.accept(new Report.Granted(
                    number + name,
                    lease.names().get(name),
                    errand.kind(),
                    Errand.PERMITS,
                    habit.token(lease),
                    asked,
                    granted,
                    until));
        }
        Leased leased = new Leased(lease, until);
        lease.onLost(loss -> leased.report(caller -> new Report.Lost(caller, leased.until, System.nanoTime())));
        long end = leased.work(errand);
        leased.report(caller -> new Report.Ended(caller, end));
        lease.release();
        leased.report(caller -> new Report.Closed(caller, System.nanoTime()));
    }

    /** Returns a moment until which the lease is valid for certain; that at which it was asked for if it is over. */
    private long validUntil(Lease lease, long asked) {
        long now = System.nanoTime();
        Duration remaining = lease.remaining();
        return remaining.isZero() ? asked : now + remaining.toNanos();
    }

    /** A lease while this caller has it. */
    private final class Leased {
        private final Lease lease;
        private volatile long until;

        Leased(Lease lease, long until) {
            this.lease = lease;
            this.until = until;
        }

        /** A lease of several names is a hold of each. */
        void report(IntFunction<Report> report) {
            for (int name = 0; name < lease.names().size(); name++) {
                reports.accept(report.apply(number + name));
            }
        }

        /** Returns when the lease ended, or the work. */
        long work(Errand errand) {
            long done = System.nanoTime() + errand.work().toNanos();
            boolean writes = errand.kind() == Kind.EXCLUSIVE;
            long now = System.nanoTime();
            while (habit.isHeld(lease)) {
                extend(now);
                if (writes) {
                    lease.names().forEach(name -> resource.write(name, habit.token(lease)));
                }
                if (now - done >= 0) {
                    return System.nanoTime();
                }
                LockSupport.parkNanos(Math.min(STEP_NANOS, done - now));
                now = System.nanoTime();
            }
            return now;
        }

        /** The lease says that it is held, which counts also where that is later than its validity. */
        private void extend(long now) {
            long extended = Math.max(now, validUntil(lease, until));
            if (extended - until > (extended == now ? 0 : WORTH_REPORTING_NANOS)) {
                report(caller -> new Report.Extended(caller, extended));
                until = extended;
            }
        }
    }
}
