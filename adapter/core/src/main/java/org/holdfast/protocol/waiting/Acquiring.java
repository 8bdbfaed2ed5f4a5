// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.queue.AskingOrder;
import org.holdfast.protocol.queue.Patience;
import org.holdfast.protocol.queue.Places;
import org.holdfast.protocol.queue.WaitQueues;
import org.holdfast.protocol.quorum.QuorumResult;
import org.jspecify.annotations.Nullable;

/**
 * How one caller gets a lock: an attempt at once, then a wait in line, with attempts whenever they are due.
 *
 * <p>The wait goes step by step. A thread drives it ({@link BlockingWait}), or events do ({@link AsyncAcquiring}). For
 * one thread at a time.
 */
public final class Acquiring {

    private final WaitContext context;
    private final Patience patience;
    private final boolean asksOnce;
    private final Claims.Claiming claiming;
    private final Places.Place place;
    private final Consumer<AcquireResult> whenDone;
    private final FailedAttempts failed;
    private final AskingOrder order;
    private long wakesBefore;
    private @Nullable AcquireResult result;

    /** Null before the caller waits. */
    private @Nullable Wait wait;

    /** Null while the caller does not stand in line. */
    private WaitQueues.@Nullable Turn turn;

    private volatile boolean news;

    /** What a caller has that waits. */
    private record Wait(NextAttempt next, AttemptLimiter.Pass pass, Runnable whenWoken) {}

    /**
     * @param asksOnce whether the caller does not wait for a holder; its patience is for callers that ask at the same
     *     moment, and take each other's votes
     * @param whenDone receives the result, unless the wait ends with an exception
     */
    Acquiring(
            WaitContext context,
            Patience patience,
            boolean asksOnce,
            Claims.Claiming claiming,
            Places.Place place,
            Consumer<AcquireResult> whenDone) {
        this.context = context;
        this.patience = patience;
        this.asksOnce = asksOnce;
        this.failed = new FailedAttempts(asksOnce);
        this.claiming = claiming;
        this.place = place;
        this.whenDone = whenDone;
        this.order = new AskingOrder(context.time(), context.answerNanos());
    }

    /**
     * Attempts once, unless callers wait already; to be called first, and once.
     *
     * @param nodes as the caller reaches them; they are not used any more afterwards
     * @return the result, or null if the caller has to wait
     */
    public @Nullable AcquireResult attempt(Nodes nodes) {
        wakesBefore = place.wakes();
        context.underway().begin();
        try {
            place.awaitReleases();
            if (asksOnce || (turn == null ? place.isFree() : turn.isFirst() && place.isBeforeOthers())) {
                attemptBy(nodes);
            }
        } finally {
            context.underway().end();
        }
        return result;
    }

    /**
     * Joins the end of the line before the first attempt, where it is served in the order in which callers come: for a
     * caller that may not get to its attempt before others that come later. Most readers do not wait, so they do not.
     */
    void arrive(Runnable wake) {
        if (place.isInTurn() && !place.reads() && !asksOnce) {
            turn = place.enter(woken(wake));
        }
    }

    private Runnable woken(Runnable wake) {
        return () -> {
            news = true; // a holder has released the lock, or a waiter has left; unlike when time has passed
            wake.run();
        };
    }

    /** Returns the result; null while it is not known. */
    @Nullable
    AcquireResult result() {
        return result;
    }

    Time.Signal newSignal() {
        return context.time().newSignal();
    }

    /** Returns how much of the wait timeout is left. */
    long left() {
        return patience.left();
    }

    /**
     * Begins to wait: joins the end of the line.
     *
     * @param wake is called when a step may be due, on any thread. Must not block
     */
    void enter(Runnable wake) {
        NextAttempt next = new NextAttempt(new Pace(context.time()), place, failed, context.retryDelay());
        wait = new Wait(next, context.attemptLimiter().new Pass(wake), woken(wake));
        place.subscribe();
        joinLine(wait);
    }

    private WaitQueues.Turn joinLine(Wait waiting) {
        WaitQueues.Turn joined = turn != null ? turn : place.enter(waiting.whenWoken());
        turn = joined;
        place.stay();
        if (place.isInTurn()) {
            order.joined(joined);
        }
        failed.noteLast(place::note);
        if (place.wakes() != wakesBefore) { // perhaps for this lock, before we stood in line
            news = true;
        }
        return joined;
    }

    /** Leaves the line, and comes again with the next step. */
    void leaveLine() {
        if (turn != null) {
            turn = null;
            if (wait != null) {
                wait.pass().leave();
            }
            context.underway().begin();
            try {
                place.leave(result instanceof AcquireResult.Held held ? held.heldLock() : null);
            } finally {
                context.underway().end();
            }
        }
    }

    /** Ends the wait, however it came to its end. */
    void leave() {
        try {
            leaveLine();
        } finally {
            place.unsubscribe();
        }
    }

    /**
     * Does what is due now.
     *
     * @return for how long nothing is due unless the caller is woken; means nothing when the result is known
     */
    long step() {
        Wait waiting = Objects.requireNonNull(wait, "enter comes before");
        WaitQueues.Turn mine = turn != null ? turn : joinLine(waiting);
        HeldLock handed = mine.handed();
        if (handed != null) {
            settle(AcquireResult.held(claiming.takeOver(handed, context.forWaiting())));
            return 0;
        }
        context.stopFlag().requireOpen(); // a stop of the service wakes every waiter
        if (news) {
            news = false;
            waiting.next().hasten();
        }
        boolean over = left() <= 0; // read once: a wait that ends during this step ends with the next one
        if (isAttemptDue(mine, waiting.next(), over)) {
            if (!waiting.pass().enter()) { // woken when it may
                return pauseOutside();
            }
            attemptInside(mine, waiting.pass());
        } else {
            waiting.pass().leave();
        }
        if (result == null && over) {
            settle(givenUp());
        }
        return result != null || turn == null ? 0 : pauseInLine(mine, waiting.next());
    }

