// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;

/**
 * Takes and gives back the locks of this process: waiting, re-entry and retry around {@link Redlock}.
 *
 * <p>Owns every {@link Hold}. Safe for use by any number of threads.
 */
public final class LeaseManager {

    /** So many releases are under way at once: their replies must fit what a node buffers for one connection. */
    private static final int RELEASE_BATCH = 200;

    /** So often somebody asks at short intervals before he relies on hearing of the release. */
    private static final int ATTEMPTS_AFTER_NEWS = 2;

    private final Time time;
    private final Randomness randomness;
    private final Timing timing;
    private final Redlock redlock;
    private final TokenClock tokens;
    private final RetryDelay retryDelay;
    private final WaitingRoom waitingRoom;
    private final Renewals renewals;
    private final Nodes service;
    private final Executor notifier;
    private final Announcements announcements;

    /** An exclusive lock has one holder, so a name has one hold. */
    private final ConcurrentHashMap<String, Hold> holds = new ConcurrentHashMap<>();

    private final AtomicLong standstills = new AtomicLong();
    private volatile boolean closed;

    /**
     * @param service the nodes through which leases are renewed and released: the caller's connections may be gone by then
     * @param notifier runs the listeners of lost leases
     * @param announcements wakes those who wait for a lock that another process has
     */
    public LeaseManager(
            Time time,
            Randomness randomness,
            Timing timing,
            Redlock redlock,
            Renewals renewals,
            Nodes service,
            Executor notifier,
            Announcements announcements) {
        this.time = time;
        this.randomness = randomness;
        this.timing = timing;
        this.redlock = redlock;
        this.renewals = renewals;
        this.service = service;
        this.notifier = notifier;
        this.tokens = new TokenClock(time);
        this.retryDelay = new RetryDelay(randomness);
        this.waitingRoom = new WaitingRoom(time);
        this.announcements = announcements;
        announcements.tell(waitingRoom::wake);
    }

