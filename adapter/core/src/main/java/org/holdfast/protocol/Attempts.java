// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.node.Ticket;
import org.holdfast.protocol.quorum.QuorumResult;

/**
 * The attempts of one caller to get what it asks for: what to send, how long to pause, and the result.
 *
 * <p>Knows nothing of threads: the caller waits as it likes. For one thread at a time.
 */
final class Attempts {

    private final LeaseManager manager;
    private final LockRequest request;
    private final Holder holder;
    private final long threadId;
    private final String asking;
    private final WaitQueues.Line line;
    private final List<String> names;
    private final long waitNanos;
    private final long begun;
    private final Recorder.Acquiring recorded;
    private int permit;
    private int failed;
    private int failedSinceNews;
    private QuorumResult last;
    private long lastBegun;
    private WaitQueues.Turn turn;

    /** Null until it stands in line. */
    private Pace pace;

    private Ticket ticket;
    private boolean overtaken;
    private HeldLock held;
    private volatile Recorder.Queueing queueing;

    /**
     * @param request with a wait timeout and a TTL
     * @param holder the holder that is to have the lock; null for none in particular
     */
    Attempts(LeaseManager manager, LockRequest request, Holder holder) {
        this.manager = manager;
        this.request = request;
        this.holder = holder;
        this.asking = holder == null ? Thread.currentThread().getName() : holder.describe();
        this.threadId = Thread.currentThread().getId();
        this.begun = manager.time().nanoTime();
        this.recorded = manager.recorder().acquiring();
        this.waitNanos = saturatedNanos(request.waitTimeout().orElseThrow());
        this.names = request.names().size() == 1
                ? request.names()
                : request.names().stream().sorted().toList(); // all callers that ask for them wait in the same line
        this.line = new WaitQueues.Line(names.get(0), kind(request));
        if (request.permits() > 1) {
            permit = (int) manager.randomness().below(request.permits());
        }
    }

    private static WaitQueues.Kind kind(LockRequest request) {
        if (request.mode() == LockMode.PERMIT) {
            return WaitQueues.Kind.PERMIT;
        }
        return request.fair() || request.mode() != LockMode.EXCLUSIVE
                ? WaitQueues.Kind.IN_TURN
                : WaitQueues.Kind.FREE_FOR_ALL;
    }

    LockRequest request() {
        return request;
    }

    /** Returns the line to wait in. */
    WaitQueues.Line line() {
        return line;
    }

    /** Returns all names that are asked for, in the order that every caller uses. */
    List<String> names() {
        return names;
    }

    /** Returns whether the nodes know the waiters. */
    boolean isInTurn() {
        return line.kind() == WaitQueues.Kind.IN_TURN;
    }

    /** Returns whether there is time to wait at all. */
    boolean mayWait() {
        return waitNanos > 0;
    }

    /** Returns how much of the wait timeout is left. */
    long left() {
        return waitNanos - (manager.time().nanoTime() - begun);
    }

    long ttlNanos() {
        return request.ttl().orElseThrow().toNanos();
    }

    /** Draws a ticket, in the order of the line. */
    private void drawTicket() {
        ticket = new Ticket(
                request.name(),
                new Owner(manager.randomness().uniqueId()),
                manager.tokens().next(0),
                request.mode() == LockMode.READ,
                false,
                manager.timing().ticketTtl().toMillis());
        overtaken = false;
    }

    /** Returns whether the ticket has no place on the nodes: another has to be drawn, at the end of the line. */
    boolean isOvertaken() {
        return overtaken;
    }

    /** Returns how long to wait before the next attempt, unless a release wakes us; 0 or less if it is time. */
    long pause() {
        if (!pace.isSet()) {
            pace.set(pauseForOutcome());
        }
        return Math.max(pace.nanosLeft(), handoffYield());
    }

    /** Returns for how long other processes are to go first; 0 or less if they are not. */
    long handoffYield() {
        return isInTurn() ? 0 : manager.handoffYield().nanosLeft(request.name());
    }

    private long pauseForOutcome() {
        long local = localRemaining(); // while this process holds the lock the nodes need not be asked
        if (local > 0 || failed == 0) {
            return local;
        }
        boolean heard = last instanceof QuorumResult.Contended
                && names.stream().allMatch(manager.notifications()::isSubscribed);
        if (!heard) {
            return manager.retryDelay().nanosAfter(failed);
        }
        return manager.retryDelay()
                .nanosWhileHeard(Math.max(1, failedSinceNews), ((QuorumResult.Contended) last).remainingMillis());
    }

    /**
     * Something has changed, or seems to have: it is time for an attempt, unless so many attempts failed that
     * announcements are not believed at once any more.
     */
    void news() {
        pause(); // else the pace knows of no attempt to hasten
        if (pace.hasten()) {
            failedSinceNews = 0; // contenders may take each other's votes now, which no release ends
        }
    }

