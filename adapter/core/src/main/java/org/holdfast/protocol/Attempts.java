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

/**
 * The attempts of one caller to get what it asks for: what to send, how long to pause, and what came of it.
 *
 * <p>Knows nothing of threads: the caller waits as it likes. For one thread at a time.
 */
final class Attempts {

    private final LeaseManager manager;
    private final LockRequest request;
    private final Holder holder;
    private final long threadId;
    private final String asking;
    private final WaitingRoom.Line line;
    private final List<String> names;
    private final long waitNanos;
    private final long begun;
    private final Recorder.Acquiring recorded;
    private int permit;
    private int failed;
    private int failedSinceNews;
    private Outcome last;
    private long lastBegun;
    private WaitingRoom.Turn turn;

    /** Null until it stands in line. */
    private Pace pace;

    private Ticket ticket;
    private boolean overtaken;
    private Hold held;
    private volatile Recorder.Queueing queueing;

    /**
     * @param request with a wait timeout and a TTL
     * @param holder who will hold the lock; null for nobody in particular
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
                : request.names().stream().sorted().toList(); // all who ask for them stand in the line of the same one
        this.line = new WaitingRoom.Line(names.get(0), kind(request));
        if (request.permits() > 1) {
            permit = (int) manager.randomness().below(request.permits());
        }
    }

    private static WaitingRoom.Kind kind(LockRequest request) {
        if (request.mode() == LockMode.PERMIT) {
            return WaitingRoom.Kind.PERMIT;
        }
        return request.fair() || request.mode() != LockMode.EXCLUSIVE
                ? WaitingRoom.Kind.IN_TURN
                : WaitingRoom.Kind.FREE_FOR_ALL;
    }

    LockRequest request() {
        return request;
    }

    /** Returns the line to wait in. */
    WaitingRoom.Line line() {
        return line;
    }

    /** Returns all names that are asked for, in the order that everybody uses. */
    List<String> names() {
        return names;
    }

    /** Returns whether the nodes know of those who wait. */
    boolean isInTurn() {
        return line.kind() == WaitingRoom.Kind.IN_TURN;
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
                manager.randomness().newOwner(),
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
        return Math.max(pace.nanosLeft(), courtesy());
    }

    /** Returns how long others are to go first; 0 or less if nobody is. */
    long courtesy() {
        return isInTurn() ? 0 : manager.courtesy().nanosLeft(request.name());
    }

    private long pauseForOutcome() {
        long local = localRemaining(); // while this process holds the lock the nodes have nothing to say
        if (local > 0 || failed == 0) {
            return local;
        }
        boolean heard = last instanceof Outcome.Contended && names.stream().allMatch(manager.announcements()::isHeard);
        if (!heard) {
            return manager.retryDelay().nanosAfter(failed);
        }
        return manager.retryDelay()
                .nanosWhileHeard(Math.max(1, failedSinceNews), ((Outcome.Contended) last).remainingMillis());
    }

    /**
     * Something has changed, or seems to have: it is time for an attempt, unless so many came to nothing that announcements are
     * not believed at once any more.
     */
    void news() {
        pause(); // else the pace knows of no attempt to hasten
        if (pace.hasten()) {
            failedSinceNews = 0; // contenders may take each other's votes now, which no release ends
        }
    }

    /** Attempts once; null if it is worth to attempt again. */
    Acquisition next(Nodes nodes) {
        manager.requireOpen();
        long started = manager.time().nanoTime();
        long local = ticket != null && !ticket.known() ? 0 : localRemaining();
        Outcome outcome = local > 0 ? new Outcome.Contended(local / 1_000_000) : attempt(nodes);
        if (outcome instanceof Outcome.TokenTooSmall || outcome instanceof Outcome.TokenOutOfDate) {
            outcome = attempt(nodes); // with a token that is past the one on record, or new: this costs one round, once
        }
        if (outcome instanceof Outcome.Acquired) {
            return new Acquisition.Held(held);
        }
        remember(outcome, started);
        return outcome instanceof Outcome.ClockSkewed ? new Acquisition.ClockSkewed() : null;
    }

