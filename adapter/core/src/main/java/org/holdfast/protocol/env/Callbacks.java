// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs the application's code: listeners of lost leases, and what continues the futures of asynchronous requests.
 *
 * <p>It runs on threads that do none of the library's work, so that code which blocks keeps no lock, ticket or wait
 * alive. Each lane has threads of its own, up to a bound: continuations that block take none from listeners. A call
 * that finds no thread waits in its lane; there are at most as many calls as there are asynchronous requests and
 * listeners. Safe for use by any number of threads.
 */
public final class Callbacks {

    /**
     * The bounds count threads that run the application's code at one moment. Threads are made only when all others are
     * busy, and a continuation should not block at all, so 64 is far more than a sound application uses; and a process
     * has room for as many.
     */
    public enum Lane {
        /** Futures that are completed with a lease. */
        LEASES(64),
        /** Futures that fail: what waits in a blocked continuation must end even when that lane is full. */
        FAILURES(64),
        /** Listeners of lost leases. */
        LOSSES(24);

        private final int most;

        Lane(int most) {
            this.most = most;
        }

        /** Returns how many threads may run calls of this lane at once. */
        public int most() {
            return most;
        }
    }

    /** How long after a call that finds no thread the next sweep comes. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** At {@link #PAUSE_NANOS} each. */
    private static final int STUCK_SWEEPS = 50;

    private final Executor threads;
    private final WakeUp sweeps;
    private final Calls leases = new Calls(Lane.LEASES);
    private final Calls failures = new Calls(Lane.FAILURES);
    private final Calls losses = new Calls(Lane.LOSSES);

    /**
     * @param threads for the application's code; may refuse, and should not any more after the service was closed
     * @param sweeps has {@link #sweep} called in time
     */
    public Callbacks(Executor threads, WakeUp sweeps) {
        this.threads = threads;
        this.sweeps = sweeps;
    }

    /**
     * Runs a call as soon as there is a thread, never on the calling one. The call must not throw. If this throws, as
     * without memory, the call is not run.
     *
     * @return null, or why the container refuses a thread now; the call waits for the next sweep then
     */
    public @Nullable Throwable run(Lane lane, Runnable call) {
        return calls(lane).add(call);
    }

    private Calls calls(Lane lane) {
        return switch (lane) {
            case LEASES -> leases;
            case FAILURES -> failures;
            case LOSSES -> losses;
        };
    }

    /** Has a sweep come soon. Needs no memory. */
    public void requestSweep() {
        sweeps.within(PAUSE_NANOS);
    }

    /** Asks again for the threads that were refused. */
    public void sweep() {
        leases.sweep();
        failures.sweep();
        losses.sweep();
    }

    /**
     * Returns how many calls of a lane have waited for a second or so, in which none was begun; 0 if calls are begun.
     */
    public int stuck(Lane lane) {
        return calls(lane).stuck();
    }

    /**
     * The service is closed, and no later sweep comes: whatever waits, or comes from now on, gets other threads, up to
     * the same bounds. Those before may be blocked for ever. Nothing of the application runs on the calling thread. A
     * call that finds even these threads blocked is not run: what must not depend on it has to be done before.
     */
    public void close() {
        leases.close();
        failures.close();
        losses.close();
    }

    /** Returns how many calls wait for a thread. */
    public int size() {
        return leases.waiting.size() + failures.waiting.size() + losses.waiting.size();
    }

    /** The calls of one lane, in order. */
    private final class Calls {

        private final Lane lane;
        private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

        /**
         * How many threads run calls; replaced when the service is closed, so that blocked threads do not count any
         * more.
         */
        private volatile AtomicInteger running = new AtomicInteger();

        private final AtomicLong begun = new AtomicLong(); // to count needs no memory: the call would be lost
        private long begunBefore;
        private volatile int sweepsWithout;

        Calls(Lane lane) {
            this.lane = lane;
        }

        @Nullable
        Throwable add(Runnable call) {
            waiting.add(call);
            try {
                Throwable refused = start();
                sweepIfCallsWait();
                return refused;
            } catch (RuntimeException | Error e) { // not to be thrown: it would seem that the call does not wait here
                requestSweep();
                return e;
            }
        }

        /** Asks for one more thread if a call waits and the bound allows it; returns why that is refused, or null. */
        private @Nullable Throwable start() {
            AtomicInteger counted = running;
            int most = lane.most();
            if (waiting.isEmpty() || counted.getAndUpdate(n -> n < most ? n + 1 : n) >= most) {
                return null;
            }
            try {
                threads.execute(() -> work(counted));
                return null;
            } catch (RuntimeException | Error e) { // the next sweep asks again, if there is one
                counted.decrementAndGet();
                return e;
            }
        }

        /** Called by one thread at a time. */
        private void sweep() {
            long now = begun.get();
            sweepsWithout = waiting.isEmpty() || now != begunBefore ? 0 : sweepsWithout + 1;
            begunBefore = now;
            start();
            sweepIfCallsWait();
        }

        private void sweepIfCallsWait() {
            if (!waiting.isEmpty()) {
                sweeps.within(PAUSE_NANOS);
            }
        }

        private int stuck() {
            return sweepsWithout < STUCK_SWEEPS ? 0 : waiting.size();
        }

        /**
         * Runs calls as long as there are any; then checks again for one that came while this thread was about to end.
         */
        private void work(AtomicInteger counted) {
            try {
                Runnable call;
                while ((call = waiting.poll()) != null) {
                    begun.incrementAndGet();
                    call.run();
                }
            } finally {
                counted.decrementAndGet();
                start();
            }
        }

        private void close() {
            running = new AtomicInteger();
            for (int i = Math.min(waiting.size(), lane.most()); i > 0; i--) {
                start();
            }
        }
    }
}
