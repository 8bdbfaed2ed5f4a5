// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;

/**
 * Takes the locks of this process: waiting, re-entry and retry around {@link Redlock}. {@link Releases} gives them back.
 *
 * <p>Owns every {@link Hold}. Safe for use by any number of threads.
 */
public final class LeaseManager {

    private static final System.Logger LOG = System.getLogger(LeaseManager.class.getName());

    /** So many of those who wait ask the nodes at the same time. */
    private static final int MOST_ATTEMPTS = 100;

    private final Time time;
    private final Randomness randomness;
    private final Timing timing;
    private final Redlock redlock;
    private final TokenClock tokens;
    private final RetryDelay retryDelay;
    private final WaitingRoom waitingRoom = new WaitingRoom();
    private final Courtesy courtesy;
    private final Tickets tickets;
    private final Timers timers;
    private final Gate gate;
    private final Renewals renewals;
    private final Nodes service;
    private final Nodes forWaiting;
    private final Executor threads;
    private final Callbacks callbacks;
    private final Notifier notifier;
    private final Announcements announcements;
    private final Whereabouts whereabouts;
    private final Oversight oversight = new Oversight(this);
    private final Releases releases;
    private final Holds holds = new Holds();
    private final Set<WaitingWithoutThread> threadless = ConcurrentHashMap.newKeySet();
    private final Throttle losses;
    private final AtomicLong standstills = new AtomicLong();
    private volatile boolean closed;

    /**
     * @param service the nodes through which leases are renewed and released: the caller's connections may be gone by then
     * @param forWaiting the nodes through which those who wait attempt, and keep their places: much is under way there, and what
     *     breaks breaks for all of it, so renewals are kept away
     * @param threads runs the attempts of those who wait without a thread, and nothing of the application
     * @param applicationThreads runs the application's code: listeners of lost leases, and what continues futures
     * @param announcements wakes those who wait for a lock that another process has
     * @param whereabouts this process, as others are told of it
     */
    public LeaseManager(
            Time time,
            Randomness randomness,
            Timing timing,
            Redlock redlock,
            Renewals renewals,
            Nodes service,
            Nodes forWaiting,
            Executor threads,
            Executor applicationThreads,
            Announcements announcements,
            Whereabouts whereabouts) {
        this.time = time;
        this.randomness = randomness;
        this.timing = timing;
        this.redlock = redlock;
        this.renewals = renewals;
        this.service = service;
        this.forWaiting = forWaiting;
        this.threads = threads;
        this.callbacks = new Callbacks(applicationThreads);
        this.notifier = new Notifier(callbacks, time);
        this.tokens = new TokenClock(time, timing.maxTokenLeadMicros());
        this.retryDelay = new RetryDelay(randomness);
        this.courtesy = new Courtesy(time, randomness);
        this.tickets = new Tickets(time, forWaiting, timing);
        this.timers = new Timers(time);
        this.losses = new Throttle(time);
        this.gate = new Gate(time, MOST_ATTEMPTS);
        this.announcements = announcements;
        this.whereabouts = whereabouts;
        this.releases = new Releases(this, renewals, service);
        announcements.tell(waitingRoom::wake);
        announcements.tellForced(this::suspect);
    }

    /** Returns what has been done so far. */
    public Counters counters() {
        return redlock.counters();
    }

    Recorder recorder() {
        return redlock.recorder();
    }

    /** Returns how many names this process holds. */
    public int held() {
        return holds.size();
    }

    /** Returns which names this process holds, sorted: the first ones up to a bound. */
    public List<String> heldNames(int most) {
        return holds.names(most);
    }

    /** Returns how many callers of this process wait in line. */
    public int waiters() {
        return waitingRoom.waiters();
    }

    Time time() {
        return time;
    }

    Randomness randomness() {
        return randomness;
    }

    Timing timing() {
        return timing;
    }

    Redlock redlock() {
        return redlock;
    }

    TokenClock tokens() {
        return tokens;
    }

    RetryDelay retryDelay() {
        return retryDelay;
    }

    Courtesy courtesy() {
        return courtesy;
    }

    Tickets tickets() {
        return tickets;
    }

    Gate gate() {
        return gate;
    }

    Timers timers() {
        return timers;
    }

    Announcements announcements() {
        return announcements;
    }

    WaitingRoom waitingRoom() {
        return waitingRoom;
    }

    Holds holds() {
        return holds;
    }

    Whereabouts whereabouts() {
        return whereabouts;
    }

    /** Returns what operators see and do. */
    Oversight oversight() {
        return oversight;
    }

    /** Returns what gives leases back. */
    Releases releases() {
        return releases;
    }

    /** Returns the nodes through which those who wait attempt. */
    Nodes forWaiting() {
        return forWaiting;
    }

    Executor threads() {
        return threads;
    }

    Callbacks callbacks() {
        return callbacks;
    }

    /** Returns those who wait without a thread. */
    Set<WaitingWithoutThread> threadless() {
        return threadless;
    }