    private void remember(Outcome outcome, long started) {
        boolean cutShort = outcome instanceof Outcome.Undetermined && failed > 0 && left() <= 0;
        if (!cutShort) { // an attempt that had no time to learn anything does not change what is known
            last = outcome;
            lastBegun = started;
            noteForOthers();
        }
        failed++;
        failedSinceNews++;
        if (pace != null) {
            pace.attempted();
            if (outcome instanceof Outcome.Contended other) {
                pace.foundHeld(TimeUnit.MILLISECONDS.toNanos(other.remainingMillis()));
            }
        }
        if (outcome instanceof Outcome.Overtaken late) {
            manager.tokens().observe(late.last());
            overtaken = ticket != null; // who has none cannot lose its place: that node talks nonsense
        } else if (outcome instanceof Outcome.TokenOutOfDate) {
            overtaken = ticket != null && !ticket.known(); // its number may be what is too far ahead
        } else if (ticket != null && !ticket.known() && outcome instanceof Outcome.Contended) {
            ticket = ticket.accepted();
            manager.tickets().keep(ticket, left());
        }
    }

    /** Returns for how long this process itself keeps others out. */
    private long localRemaining() {
        long now = manager.time().nanoTime();
        long longest = 0;
        for (String name : names) {
            for (Hold hold : manager.holds().of(name)) {
                if (keepsOut(hold)) {
                    longest = Math.max(longest, hold.remainingNanos(now));
                }
            }
        }
        return longest;
    }

    private boolean keepsOut(Hold hold) {
        if (request.mode() == LockMode.PERMIT || hold.isPermit()) {
            return false;
        }
        return request.mode() != LockMode.READ || !hold.isReading();
    }

    private Outcome attempt(Nodes nodes) {
        if (request.mode() != LockMode.PERMIT) {
            return attempt(nodes, request.mode() == LockMode.READ ? new Target.Reading(request.name()) : alone());
        }
        Outcome outcome = attempt(nodes, new Target.Permit(request.name(), permit));
        if (!(outcome instanceof Outcome.Contended)) {
            return outcome;
        }
        Command.FindPermit find = new Command.FindPermit(
                request.name(), request.permits(), (int) manager.randomness().below(request.permits()));
        OptionalInt free = manager.redlock().findPermit(nodes, find, deadline());
        if (free.isEmpty() || free.getAsInt() >= request.permits()) {
            return outcome;
        }
        permit = free.getAsInt();
        return attempt(nodes, new Target.Permit(request.name(), permit));
    }

    private Target alone() {
        return new Target.Alone(names);
    }

    private Outcome attempt(Nodes nodes, Target target) {
        long ttlMillis = TimeUnit.NANOSECONDS.toMillis(ttlNanos());
        int more = isPassedOn() ? Releases.MOST_PASSED_ON : 0;
        long token = manager.tokens().next(more);
        Badge badge = badge(token);
        Claim claim = new Claim(
                target,
                manager.randomness().newOwner().describedAs(badge.text()),
                token,
                token + more,
                ttlMillis,
                manager.timing().fenceMillis(ttlMillis));
        Optional<Command.Queueing> queueing =
                isInTurn() ? Optional.of(new Command.Queueing(Optional.ofNullable(ticket))) : Optional.empty();
        long standstillsBefore = manager.standstills();
        Outcome outcome = manager.redlock()
                .acquire(
                        nodes,
                        new Command.Acquire(claim, queueing, manager.timing().maxSkewMicros()),
                        deadline());
        if (outcome instanceof Outcome.TokenTooSmall refused) {
            manager.tokens().observe(refused.last());
        } else if (outcome instanceof Outcome.ClockSkewed || outcome instanceof Outcome.TokenOutOfDate) {
            manager.tokens().forget();
        } else if (outcome instanceof Outcome.Acquired acquired) {
            Hold.Cohort cohort = new Hold.Cohort(acquired.startedNanos(), 0, standstillsBefore);
            held = manager.keep(claim, cohort, new Hold.Taker(holder, badge, threadId), terms(), acquired, nodes);
            return manager.loseIfStoodStill(held) ? stoodStill() : outcome;
        }
        return outcome;
    }