    /** Nodes that hang keep all the attempts that there may be: the caller cannot wait until each line had its own. */
    private long pauseOutside() {
        long left = left();
        long longest = left > 0 ? left : left + context.answerNanos();
        if (asksOnce && left <= 0) {
            settle(givenUp()); // it has asked, at least
        } else if (longest <= 0) {
            Map<String, String> busy = Map.of("this process", "too many attempts of other callers were under way");
            settle(new AcquireResult.Unavailable(context.forWaiting().count(), busy, patience.waited()));
        }
        return longest;
    }

    /** Returns whether a holder of this process has handed its lock off to the caller. */
    boolean isHandedOff() {
        return turn != null && turn.handed() != null;
    }

    /**
     * A caller whose time ends, and in whose line no attempt has begun since it came, does not know whether the lock is
     * free or the nodes are out of reach: it asks once. Its result serves all callers that came before, so of many only
     * as many ask as may attempt at the same time. A waiter that the nodes do not know yet asks so that they do.
     */
    private boolean isAttemptDue(WaitQueues.Turn mine, NextAttempt next, boolean over) {
        boolean isDue = order.isWaiting() ? order.mayAsk(next.pause()) : mine.isFirst() && next.pause() <= 0;
        return over ? found() == null : isDue;
    }

    private void attemptInside(WaitQueues.Turn mine, AttemptLimiter.Pass pass) {
        boolean asks = order.isWaiting() && order.mayAsk(0); // else its time may be over, and it only asks for the lock
        if (asks) {
            order.asks();
            place.show();
        }
        try {
            attemptBy(context.forWaiting());
        } finally {
            pass.leave();
        }
        if (result == null && place.isOvertaken()) { // by the nodes: once more to the end of the line
            leaveLine();
        } else if (result == null && asks && place.isNew()) {
            order.hasAskedInVain(mine);
        }
    }

    private long pauseInLine(WaitQueues.Turn mine, NextAttempt next) {
        long inPlace = mine.isFirst() ? next.pause() : left();
        long longest = order.isWaiting() ? order.pause(next.pause()) : inPlace;
        return Math.min(left(), longest);
    }

    private void attemptBy(Nodes nodes) {
        settle(next(nodes));
        if (asksOnce && result == null && !isSplit(nodes)) {
            settle(givenUp());
        } else if (asksOnce && wait == null) {
            patience.lastFor(failed.splitNanos()); // the first attempt may have taken long
        }
    }

    /** Callers that ask at the same moment may take each other's votes: then none of them has the lock. */
    private boolean isSplit(Nodes nodes) {
        return failed.hadVotes() && claiming.isFree(nodes, deadline());
    }

    private void settle(@Nullable AcquireResult done) {
        result = done;
        if (done != null) {
            try {
                whenDone.accept(done);
            } catch (RuntimeException | Error e) {
                discard();
                throw e;
            }
        }
    }

    /** Releases what the caller got and cannot have: nothing else would. */
    void discard() {
        if (result instanceof AcquireResult.Held held) {
            result = null;
            place.giveBack(held.heldLock());
        }
    }

    /** Attempts once; returns null if another attempt may succeed. */
    private @Nullable AcquireResult next(Nodes nodes) {
        context.stopFlag().requireOpen();
        long started = context.time().nanoTime();
        long local = place.isNew() ? 0 : place.keptOutNanos();
        QuorumResult found = local > 0
                ? new QuorumResult.Contended(local / 1_000_000, false)
                : claiming.attempt(nodes, place, deadline(), asksOnce);
        if (found instanceof QuorumResult.TokenTooSmall || found instanceof QuorumResult.TokenOutOfDate) {
            // with a token that is past the one on record, or new: this costs one round, once
            found = claiming.attempt(nodes, place, deadline(), asksOnce);
        }
        if (found instanceof QuorumResult.Acquired) {
            return AcquireResult.held(Objects.requireNonNull(claiming.held()));
        }
        remember(found, started);
        return found instanceof QuorumResult.ClockSkewed ? new AcquireResult.ClockSkewed() : null;
    }

    /** Nodes have their time to answer: an attempt that is cut short could not tell contention from an outage. */
    private long deadline() {
        long longest = Long.MAX_VALUE / 2;
        return context.time().nanoTime() + (wait == null ? longest : Math.min(left(), longest) + context.answerNanos());
    }

    private void remember(QuorumResult found, long started) {
        failed.add(found, started, context.time().nanoTime());
        place.note(found, started);
        if (wait != null) {
            wait.next().attempted(found);
        }
        place.attempted(found);
    }

    /**
     * A caller that waits behind others uses their result, if they asked after it came: the result of an earlier
     * attempt may be from before an outage. Null if none of them has asked.
     */
    @Nullable
    QuorumResult found() {
        WaitQueues.Found others = place.found();
        return others != null && patience.hasBegunBy(others.begun()) && failed.areBefore(others.begun())
                ? others.quorumResult()
                : failed.last();
    }

    /**
     * Returns the result when there is no more time.
     *
     * @throws IllegalStateException if the service was stopped meanwhile: the lock may well be free
     */
    private AcquireResult givenUp() {
        context.stopFlag().requireOpen();
        return AcquireResult.givenUp(found(), context.forWaiting().count(), patience.waited());
    }
}
