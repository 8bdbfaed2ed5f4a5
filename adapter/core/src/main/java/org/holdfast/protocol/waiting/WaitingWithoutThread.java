// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Callbacks;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.Timers;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.queue.Places;
import org.holdfast.protocol.queue.WaitQueues;
import org.jspecify.annotations.Nullable;

/**
 * A caller that waits in line for a lock without a thread: whenever something happens it borrows one for a moment.
 *
 * <p>At most one thread works for it at any time, whatever happens meanwhile.
 */
final class WaitingWithoutThread {

    /** When the application has no thread to continue futures on, that is checked again so much later. */
    private static final long BLOCKED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** For so long a lease waits for the application to fetch it, however short the request's wait timeout is. */
    private static final long LEAST_DELIVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Threadless threadless;
    private final Time time;
    private final Nodes nodes;
    private final StopFlag stopFlag;
    private final LockRequest request;
    private final Attempts attempts;
    private final Places.Place place;
    private final Function<HeldLock, Lease> lease;
    private final Promise promise = new Promise();

    /** How many events have not been handled yet; the caller that makes it 1 borrows a thread for them. */
    private final AtomicInteger events = new AtomicInteger();

    /** The thread that sets it runs the steps; another that comes meanwhile leaves them to that one. */
    private final AtomicBoolean stepping = new AtomicBoolean();

    private final AtomicBoolean news = new AtomicBoolean();

    /** The thread that sets it decides what becomes of the promise. */
    private final AtomicBoolean settled = new AtomicBoolean();

    private final long wakesBefore;
    private WaitQueues.@Nullable Turn turn;
    private boolean listening;

    /** Waits in a line whose order the nodes know, and they do not know this waiter yet. */
    private boolean unknown;

    /** Has left the line. */
    private boolean over;

    private volatile Timers.@Nullable Alarm alarm;

    /** The lease that waits for a thread of the application on which to be handed out. */
    private volatile @Nullable Lease undelivered;

    private long deliverUntil;

    /**
     * @param threadless what all callers without a thread share
     * @param nodes through which the caller attempts
     * @param lease makes a lease of what was taken
     */
    WaitingWithoutThread(
            Threadless threadless,
            Time time,
            Nodes nodes,
            StopFlag stopFlag,
            LockRequest request,
            Attempts attempts,
            Function<HeldLock, Lease> lease) {
        this.threadless = threadless;
        this.time = time;
        this.nodes = nodes;
        this.stopFlag = stopFlag;
        this.request = request;
        this.attempts = attempts;
        this.place = attempts.place();
        this.lease = lease;
        this.wakesBefore = place.wakes();
    }

    /** Returns the future of a lease; cancelling it withdraws the request. */
    CompletableFuture<Lease> start() {
        promise.whenComplete((got, failure) -> { // if the caller has cancelled it, nothing is to be left behind
            if (!settled.get()) {
                happened();
            }
        });
        threadless.add(this);
        if (stopFlag.isRaised()) { // just now: the closing thread may not have seen this waiter
            stop();
        } else {
            happened();
        }
        return promise;
    }

    /**
     * The service is stopped, and soon no thread can be borrowed any more: leaves the line on the calling thread,
     * unless another one works for it.
     */
    void stop() {
        events.incrementAndGet();
        look();
    }

    private void happened() {
        if (events.getAndIncrement() == 0) {
            threadless.run(this::look);
        }
    }

    /** Handles events until none is left. */
    private void look() {
        while (events.get() > 0 && stepping.compareAndSet(false, true)) {
            try {
                int seen = events.get();
                stepOrFail();
                events.addAndGet(-seen);
            } finally {
                stepping.set(false);
            }
        }
    }

    private void stepOrFail() {
        try {
            if (over) {
                takeBackIfNobodyComes();
            } else {
                step();
            }
        } catch (RuntimeException | Error e) {
            fail(e);
            if (!over) {
                end(null);
            }
        }
    }

    private void step() {
        cancelAlarm();
        if (promise.isDone()) {
            settled.set(true);
            end(null);
            return;
        }
        stopFlag.requireOpen();
        if (isBlocked()) {
            waitForApplication();
            return;
        }
        boolean attempt = turn == null ? join() : takeTurn();
        AcquireResult done = null;
        if (turn != null && turn.handed() != null) {
            done = attempts.takeOver(turn.handed(), nodes);
        } else if (attempt) {
            done = attempts.next(nodes);
        }
        if (done != null) {
            complete(done);
        } else if (place.isOvertaken()) {
            attempts.leave(null);
            turn = null;
            standInLine(); // once more, at its end and with another ticket
        } else if (attempts.left() <= 0) {
            giveUp();
        } else {
            standInLine();
            long left = attempts.left();
            alarm = threadless.in(isFirst() ? Math.min(left, attempts.pause()) : left, this::happened);
        }
    }