    /** What others are told of who takes the lock now. */
    private Badge badge(long token) {
        long sinceMillis = manager.time().epochMicros() / 1_000;
        return new Badge(manager.whereabouts(), asking, request.mode(), token, sinceMillis);
    }

    private static Outcome stoodStill() {
        return new Outcome.Undetermined(Map.of("this process", "its clock stood still"));
    }

    private Hold.Terms terms() {
        return new Hold.Terms(request.renewal(), request.maxHold(), request.atLeast());
    }

    /** Returns whether those who wait in this process may have the lock one after the other. */
    private boolean isPassedOn() {
        return line.kind() == WaitingRoom.Kind.FREE_FOR_ALL
                && names.size() == 1
                && request.renewal()
                && request.atLeast().isEmpty();
    }

    /** Takes over from somebody in this process who does not need the lock any more; null if it does not fit. */
    private Hold inherit(Hold old) {
        boolean fits = isPassedOn()
                && old.isAlone()
                && old.isRenewed()
                && old.claim().target().names().equals(names)
                && old.claim().ttlMillis() == request.ttl().orElseThrow().toMillis()
                && left() > 0;
        return fits
                ? manager.releases().passOn(old, new Hold.Taker(holder, badge(old.token() + 1), threadId), terms())
                : null;
    }

    /** Joins the end of the line. */
    WaitingRoom.Turn enter(Runnable wake) {
        if (pace == null) {
            pace = new Pace(manager.time());
        }
        turn = manager.waitingRoom().enter(line, names, waiter(wake));
        noteForOthers();
        return turn;
    }

    private void noteForOthers() {
        if (turn != null && last != null) {
            turn.found(new WaitingRoom.Found(last, lastBegun));
        }
    }

    private WaitingRoom.Waiter waiter(Runnable wake) {
        return new WaitingRoom.Waiter() {
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
            public Hold inherit(Hold old) {
                return Attempts.this.inherit(old);
            }
        };
    }

    /**
     * Leaves the line, and leaves nothing there.
     *
     * @param done what came of it; null if the caller gave up or comes again
     */
    void leave(Acquisition done) {
        Hold got = done instanceof Acquisition.Held acquired ? acquired.hold() : null;
        Hold handed = turn.leave();
        queueing.ended(line.lock(), line.kind().name(), got != null);
        if (handed != null && handed != got) { // just now, and too late
            manager.releases().giveBack(List.of(new Share(handed, false)));
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

    /** Notes what came of it. */
    void count(Acquisition done) {
        manager.counters().note(done, manager.time().nanoTime() - begun);
        long token = done instanceof Acquisition.Held got ? got.hold().token() : 0;
        recorded.ended(request, done.outcome(), token);
    }

    /** Returns whether nothing can be said of the lock: neither this caller nor another in its line has asked since this one came. */
    boolean knowsNothing() {
        return found() == null;
    }

    /**
     * A caller that waits behind others goes by what those found, if they asked after it came: what an earlier attempt found may be
     * from before an outage.
     */
    private Outcome found() {
        WaitingRoom.Found others = turn == null ? null : turn.found();
        boolean counts =
                others != null && others.begun() - begun >= 0 && (last == null || others.begun() - lastBegun > 0);
        return counts ? others.outcome() : last;
    }

    /**
     * What to say when there is no more time.
     *
     * @throws IllegalStateException if the service was stopped meanwhile: the lock may well be free
     */
    Acquisition givenUp() {
        manager.requireOpen();
        Duration waited = Duration.ofNanos(manager.time().nanoTime() - begun);
        Outcome found = found();
        if (found instanceof Outcome.Unavailable unavailable) {
            return new Acquisition.Unavailable(unavailable.failures(), waited);
        }
        if (found instanceof Outcome.Undetermined undetermined) {
            return new Acquisition.Unavailable(undetermined.failures(), waited);
        }
        return new Acquisition.TimedOut(waited);
    }

    private static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }
}
