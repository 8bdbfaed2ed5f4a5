// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.function.Consumer;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.Counters;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.queue.Demand;
import org.holdfast.protocol.queue.Patience;
import org.holdfast.protocol.queue.Places;
import org.jspecify.annotations.Nullable;

/** Begins the acquisition of what callers do not have yet, and counts and records what becomes of it. */
public final class Requests {

    private final Time time;
    private final StopFlag stopFlag;
    private final Claims claims;
    private final Places places;
    private final RetryDelay retryDelay;
    private final Counters counters;
    private final Recorder recorder;

    public Requests(
            Time time,
            StopFlag stopFlag,
            Claims claims,
            Places places,
            RetryDelay retryDelay,
            Counters counters,
            Recorder recorder) {
        this.time = time;
        this.stopFlag = stopFlag;
        this.claims = claims;
        this.places = places;
        this.retryDelay = retryDelay;
        this.counters = counters;
        this.recorder = recorder;
    }

    /**
     * Returns the attempts of the calling thread; none has been made yet.
     *
     * @param request with a wait timeout and a TTL
     * @param holder the holder that is to have the lock; null for none in particular
     */
    Attempts begin(LockRequest request, @Nullable Holder holder) {
        Patience patience = new Patience(time, request.waitTimeout().orElseThrow());
        Recorder.Acquiring recorded = recorder.acquiring();
        Demand demand = Demand.of(request);
        Claims.Claiming claiming = claims.begin(demand, holder);
        Consumer<AcquireResult> whenDone = done -> {
            count(done, patience.waitedNanos());
            long token = done instanceof AcquireResult.Held got ? got.heldLock().token() : 0;
            recorded.ended(request, done.code(), token);
        };
        Places.Place place = places.of(demand, claiming::taker, patience);
        return new Attempts(time, stopFlag, patience, claiming, place, retryDelay, whenDone);
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
}