    /** Attempts once; returns null if another attempt may succeed. */
    AcquireResult next(Nodes nodes) {
        manager.stopFlag().requireOpen();
        long started = manager.time().nanoTime();
        long local = ticket != null && !ticket.known() ? 0 : localRemaining();
        QuorumResult quorumResult = local > 0 ? new QuorumResult.Contended(local / 1_000_000) : attempt(nodes);
        if (quorumResult instanceof QuorumResult.TokenTooSmall || quorumResult instanceof QuorumResult.TokenOutOfDate) {
            quorumResult =
                    attempt(nodes); // with a token that is past the one on record, or new: this costs one round, once
        }
        if (quorumResult instanceof QuorumResult.Acquired) {
            return new AcquireResult.Held(held);
        }
        remember(quorumResult, started);
        return quorumResult instanceof QuorumResult.ClockSkewed ? new AcquireResult.ClockSkewed() : null;
    }

    private void remember(QuorumResult quorumResult, long started) {
        boolean cutShort = quorumResult instanceof QuorumResult.Undetermined && failed > 0 && left() <= 0;
        if (!cutShort) { // an attempt that had no time to learn anything does not change what is known
            last = quorumResult;
            lastBegun = started;
            noteForOthers();
        }
        failed++;
        failedSinceNews++;
        if (pace != null) {
            pace.attempted();
            if (quorumResult instanceof QuorumResult.Contended other) {
                pace.foundHeld(TimeUnit.MILLISECONDS.toNanos(other.remainingMillis()));
            }
        }
        if (quorumResult instanceof QuorumResult.Overtaken late) {
            manager.tokens().observe(late.last());
            overtaken = ticket != null; // a caller without one has no place to lose: that node is faulty
        } else if (quorumResult instanceof QuorumResult.TokenOutOfDate) {
            overtaken = ticket != null && !ticket.known(); // its number may be what is too far ahead
        } else if (ticket != null && !ticket.known() && quorumResult instanceof QuorumResult.Contended) {
            ticket = ticket.accepted();
            manager.tickets().keep(ticket, left());
        }
    }

    /** Returns for how long this process itself keeps others out. */
    private long localRemaining() {
        long now = manager.time().nanoTime();
        long longest = 0;
        for (String name : names) {
            for (HeldLock heldLock : manager.heldLocks().of(name)) {
                if (keepsOut(heldLock)) {
                    longest = Math.max(longest, heldLock.remainingNanos(now));
                }
            }
        }
        return longest;
    }

    private boolean keepsOut(HeldLock heldLock) {
        if (request.mode() == LockMode.PERMIT || heldLock.isPermit()) {
            return false;
        }
        return request.mode() != LockMode.READ || !heldLock.isReading();
    }

    private QuorumResult attempt(Nodes nodes) {
        if (request.mode() != LockMode.PERMIT) {
            return attempt(nodes, request.mode() == LockMode.READ ? new Target.Shared(request.name()) : alone());
        }
        QuorumResult quorumResult = attempt(nodes, new Target.Permit(request.name(), permit));
        if (!(quorumResult instanceof QuorumResult.Contended)) {
            return quorumResult;
        }
        Command.FindPermit find = new Command.FindPermit(
                request.name(), request.permits(), (int) manager.randomness().below(request.permits()));
        OptionalInt free = manager.redlock().findPermit(nodes, find, deadline());
        if (free.isEmpty() || free.getAsInt() >= request.permits()) {
            return quorumResult;
        }
        permit = free.getAsInt();
        return attempt(nodes, new Target.Permit(request.name(), permit));
    }

    private Target alone() {
        return new Target.Exclusive(names);
    }

    private QuorumResult attempt(Nodes nodes, Target target) {
        long ttlMillis = TimeUnit.NANOSECONDS.toMillis(ttlNanos());
        int more = isPassedOn() ? Handoff.MOST : 0;
        long token = manager.tokens().next(more);
        HolderInfo holderInfo = holderInfo(token);
        Claim claim = new Claim(
                target,
                new Owner(manager.randomness().uniqueId()).describedAs(holderInfo.text()),
                token,
                token + more,
                ttlMillis,
                manager.timing().fenceMillis(ttlMillis));
        Optional<Command.Queueing> queueing =
                isInTurn() ? Optional.of(new Command.Queueing(Optional.ofNullable(ticket))) : Optional.empty();
        long standstillsBefore = manager.grants().standstills();
        QuorumResult quorumResult = manager.redlock()
                .acquire(
                        nodes,
                        new Command.Acquire(claim, queueing, manager.timing().maxSkewMicros()),
                        deadline());
        if (quorumResult instanceof QuorumResult.TokenTooSmall refused) {
            manager.tokens().observe(refused.last());
        } else if (quorumResult instanceof QuorumResult.ClockSkewed
                || quorumResult instanceof QuorumResult.TokenOutOfDate) {
            manager.tokens().forget();
        } else if (quorumResult instanceof QuorumResult.Acquired acquired) {
            HeldLock.Cohort cohort = new HeldLock.Cohort(acquired.startedNanos(), 0, standstillsBefore);
            held = manager.grants()
                    .keep(claim, cohort, new HeldLock.Taker(holder, holderInfo, threadId), terms(), acquired, nodes);
            return manager.grants().loseIfStoodStill(held) ? stoodStill() : quorumResult;
        }
        return quorumResult;
    }

