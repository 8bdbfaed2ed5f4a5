// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.Counters;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.queue.Demand;
import org.holdfast.protocol.queue.Patience;
import org.holdfast.protocol.queue.Places;
import org.jspecify.annotations.Nullable;

/** Begins the acquisition of locks that callers do not have yet, and counts and records what becomes of it. */
public final class Acquirer {

    private final WaitContext context;
    private final Claims claims;
    private final Places places;
    private final AsyncAcquirer asyncAcquirer;
    private final Counters counters;
    private final Recorder recorder;

    public Acquirer(
            WaitContext context,
            Claims claims,
            Places places,
            AsyncAcquirer asyncAcquirer,
            Counters counters,
            Recorder recorder) {
        this.context = context;
        this.claims = claims;
        this.places = places;
        this.asyncAcquirer = asyncAcquirer;
        this.counters = counters;
        this.recorder = recorder;
    }

    /**
     * Returns the acquisition of the calling thread; no attempt has been made yet.
     *
     * @param request with a wait timeout and a TTL
     * @param holder the holder that is to have the lock; null for none in particular
     * @throws org.holdfast.InvalidLockRequestException if its names cannot be taken together
     */
    public Acquiring begin(LockRequest request, @Nullable Holder holder) {
        context.forWaiting().requireTogether(request.names());
        Duration wait = request.waitTimeout().orElseThrow();
        boolean asksOnce = wait.isZero();
        Patience patience = new Patience(context.time(), asksOnce ? RetryDelay.SPLIT : wait);
        Recorder.Acquiring recorded = recorder.acquiring();
        Demand demand = Demand.of(request);
        Claims.Claiming claiming = claims.begin(demand, holder);
        Places.Place place = places.of(demand, claiming::taker, patience);
        Consumer<AcquireResult> whenDone = done -> {
            long waited = patience.waitedNanos();
            count(done, waited);
            if (place.hasWaited()) {
                counters.countWaited(request.name(), waited);
            }
            long token = done instanceof AcquireResult.Held got ? got.heldLock().token() : 0;
            recorded.ended(request, done.code(), token);
        };
        return new Acquiring(context, patience, asksOnce, claiming, place, whenDone);
    }

    /**
     * Waits for so long, without an attempt: the caller asks for a lock that it has itself.
     *
     * @param closing ends the wait when it is raised
     * @throws IllegalStateException if the service is stopped, or the caller's connection is closed
     */
    public void waitInVain(long nanos, StopFlag closing) throws InterruptedException {
        Time.Signal signal = context.time().newSignal();
        Runnable wake = signal::raise;
        List<StopFlag> ends = List.of(context.stopFlag(), closing);
        ends.forEach(end -> end.onRaise(wake));
        try {
            ends.forEach(StopFlag::requireOpen);
            signal.await(nanos);
            ends.forEach(StopFlag::requireOpen);
        } finally {
            ends.forEach(end -> end.forget(wake));
        }
    }

    private void count(AcquireResult done, long nanos) {
        if (done instanceof AcquireResult.Held) {
            counters.countAcquired(nanos);
        } else if (done instanceof AcquireResult.TimedOut) {
            counters.countTimedOut();
        } else {
            counters.countUnavailable();
        }
    }

    /**
     * Takes the lock for no certain holder, without a thread that waits.
     *
     * @param lease makes a lease of what was taken
     */
    public CompletableFuture<Lease> acquireAsync(LockRequest request, Function<HeldLock, Lease> lease) {
        context.stopFlag().requireOpen();
        return asyncAcquirer.acquire(request, begin(request, null), lease);
    }
}