    /** As below, and an interrupt ends the wait. */
    Acquisition acquire(Nodes nodes, LockRequest request, List<Holder> holders, Runnable whenWaiting)
            throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before lock '" + request.name() + "' was asked for");
        }
        return acquire(nodes, request, holders, true, whenWaiting);
    }

    /**
     * Takes the lock, if need be once more, and waits for it as long as the request says.
     *
     * @param request with a wait timeout and a TTL
     * @param holders as whom the caller may take the lock; the first is who will hold it
     * @param interruptible whether an interrupt ends the wait; else it is kept for later
     * @param whenWaiting told before the thread waits: the caller's nodes are not used any more then
     * @throws IllegalStateException if the holder would wait for itself, or the service is stopped
     */
    Acquisition acquire(
            Nodes nodes, LockRequest request, List<Holder> holders, boolean interruptible, Runnable whenWaiting)
            throws InterruptedException {
        boolean detached = request.scope() == LeaseScope.DETACHED;
        Hold mine = detached ? null : shareOf(request, holders);
        if (mine != null) {
            counters().takenOnceMore.increment();
            return new Acquisition.Held(mine);
        }
        Attempts attempts = new Attempts(this, request, detached ? null : holders.get(0));
        Acquisition done = new Waiting(this, nodes, attempts, interruptible, whenWaiting).acquire();
        attempts.count(done);
        return done;
    }

    /**
     * Takes the lock for nobody in particular, without a thread that waits.
     *
     * @param lease makes a lease of what was taken
     */
    CompletableFuture<Lease> acquireAsync(LockRequest request, Function<Hold, Lease> lease) {
        requireOpen();
        return new WaitingWithoutThread(this, new Attempts(this, request, null), lease).start();
    }

    private Hold shareOf(LockRequest request, List<Holder> holders) {
        if (request.mode() == LockMode.PERMIT) {
            return null;
        }
        Set<Hold> mine = new HashSet<>(2);
        for (String name : request.names()) {
            mine.add(holds.find(name, hold -> isOf(holders, hold)));
        }
        if (mine.size() > 1) {
            throw new IllegalStateException("the holder has some of " + request.names()
                    + " already and would wait for itself: take them together, or one after the other");
        }
        Hold hold = mine.iterator().next();
        if (hold == null) {
            return null;
        }
        if (!hold.isKept(request.atLeast())) {
            throw new IllegalStateException(
                    "the holder has lock '" + request.name() + "' already, and not for at least "
                            + request.atLeast().orElseThrow() + ": that has to be asked for when it is taken first");
        }
        boolean reads = request.mode() == LockMode.READ;
        if (!reads && hold.isReading()) {
            throw new ReadByItselfException(request.name());
        }
        return hold.share(time.nanoTime(), reads) ? hold : null;
    }

    /**
     * Sees to it that what a request says of TTL, renewal and maxHold is what its holder has, if that has the lock already. A
     * request that says nothing of them takes what there is; so does one that asks for renewal, which is the default.
     *
     * @param asked as the application made it, without defaults
     * @throws IllegalStateException if it is not the same
     */
    void requireSameTerms(LockRequest asked, List<Holder> holders) {
        if (asked.scope() == LeaseScope.DETACHED || asked.mode() == LockMode.PERMIT) {
            return;
        }
        for (String name : asked.names()) {
            Hold held = holds.find(name, hold -> isOf(holders, hold));
            String difference = held == null ? null : held.difference(asked);
            if (difference != null) {
                throw new IllegalStateException("the holder has lock '" + name + "' already, with " + difference
                        + ": a lock that is taken once more stays as it was taken first. Leave that out of the request, or take"
                        + " the lock first as it is needed");
            }
        }
    }

    /** What is about to be forgotten must not stand before what was taken after it. */
    private boolean isOf(List<Holder> holders, Hold hold) {
        return !hold.isPermit() && holders.stream().anyMatch(hold::belongsTo) && hold.isHeld(time.nanoTime());
    }

    /**
     * Takes note of what was taken.
     *
     * @param nodes through which it was taken: they are open, even if the service's own are not any more
     */
    Hold keep(
            Claim claim,
            Hold.Cohort cohort,
            Hold.Taker taker,
            Hold.Terms terms,
            Outcome.Acquired acquired,
            Nodes nodes) {
        Hold hold = newHold(claim, cohort, taker, terms, acquired);
        holds.add(hold);
        renewals.add(hold);
        releaseIfClosed(hold, nodes);
        return hold;
    }

    /** Returns a hold whose loss is told. */
    Hold newHold(Claim claim, Hold.Cohort cohort, Hold.Taker taker, Hold.Terms terms, Outcome.Acquired acquired) {
        return new Hold(claim, cohort, taker, terms, acquired, notifier, this::lost);
    }

    /** Takes what was handed over: whoever ended other holds meanwhile may have seen neither the old nor the new one. */
    Acquisition takeOver(Hold handed, Nodes nodes) {
        releaseIfClosed(handed, nodes);
        loseIfStoodStill(handed);
        return new Acquisition.Held(handed);
    }

    /** What came too late for {@link #close} nobody else will release. */
    void releaseIfClosed(Hold hold, Nodes nodes) {
        if (closed && hold.giveBackAll()) {
            releases.release(List.of(hold), nodes);
            requireOpen();
        }
    }

    void requireOpen() {
        if (closed) {
            throw stopped();
        }
    }

    static IllegalStateException stopped() {
        return new IllegalStateException("the lock service has been stopped: its factory or adapter was closed");
    }

    boolean isClosed() {
        return closed;
    }

    long standstills() {
        return standstills.get();
    }

    /** Makes a hold lost if our clock has stood still since it was asked for; returns whether it has. */
    boolean loseIfStoodStill(Hold hold) {
        boolean stoodStill = standstills.get() != hold.cohort().standstills();
        if (stoodStill) {
            hold.lose("the clock of this process stood still while it was taken", time.nanoTime());
        }
        return stoodStill;
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
        Recorder.Renewing recorded = recorder().renewing();
        Redlock.Renewing renewing =
                redlock.startRenewals(service, List.of(hold)).get(0);
        boolean extended = redlock.finishRenewal(service, renewing);
        recorded.ended(1, extended ? 1 : 0);
        renewals.reschedule(hold);
        return extended;
    }

    /** Returns whether the hold is in force for long enough to commit; renews it if it is short. */
    boolean confirm(Hold hold) {
        if (!isHeld(hold)) { // a renewal would only make nodes keep a lost lock for longer
            return false;
        }
        long needed = Math.max(1, hold.commitMarginNanos(timing)); // without a margin it must be held all the same
        return hold.remainingNanos(time.nanoTime()) >= needed
                || renew(hold) && hold.remainingNanos(time.nanoTime()) >= needed;
    }

    /** Our clock did not go on for so long: no lease can be relied upon that counts by it. */
    public void clockStoodStill(long nanos) {
        standstills.incrementAndGet(); // before we look: who takes a lock just now sees it, or is seen
        String reason = "the clock of this process stood still for " + TimeUnit.NANOSECONDS.toMillis(nanos)
                + " ms (was its machine suspended?)";
        holds.all().forEach(hold -> hold.lose(reason, time.nanoTime()));
    }

    /**
     * Hears that an operator of another process has taken a lock away. A message proves nothing; so what this process holds there
     * is renewed at once, and is not passed on until a quorum has confirmed it.
     */
    private void suspect(String lock, long token) {
        long now = time.nanoTime();
        for (Hold hold : holds.of(lock)) {
            if (hold.claim().lastToken() < token) {
                hold.suspicion().raise(now);
            }
        }
        for (Hold hold : holds.of(lock)) { // once more: one may have been passed on meanwhile
            if (hold.suspicion().isOpen()) {
                renewals.hasten(hold);
            }
        }
    }

    /** What is left of a lost lease on the nodes keeps others away: it is taken back, unless that is what it is left for. */
    private void lost(Hold hold) {
        forget(hold);
        if (hold.keptNanos(time.nanoTime()) == 0 && !hold.isLeft()) {
            redlock.abandon(hold);
        }
        counters().lost.increment();
        recorder().lost(hold.loss());
        String more = losses.leave();
        if (more != null) {
            LOG.log(System.Logger.Level.WARNING, Printable.line("HF0209: " + hold.loss() + more));
        }
    }

    void forget(Hold hold) {
        renewals.remove(hold);
        holds.remove(hold);
        hold.claim().target().names().forEach(waitingRoom::wake);
    }

    /** Does what is due for those who wait. To be called every 20 ms or so, by one thread at a time. */
    public void sweep() {
        timers.sweep();
        tickets.sweep();
        courtesy.sweep();
        callbacks.sweep();
        notifier.sweep();
    }

    /** Returns how much this process remembers of locks, whoever has them: nothing when nobody holds or waits. */
    int remembered() {
        return holds.size()
                + waitingRoom.size()
                + tickets.size()
                + courtesy.size()
                + timers.size()
                + threadless.size()
                + callbacks.size();
    }

    /**
     * Takes no lock from now on, and ends every wait: each caller gets an {@link IllegalStateException} at once, and those without
     * a thread leave their lines on this one. Threads for the application's code are still needed for a moment.
     */
    public void stopWaiting() {
        closed = true; // before we wake anybody: who looks now, or comes now, sees it
        waitingRoom.wakeAll();
        threadless.forEach(WaitingWithoutThread::stop);
    }

    /**
     * Releases everything, after {@link #stopWaiting}.
     *
     * @param deadline when to stop; what is not released by then ends with its TTL
     */
    public void close(long deadline) {
        stopWaiting();
        callbacks.close();
        releases.releaseAll(deadline);
    }
}