    /** How the taker of the lock is described to others. */
    private HolderInfo holderInfo(long token) {
        long sinceMillis = manager.time().epochMicros() / 1_000;
        return new HolderInfo(manager.processInfo(), asking, request.mode(), token, sinceMillis);
    }

    private static QuorumResult stoodStill() {
        return new QuorumResult.Undetermined(Map.of("this process", "its clock stood still"));
    }

    private HeldLock.Terms terms() {
        return new HeldLock.Terms(request.renewal(), request.maxHold(), request.atLeast());
    }

    /** Returns whether waiters in this process may have the lock one after the other. */
    private boolean isPassedOn() {
        return line.kind() == WaitQueues.Kind.FREE_FOR_ALL
                && names.size() == 1
                && request.renewal()
                && request.atLeast().isEmpty();
    }

    /** Takes over from a holder in this process that does not need the lock any more; null if it does not fit. */
    private HeldLock inherit(HeldLock old) {
        boolean fits = isPassedOn()
                && old.isAlone()
                && old.isRenewed()
                && old.claim().target().names().equals(names)
                && old.claim().ttlMillis() == request.ttl().orElseThrow().toMillis()
                && left() > 0;
        return fits
                ? manager.handoff()
                        .toNext(old, new HeldLock.Taker(holder, holderInfo(old.token() + 1), threadId), terms())
                : null;
    }

    /** Joins the end of the line. */
    WaitQueues.Turn enter(Runnable wake) {
        if (pace == null) {
            pace = new Pace(manager.time());
        }
        turn = manager.waitQueues().enter(line, names, waiter(wake));
        noteForOthers();
        return turn;
    }

    private void noteForOthers() {
        if (turn != null && last != null) {
            turn.found(new WaitQueues.Found(last, lastBegun));
        }
    }

    private WaitQueues.Waiter waiter(Runnable wake) {
        return new WaitQueues.Waiter() {
            @Override
            public void wake() {
                wake.run();
            }

            @Override
            public void joined() {
                queueing = manager.recorder().queueing();
                if (isInTurn()) {
                    drawTicket();
                }
            }

            @Override
            public HeldLock inherit(HeldLock old) {
                return Attempts.this.inherit(old);
            }
        };
    }

    /**
     * Leaves the line, and leaves nothing there.
     *
     * @param done the result; null if the caller gave up or comes again
     */
    void leave(AcquireResult done) {
        HeldLock got = done instanceof AcquireResult.Held acquired ? acquired.heldLock() : null;
        HeldLock handed = turn.leave();
        queueing.ended(line.lock(), line.kind().name(), got != null);
        if (handed != null && handed != got) { // just now, and too late
            manager.leases().giveBack(List.of(new LeaseShare(handed, false)));
        }
        if (ticket != null) {
            manager.tickets().leave(ticket, got == null && !overtaken);
        }
    }

    /** The first attempt has all the time it needs; later ones end with the wait timeout. */
    private long deadline() {
        long now = manager.time().nanoTime();
        return now + (failed == 0 ? Long.MAX_VALUE / 2 : Math.min(left(), Long.MAX_VALUE / 2));
    }

    /** Counts the result. */
    void count(AcquireResult done) {
        manager.counters().note(done, manager.time().nanoTime() - begun);
        long token = done instanceof AcquireResult.Held got ? got.heldLock().token() : 0;
        recorded.ended(request, done.quorumResult(), token);
    }

    /**
     * Returns whether nothing is known of the lock: neither this caller nor another in its line has asked since this
     * one came.
     */
    boolean knowsNothing() {
        return found() == null;
    }

    /**
     * A caller that waits behind others uses their result, if they asked after it came: the result of an earlier
     * attempt may be from before an outage.
     */
    private QuorumResult found() {
        WaitQueues.Found others = turn == null ? null : turn.found();
        boolean counts =
                others != null && others.begun() - begun >= 0 && (last == null || others.begun() - lastBegun > 0);
        return counts ? others.quorumResult() : last;
    }

    /**
     * Returns the result when there is no more time.
     *
     * @throws IllegalStateException if the service was stopped meanwhile: the lock may well be free
     */
    AcquireResult givenUp() {
        manager.stopFlag().requireOpen();
        Duration waited = Duration.ofNanos(manager.time().nanoTime() - begun);
        QuorumResult found = found();
        if (found instanceof QuorumResult.Unavailable unavailable) {
            return new AcquireResult.Unavailable(unavailable.failures(), waited);
        }
        if (found instanceof QuorumResult.Undetermined undetermined) {
            return new AcquireResult.Unavailable(undetermined.failures(), waited);
        }
        return new AcquireResult.TimedOut(waited);
    }

    private static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }
}
