// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.holdfast.Lease;

/**
 * Somebody who stands in line for a lock and has no thread there: whenever something happens one is borrowed for a moment.
 *
 * <p>At most one thread is at it at any time, whatever happens meanwhile.
 */
final class WaitingWithoutThread {

    /** When no thread is to be had, one is asked for again so much later. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final LeaseManager manager;
    private final WaitingRoom waitingRoom;
    private final Attempts attempts;
    private final Function<Hold, Lease> lease;
    private final CompletableFuture<Lease> promise = new CompletableFuture<>();

    /** How much has happened that nobody has looked at yet; whoever makes it 1 gets a thread for it. */
    private final AtomicInteger events = new AtomicInteger();

    private final AtomicBoolean news = new AtomicBoolean();
    private final long wakesBefore;
    private WaitingRoom.Turn turn;
    private Timers.Alarm alarm;
    private boolean listening;

    /** Stands in a line whose order the nodes know, and they do not know of us yet. */
    private boolean unknown;

    private boolean over;

    WaitingWithoutThread(LeaseManager manager, Attempts attempts, Function<Hold, Lease> lease) {
        this.manager = manager;
        this.waitingRoom = manager.waitingRoom();
        this.attempts = attempts;
        this.lease = lease;
        this.wakesBefore = waitingRoom.wakes();
    }

    /** Returns what is completed with a lease; to cancel it takes the request back. */
    CompletableFuture<Lease> start() {
        promise.whenComplete((got, failure) -> happened()); // cancelled by who asked: nothing is to be left behind
        manager.threadless().add(this);
        if (manager.isClosed()) { // just now: who closes may not have seen us
            stop();
        }
        happened();
        return promise;
    }

    /** The service is stopped: nobody lends threads any more. */
    void stop() {
        promise.completeExceptionally(new IllegalStateException("the lock service has been stopped"));
    }

    private void happened() {
        if (events.getAndIncrement() == 0) {
            borrowThread();
        }
    }

    private void borrowThread() {
        try {
            manager.threads().execute(this::look);
        } catch (RuntimeException | OutOfMemoryError e) { // no thread to be had now; or never again, if we are stopped
            manager.timers().in(PAUSE_NANOS, this::borrowThread);
        }
    }

    /** Looks until nothing has happened since. */
    private void look() {
        int seen;
        do {
            seen = events.get();
            try {
                step();
            } catch (RuntimeException | Error e) {
                promise.completeExceptionally(e);
                if (!over) {
                    end(null);
                }
            }
        } while (!events.compareAndSet(seen, 0));
    }

    private void step() {
        if (over) {
            return;
        }
        if (alarm != null) {
            manager.timers().cancel(alarm);
            alarm = null;
        }
        if (promise.isDone()) {
            end(null);
            return;
        }
        boolean attempt = turn == null ? join() : takeTurn();
        Acquisition done = null;
        if (turn != null && turn.handed() != null) {
            done = manager.takeOver(turn.handed(), manager.forWaiting());
        } else if (attempt) {
            done = attempts.next(manager.forWaiting());
        }
        if (done != null) {
            complete(done);
        } else if (attempts.isOvertaken()) {
            attempts.leave(turn, null);
            turn = null;
            standInLine(); // once more, at its end and with another ticket
        } else if (attempts.left() <= 0) {
            complete(attempts.givenUp());
        } else {
            standInLine();
            long left = attempts.left();
            alarm = manager.timers().in(turn.isFirst() ? Math.min(left, attempts.pause()) : left, this::happened);
        }
    }

    /** Comes for the first time, or again; returns whether to attempt at once. */
    private boolean join() {
        return !attempts.mayWait() || !waitingRoom.isWaitedFor(attempts.line()) && attempts.courtesy() <= 0;
    }

    private void standInLine() {
        if (turn != null) {
            return;
        }
        if (!listening) {
            listening = true;
            attempts.names().forEach(manager.announcements()::listen);
        }
        turn = waitingRoom.enter(attempts.line(), attempts.names(), attempts.waiter(this::woken));
        unknown = attempts.isInTurn();
        if (unknown) {
            happened(); // an attempt, so that the nodes know of us
        }
        if (waitingRoom.wakes() != wakesBefore) { // perhaps for this lock, before we stood in line
            woken();
        }
    }

    /** Somebody has released the lock, or gone; unlike when time has passed. */
    private void woken() {
        news.set(true);
        happened();
    }

    private boolean takeTurn() {
        if (news.getAndSet(false)) {
            attempts.news();
        }
        boolean attempt = unknown || turn.isFirst() && attempts.left() > 0 && attempts.courtesy() <= 0;
        unknown = false;
        return attempt;
    }

    private void complete(Acquisition done) {
        end(done);
        attempts.count(done);
        if (done instanceof Acquisition.Held held) {
            Lease got = lease.apply(held.hold());
            if (!promise.complete(got)) { // cancelled just now
                got.release();
            }
        } else {
            promise.completeExceptionally(LockFailures.of(
                    done, attempts.request(), manager.forWaiting().count()));
        }
    }

    private void end(Acquisition done) {
        over = true;
        manager.threadless().remove(this);
        if (turn != null) {
            attempts.leave(turn, done);
        }
        if (listening) {
            attempts.names().forEach(manager.announcements()::ignore);
        }
    }
}