    /**
     * Takes the lock, if need be once more, and waits for it as long as the request says.
     *
     * @param request with a wait timeout and a TTL
     * @param holders as whom the caller may take the lock; the first is who will hold it
     */
    Acquisition acquire(Nodes nodes, LockRequest request, List<Holder> holders) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before lock '" + request.name() + "' was asked for");
        }
        Hold mine = request.scope() == LeaseScope.DETACHED ? null : shareOf(request.name(), holders);
        if (mine != null) {
            return new Acquisition.Held(mine);
        }
        Attempts attempts = new Attempts(nodes, request, holders.get(0));
        if (!waitingRoom.isWaitedFor(request.name()) || attempts.waitNanos == 0) {
            Acquisition atOnce = attempts.next();
            if (atOnce != null || attempts.waitNanos == 0) {
                return atOnce != null ? atOnce : attempts.givenUp();
            }
        }
        return waitFor(attempts);
    }

    private Hold shareOf(String lock, List<Holder> holders) {
        Hold hold = holds.get(lock);
        boolean mine = hold != null && holders.stream().anyMatch(hold::belongsTo) && hold.share(time.nanoTime());
        return mine ? hold : null;
    }

    private Acquisition waitFor(Attempts attempts) throws InterruptedException {
        String lock = attempts.request.name();
        announcements.listen(lock);
        try (WaitingRoom.Turn turn = waitingRoom.enter(lock)) {
            turn.catchUp(attempts.wakesBefore);
            while (true) {
                long left = attempts.left();
                if (left <= 0) {
                    return attempts.givenUp();
                }
                if (turn.await(turn.isFirst() ? Math.min(left, attempts.pause()) : left)) {
                    attempts.news();
                }
                if (turn.isFirst() && attempts.left() > 0) {
                    Acquisition done = attempts.next();
                    if (done != null) {
                        return done;
                    }
                }
            }
        } finally {
            announcements.ignore(lock);
        }
    }

    /** The attempts of one caller to get one lock. */
    private final class Attempts {

        private final Nodes nodes;
        private final LockRequest request;
        private final Holder holder;
        private final long waitNanos;
        private final long begun = time.nanoTime();
        private final long wakesBefore = waitingRoom.wakes();
        private int failed;
        private int failedSinceNews;
        private Outcome last;
        private Hold held;

        Attempts(Nodes nodes, LockRequest request, Holder holder) {
            this.nodes = nodes;
            this.request = request;
            this.holder = holder;
            this.waitNanos = saturatedNanos(request.waitTimeout().orElseThrow());
        }

        /** Returns how much of the wait timeout is left. */
        long left() {
            return waitNanos - (time.nanoTime() - begun);
        }

        /** Returns how long to wait before the next attempt, unless a release wakes us. */
        long pause() {
            long local = localRemaining(); // while this process holds the lock the nodes have nothing to say
            if (local > 0 || failed == 0) {
                return local;
            }
            if (!(last instanceof Outcome.Contended other) || !announcements.isHeard(request.name())) {
                return retryDelay.nanosAfter(failed);
            }
            return failedSinceNews > ATTEMPTS_AFTER_NEWS
                    ? retryDelay.nanosWhileHeard(other.remainingMillis())
                    : retryDelay.nanosAfter(Math.max(1, failedSinceNews));
        }

        /** Something has changed: contenders may take each other's votes now, which no release ends. */
        void news() {
            failedSinceNews = 0;
        }

        /** Attempts once; null if it is worth to attempt again. */
        Acquisition next() {
            requireOpen();
            Outcome outcome = localRemaining() > 0 ? new Outcome.Contended(localRemaining() / 1_000_000) : attempt();
            if (outcome instanceof Outcome.TokenTooSmall) {
                outcome = attempt(); // the clock has jumped past the token on record: this costs one round, once
            }
            if (outcome instanceof Outcome.Acquired) {
                return new Acquisition.Held(held);
            }
            boolean cutShort = outcome instanceof Outcome.Undetermined && failed > 0 && left() <= 0;
            if (!cutShort) { // an attempt that had no time to learn anything does not change what is known
                last = outcome;
            }
            failed++;
            failedSinceNews++;
            return outcome instanceof Outcome.ClockSkewed ? new Acquisition.ClockSkewed() : null;
        }

        private long localRemaining() {
            Hold local = holds.get(request.name());
            return local == null ? 0 : local.remainingNanos(time.nanoTime());
        }

        private Outcome attempt() {
            long ttlMillis = request.ttl().orElseThrow().toMillis();
            Command.Acquire command = new Command.Acquire(
                    request.name(), randomness.newOwner(), tokens.next(), ttlMillis, timing.fenceMillis(ttlMillis));
            long standstillsBefore = standstills.get();
            Outcome outcome = redlock.acquire(nodes, command, deadline());
            if (outcome instanceof Outcome.TokenTooSmall refused) {
                tokens.observe(refused.last());
            } else if (outcome instanceof Outcome.Acquired acquired) {
                Hold.Terms terms = new Hold.Terms(request.renewal(), request.maxHold());
                held = new Hold(command, exclusiveHolder(), terms, acquired, notifier, LeaseManager.this::lost);
                keep(held, nodes);
                if (standstills.get() != standstillsBefore) {
                    held.lose("the clock of this process stood still while it was taken", time.nanoTime());
                    return new Outcome.Undetermined(Map.of("this process", "its clock stood still"));
                }
            }
            return outcome;
        }

        /** The first attempt has all the time it needs; later ones end with the wait timeout. */
        private long deadline() {
            long now = time.nanoTime();
            return now + (failed == 0 ? Long.MAX_VALUE / 2 : Math.min(left(), Long.MAX_VALUE / 2));
        }

        private Holder exclusiveHolder() {
            return request.scope() == LeaseScope.DETACHED ? null : holder;
        }

        Acquisition givenUp() {
            Duration waited = Duration.ofNanos(time.nanoTime() - begun);
            if (last instanceof Outcome.Unavailable unavailable) {
                return new Acquisition.Unavailable(unavailable.failures(), waited);
            }
            if (last instanceof Outcome.Undetermined undetermined) {
                return new Acquisition.Unavailable(undetermined.failures(), waited);
            }
            return new Acquisition.TimedOut(waited);
        }
    }

    /** @param nodes through which it was taken: they are open, even if the service's own are not any more */
    private void keep(Hold hold, Nodes nodes) {
        holds.put(hold.lock(), hold);
        renewals.add(hold);
        if (closed && hold.giveBackAll()) { // came too late for close: nobody else will release it
            release(List.of(hold), nodes);
            requireOpen();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the lock service has been stopped");
        }
    }

    /** Returns whether the hold is in force now. */
    boolean isHeld(Hold hold) {
        return hold.isHeld(time.nanoTime());
    }

    /** Returns for how long the hold is in force for certain. */
    Duration remaining(Hold hold) {
        return Duration.ofNanos(hold.remainingNanos(time.nanoTime()));
    }

    /** Renews now, on the calling thread. */
    boolean renew(Hold hold) {
        Redlock.Renewing renewing =
                redlock.startRenewals(service, List.of(hold)).get(0);
        boolean extended = redlock.finishRenewal(service, renewing);
        renewals.reschedule(hold);
        return extended;
    }

    /** Returns whether the hold is in force for long enough to commit; renews it if it is short. */
    boolean confirm(Hold hold) {
        long needed = hold.commitMarginNanos(timing);
        return hold.remainingNanos(time.nanoTime()) >= needed
                || renew(hold) && hold.remainingNanos(time.nanoTime()) >= needed;
    }

    /** Gives back one lease of each; what nobody holds any more is released on the nodes, all at once. */
    void giveBack(Collection<Hold> leases) {
        release(leases.stream().filter(Hold::giveBack).toList(), service);
    }

    private void release(List<Hold> given, Nodes nodes) {
        long begun = time.nanoTime();
        List<Round> rounds = redlock.startReleases(nodes, given);
        for (int i = 0; i < given.size(); i++) {
            Hold hold = given.get(i);
            redlock.finishRelease(nodes, hold, rounds.get(i), begun);
            forget(hold);
        }
    }

    /** Our clock did not go on for so long: no lease can be relied upon that counts by it. */
    public void clockStoodStill(long nanos) {
        standstills.incrementAndGet(); // before we look: who takes a lock just now sees it, or is seen
        String reason = "the clock of this process stood still for " + TimeUnit.NANOSECONDS.toMillis(nanos)
                + " ms (was its machine suspended?)";
        holds.values().forEach(hold -> hold.lose(reason, time.nanoTime()));
    }

    /** What is left of a lost lease on the nodes keeps others away, and nobody counts on it any more. */
    private void lost(Hold hold) {
        forget(hold);
        redlock.abandon(hold);
    }

    private void forget(Hold hold) {
        renewals.remove(hold);
        holds.remove(hold.lock(), hold);
        waitingRoom.wake(hold.lock());
    }

    /**
     * Releases everything and takes no lock from now on.
     *
     * @param deadline when to stop; what is not released by then ends with its TTL
     */
    public void close(long deadline) {
        closed = true;
        waitingRoom.wakeAll();
        Iterator<Hold> all = holds.values().iterator();
        while (all.hasNext() && time.nanoTime() - deadline < 0) {
            List<Hold> batch = new ArrayList<>();
            while (all.hasNext() && batch.size() < RELEASE_BATCH) {
                Hold hold = all.next();
                if (hold.giveBackAll()) {
                    batch.add(hold);
                }
            }
            release(batch, service);
        }
    }

    private static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }
}
