// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Callbacks;
import org.holdfast.protocol.env.Timers;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.lease.HeldLock;

/**
 * Drives the acquisitions of callers that wait without a thread. They share threads to borrow for a moment, and timers.
 *
 * <p>Safe for use by any number of threads.
 */
public final class AsyncAcquirer {

    /** When no thread is available, one is requested again so much later. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final WaitContext context;
    private final Timers timers;
    private final Executor threads;
    private final Callbacks callbacks;
    private final Set<AsyncAcquiring> waiting = ConcurrentHashMap.newKeySet();
    private final WakeUp sweeps;

    /** Whether a caller may have an event that no thread handles: there was no memory to ask for one. */
    private volatile boolean hasMissed;

    /**
     * @param threads runs the attempts, and nothing of the application
     * @param sweeps has {@link #sweep} called in time
     */
    public AsyncAcquirer(WaitContext context, Executor threads, Callbacks callbacks, WakeUp sweeps) {
        this.context = context;
        this.timers = new Timers(context.time(), sweeps);
        this.sweeps = sweeps;
        this.threads = threads;
        this.callbacks = callbacks;
    }

    /** Returns the future of a lease; cancelling it withdraws the request. */
    CompletableFuture<Lease> acquire(LockRequest request, Acquiring acquiring, Function<HeldLock, Lease> lease) {
        return new AsyncAcquiring(this, context, request, acquiring, lease).start();
    }

    void add(AsyncAcquiring caller) {
        waiting.add(caller);
    }

    void remove(AsyncAcquiring caller) {
        waiting.remove(caller);
    }

    /** Runs a step of a caller as soon as there is a thread, never on the calling one. */
    void run(Runnable step) {
        try {
            borrow(step);
        } catch (RuntimeException | Error e) {
            noteMissed();
        }
    }

    private void borrow(Runnable step) {
        try {
            threads.execute(step);
        } catch (RuntimeException | OutOfMemoryError e) { // no thread is available now; or never again, after a stop
            timers.in(PAUSE_NANOS, () -> run(step));
        }
    }

    /** Has the next sweep look at all callers once more. Needs no memory. */
    void noteMissed() {
        hasMissed = true;
        sweeps.within(PAUSE_NANOS);
    }

    /** Has something done by the first sweep after so long. It must not block. */
    Timers.Alarm in(long nanos, Runnable action) {
        return timers.in(nanos, action);
    }

    void cancel(Timers.Alarm alarm) {
        try {
            timers.cancel(alarm);
        } catch (OutOfMemoryError e) {
            // what it would do finds nothing to do
        }
    }

    /** Returns whether continuations of the application have not returned for a while, and others wait for them. */
    boolean isBlocked() {
        return callbacks.stuck(Callbacks.Lane.LEASES) > 0;
    }

    /** Runs the application's code on a thread of its own. */
    void call(Callbacks.Lane lane, Runnable call) {
        callbacks.run(lane, call);
    }

    /** Does what is due. Called by one thread at a time. */
    public void sweep() {
        lookAtMissed();
        try {
            timers.sweep();
        } catch (RuntimeException | Error e) { // a task may have been taken out, and not run
            noteMissed();
            throw e;
        }
    }

    private void lookAtMissed() {
        if (!hasMissed) {
            return;
        }
        hasMissed = false;
        boolean looked = false;
        try {
            waiting.forEach(AsyncAcquiring::lookAgain);
            looked = true;
        } finally {
            if (!looked) {
                noteMissed();
            }
        }
    }

    /** Ends every wait, on the calling thread: soon none can be borrowed any more. */
    public void stop() {
        waiting.forEach(AsyncAcquiring::stop);
    }

    /** Returns how many callers and alarms there are. */
    public int size() {
        return waiting.size() + timers.size();
    }
}
