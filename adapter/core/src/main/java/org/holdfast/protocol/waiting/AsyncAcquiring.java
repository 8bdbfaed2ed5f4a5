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
import org.holdfast.protocol.env.Timers;
import org.holdfast.protocol.lease.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * Drives the acquisition of one caller by events: whenever something happens it borrows a thread for a moment. Hands
 * the lease out to the application.
 *
 * <p>At most one thread works for it at any time, whatever happens meanwhile.
 */
final class AsyncAcquiring {

    /** When the application has no thread to continue futures on, that is checked again so much later. */
    private static final long BLOCKED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** For so long a lease waits for the application to fetch it, however short the request's wait timeout is. */
    private static final long LEAST_DELIVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AsyncAcquirer asyncAcquirer;
    private final WaitContext context;
    private final LockRequest request;
    private final Acquiring acquiring;
    private final Function<HeldLock, Lease> lease;
    private final Promise promise = new Promise();

    /** How many events have not been handled yet; the caller that makes it 1 borrows a thread for them. */
    private final AtomicInteger events = new AtomicInteger();

    /** The thread that sets it runs the steps; another that comes meanwhile leaves them to that one. */
    private final AtomicBoolean stepping = new AtomicBoolean();

    /** The thread that sets it decides what becomes of the promise. */
    private final AtomicBoolean settled = new AtomicBoolean();

    /** Made once: there may be no memory for it when something happens. */
    private final Runnable looking = this::look;

    /** Why there is no lease, until that is told. */
    private volatile @Nullable Throwable failed;

    private boolean failedByUs;

    /** The first attempt has been made. */
    private boolean begun;

    /** The acquisition has ended, in one way or the other. */
    private boolean over;

    private volatile Timers.@Nullable Alarm alarm;

    /** The lease that waits for a thread of the application on which to be handed out. */
    private volatile @Nullable Lease undelivered;

    private long deliverUntil;

    /** @param lease makes a lease of what was taken */
    AsyncAcquiring(
            AsyncAcquirer asyncAcquirer,
            WaitContext context,
            LockRequest request,
            Acquiring acquiring,
            Function<HeldLock, Lease> lease) {
        this.asyncAcquirer = asyncAcquirer;
        this.context = context;
        this.request = request;
        this.acquiring = acquiring;
        this.lease = lease;
    }

    /** Returns the future of a lease; cancelling it withdraws the request. */
    CompletableFuture<Lease> start() {
        promise.whenComplete((got, failure) -> { // if the caller has cancelled it, nothing is to be left behind
            if (!settled.get()) {
                happened();
            }
        });
        arrive();
        if (context.stopFlag().isRaised()) { // just now: the closing thread may not have seen this waiter
            stop();
        } else {
            lookAgain(); // what has happened meanwhile is to be handled, too
        }
        return promise;
    }