    /**
     * Returns whether a lease could not be handed out to the application: its continuations have not returned for a
     * while.
     */
    private boolean isBlocked() {
        return threadless.isBlocked() && (turn == null || turn.handed() == null);
    }

    /** Takes no lock that others want and the application would not fetch. */
    private void waitForApplication() {
        if (turn != null) {
            attempts.leave(null);
            turn = null;
        }
        long left = attempts.left();
        if (left <= 0) {
            end(null);
            fail(LockFailures.blocked(request));
        } else {
            alarm = threadless.in(Math.min(left, BLOCKED_NANOS), this::happened);
        }
    }

    /** Comes for the first time, or again; returns whether to attempt at once. */
    private boolean join() {
        return !attempts.mayWait() || place.isFree();
    }

    private void standInLine() {
        if (turn != null) {
            return;
        }
        if (!listening) {
            listening = true;
            place.subscribe();
        }
        turn = attempts.enter(this::woken);
        unknown = place.isInTurn();
        if (unknown) {
            happened(); // an attempt, so that the nodes know of us
        }
        if (place.wakes() != wakesBefore) { // perhaps for this lock, before we stood in line
            woken();
        }
    }

    /** A holder has released the lock, or a waiter has left; unlike when time has passed. */
    private void woken() {
        news.set(true);
        happened();
    }

    private boolean isFirst() {
        return turn != null && turn.isFirst();
    }

    private boolean takeTurn() {
        if (news.getAndSet(false)) {
            attempts.news();
        }
        boolean attempt = unknown || isFirst() && attempts.left() > 0 && attempts.pause() <= 0;
        unknown = false;
        return attempt;
    }

    /**
     * If no attempt has begun in the line since this request came, it is not known whether the lock is free: one is
     * made.
     */
    private void giveUp() {
        AcquireResult done = attempts.knowsNothing() ? attempts.next(nodes) : null;
        complete(done != null ? done : attempts.givenUp());
    }

    private void complete(AcquireResult done) {
        end(done);
        attempts.done(done);
        if (done instanceof AcquireResult.Held held) {
            deliver(lease.apply(held.heldLock()));
        } else {
            fail(LockFailures.of(done, request, nodes.count()));
        }
    }

    /** Leaves the line. */
    private void end(@Nullable AcquireResult done) {
        over = true;
        if (!(done instanceof AcquireResult.Held)) { // which is still to be handed out
            threadless.remove(this);
        }
        if (turn != null) {
            attempts.leave(done);
        }
        if (listening) {
            place.unsubscribe();
        }
    }

    /**
     * The application's code never runs on a thread of ours: it may block, or ask for another lock and wait for that.
     */
    private void deliver(Lease got) {
        long patience = Math.max(
                LEAST_DELIVERY_NANOS,
                Math.min(attempts.left(), request.ttl().orElseThrow().toNanos()));
        deliverUntil = time.nanoTime() + patience;
        undelivered = got;
        alarm = threadless.in(patience, this::happened);
        threadless.call(Callbacks.Lane.LEASES, this::handOut);
    }

    /** Completes the promise, on a thread of the application. */
    private void handOut() {
        if (settled.compareAndSet(false, true)) {
            cancelAlarm();
            threadless.remove(this);
            Lease got = Objects.requireNonNull(undelivered, "a lease to hand out");
            if (!promise.complete(got)) { // cancelled just now
                got.release();
            }
        }
    }

    /** A lease that the application does not fetch must not be renewed for ever. */
    private void takeBackIfNobodyComes() {
        if (undelivered == null || !isTooLate() || !settled.compareAndSet(false, true)) {
            return;
        }
        cancelAlarm();
        threadless.remove(this);
        try {
            undelivered.release();
        } finally {
            failSettled(stopFlag.isRaised() ? StopFlag.stopped() : LockFailures.undelivered(request));
        }
    }

    private boolean isTooLate() {
        return promise.isDone() || stopFlag.isRaised() || time.nanoTime() - deliverUntil >= 0;
    }

    private void fail(Throwable failure) {
        if (settled.compareAndSet(false, true)) {
            failSettled(failure);
        }
    }

    private void failSettled(Throwable failure) {
        if (promise.fail(failure)) {
            threadless.call(Callbacks.Lane.FAILURES, () -> promise.tell(failure));
        }
    }

    private void cancelAlarm() {
        Timers.Alarm set = alarm;
        if (set != null) {
            threadless.cancel(set);
            alarm = null;
        }
    }
}