    /**
     * Joins the line on the calling thread: requests that it makes one after the other are served in this order. No
     * other thread steps before that is done: it might join the line once more.
     */
    private void arrive() {
        stepping.set(true);
        boolean arrived = false;
        try {
            asyncAcquirer.add(this);
            acquiring.arrive(this::happened);
            arrived = true;
        } finally {
            stepping.set(false);
            if (!arrived) {
                asyncAcquirer.remove(this);
            }
        }
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
            asyncAcquirer.run(looking);
        }
    }

    /** An event may be missing or not handled, or a failure not told, for want of memory. */
    void lookAgain() {
        events.incrementAndGet();
        asyncAcquirer.run(looking);
    }

    /** Handles events until none is left. */
    private void look() {
        while (events.get() > 0 && stepping.compareAndSet(false, true)) {
            int seen = events.get();
            try {
                stepOrFail();
            } finally {
                events.addAndGet(-seen);
                stepping.set(false);
            }
        }
    }

    private void stepOrFail() {
        Throwable untold = failed;
        try {
            if (untold != null) {
                failSettled(untold);
            } else if (over) {
                takeBackIfNobodyComes();
            } else {
                step();
            }
        } catch (RuntimeException | Error e) {
            abandon(e);
        }
    }

    /** Releases what was got: nothing else would. */
    private void abandon(Throwable failure) {
        boolean first = settled.compareAndSet(false, true);
        try {
            if (!over) {
                end();
            }
        } finally {
            if (first) {
                try {
                    discard();
                } finally {
                    failSettled(failure);
                }
            }
        }
    }

    private void discard() {
        Lease got = undelivered;
        if (got != null) {
            got.release();
        } else {
            acquiring.discard();
        }
    }

    private void step() {
        cancelAlarm();
        if (promise.isDone()) {
            settled.set(true);
            asyncAcquirer.remove(this);
            end();
            return;
        }
        context.stopFlag().requireOpen();
        if (asyncAcquirer.isBlocked() && !acquiring.isHandedOff()) {
            waitForApplication();
            return;
        }
        long pause = begun ? acquiring.step() : begin();
        AcquireResult done = acquiring.result();
        if (done != null) {
            complete(done);
        } else if (pause <= 0) {
            happened();
        } else {
            alarm = asyncAcquirer.in(pause, this::happened);
        }
    }

    private long begin() {
        begun = true;
        if (acquiring.attempt(context.forWaiting()) == null) {
            acquiring.enter(this::happened);
        }
        return 0;
    }

    /** The application's continuations have not returned for a while: takes no lock that it would not fetch. */
    private void waitForApplication() {
        acquiring.leaveLine();
        long left = acquiring.left();
        if (left <= 0) {
            end();
            fail(LockFailures.blocked(request));
        } else {
            alarm = asyncAcquirer.in(Math.min(left, BLOCKED_NANOS), this::happened);
        }
    }

    private void complete(AcquireResult done) {
        end();
        if (done instanceof AcquireResult.Held held) {
            deliver(lease.apply(held.heldLock()));
        } else {
            fail(LockFailures.of(done, request));
        }
    }

    /** Leaves the line. */
    private void end() {
        over = true;
        acquiring.leave();
    }

    /**
     * The application's code never runs on a thread of ours: it may block, or ask for another lock and wait for that.
     */
    private void deliver(Lease got) {
        long patience = Math.max(
                LEAST_DELIVERY_NANOS,
                Math.min(acquiring.left(), request.ttl().orElseThrow().toNanos()));
        deliverUntil = context.time().nanoTime() + patience;
        undelivered = got;
        alarm = asyncAcquirer.in(patience, this::happened);
        asyncAcquirer.call(Callbacks.Lane.LEASES, this::handOut);
    }

    /** Completes the promise, on a thread of the application. */
    private void handOut() {
        if (settled.compareAndSet(false, true)) {
            cancelAlarm();
            asyncAcquirer.remove(this);
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
        failSettled(takenBack(undelivered));
    }

    /** Releases the lease; returns why there is none. */
    private Throwable takenBack(Lease late) {
        try {
            late.release();
            return context.stopFlag().isRaised() ? StopFlag.stopped() : LockFailures.undelivered(request);
        } catch (RuntimeException | Error e) { // as without memory
            return e;
        }
    }

    private boolean isTooLate() {
        return promise.isDone()
                || context.stopFlag().isRaised()
                || context.time().nanoTime() - deliverUntil >= 0;
    }

    private void fail(Throwable failure) {
        if (settled.compareAndSet(false, true)) {
            failSettled(failure);
        }
    }

    private void failSettled(Throwable failure) {
        failed = failure;
        try {
            tell(failure);
        } catch (RuntimeException | Error e) { // as without memory: the next sweep has it told
            asyncAcquirer.noteMissed();
        }
    }

    /** Again, if need be: what fails once has failed, and is told once. */
    private void tell(Throwable failure) {
        failedByUs |= promise.fail(failure); // else its caller has completed it, or cancelled it
        if (failedByUs) {
            asyncAcquirer.call(Callbacks.Lane.FAILURES, () -> promise.tell(failure));
        }
        failed = null;
        asyncAcquirer.remove(this);
    }

    private void cancelAlarm() {
        Timers.Alarm set = alarm;
        if (set != null) {
            asyncAcquirer.cancel(set);
            alarm = null;
        }
    }
}
