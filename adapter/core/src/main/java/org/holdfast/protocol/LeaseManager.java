// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.Timers;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.quorum.Redlock;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.TokenClock;

/**
 * Takes the locks of this process: waiting, re-entry and retry around {@link Redlock}.
 *
 * <p>Safe for use by any number of threads.
 */
public final class LeaseManager {

    /** So many waiters ask the nodes at the same time. */
    private static final int MOST_ATTEMPTS = 100;

    private final Time time;
    private final Randomness randomness;
    private final Timing timing;
    private final Redlock redlock;
    private final TokenClock tokens;
    private final RetryDelay retryDelay;
    private final WaitQueues waitQueues = new WaitQueues();
    private final HandoffYield handoffYield;
    private final Tickets tickets;
    private final Timers timers;
    private final AttemptLimiter attemptLimiter;
    private final Counters counters;
    private final Recorder recorder;
    private final Nodes forWaiting;
    private final Executor threads;
    private final Callbacks callbacks;
    private final LossNotifier lossNotifier;
    private final ReleaseNotifications notifications;
    private final ProcessInfo processInfo;
    private final LockAdmin lockAdmin;
    private final HeldLocks heldLocks;
    private final Leases leases;
    private final Grants grants;
    private final Handoff handoff;
    private final Set<WaitingWithoutThread> threadless = ConcurrentHashMap.newKeySet();
    private final StopFlag stopFlag = new StopFlag();

    /**
     * @param service the nodes through which leases are renewed and released: the caller's connections may be gone by
     *     then
     * @param forWaiting the nodes through which waiters attempt, and keep their places: many commands are under way
     *     there, and a connection that breaks fails all of them, so renewals are sent elsewhere
     * @param threads runs the attempts of waiters without a thread, and nothing of the application
     * @param applicationThreads runs the application's code: listeners of lost leases, and what continues futures
     * @param notifications wakes waiters for a lock that another process has
     * @param processInfo this process, as its holders are described to others
     */
    public LeaseManager(
            Time time,
            Randomness randomness,
            Timing timing,
            Redlock redlock,
            Renewals renewals,
            Counters counters,
            Recorder recorder,
            Nodes service,
            Nodes forWaiting,
            Executor threads,
            Executor applicationThreads,
            ReleaseNotifications notifications,
            ProcessInfo processInfo) {
        this.time = time;
        this.randomness = randomness;
        this.timing = timing;
        this.redlock = redlock;
        this.counters = counters;
        this.recorder = recorder;
        this.forWaiting = forWaiting;
        this.threads = threads;
        this.callbacks = new Callbacks(applicationThreads);
        this.lossNotifier = new LossNotifier(callbacks, time);
        this.tokens = new TokenClock(time, timing.maxTokenLeadMicros());
        this.retryDelay = new RetryDelay(randomness);
        this.handoffYield = new HandoffYield(time, randomness, notifications);
        this.tickets = new Tickets(time, forWaiting, timing);
        this.timers = new Timers(time);
        this.attemptLimiter = new AttemptLimiter(time, MOST_ATTEMPTS);
        this.notifications = notifications;
        this.processInfo = processInfo;
        this.heldLocks = new HeldLocks(renewals, waitQueues);
        this.lockAdmin = new LockAdmin(time, timing, tokens, heldLocks, processInfo, stopFlag);
        Losses losses = new Losses(time, heldLocks, redlock, lossNotifier, counters, recorder);
        Releases releases = new Releases(time, redlock, heldLocks, handoffYield, counters);
        this.handoff = new Handoff(time, timing, heldLocks, losses, waitQueues, counters, stopFlag);
        this.leases = new Leases(time, timing, service, heldLocks, renewals, releases, handoff);
        this.grants = new Grants(time, heldLocks, losses, releases, stopFlag);
        notifications.onRelease(waitQueues::wake);
        notifications.onForcedRelease(leases::suspect);
    }

    /** Returns what has been done so far. */
    public Counters counters() {
        return counters;
    }

    Recorder recorder() {
        return recorder;
    }

    /** Returns how many names this process holds. */
    public int held() {
        return heldLocks.size();
    }

    /** Returns which names this process holds, sorted: the first ones up to a bound. */
    public List<String> heldNames(int most) {
        return heldLocks.names(most);
    }

    /** Returns how many callers of this process wait in line. */
    public int waiters() {
        return waitQueues.waiters();
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

    HandoffYield handoffYield() {
        return handoffYield;
    }

    Tickets tickets() {
        return tickets;
    }

    AttemptLimiter attemptLimiter() {
        return attemptLimiter;
    }

    Timers timers() {
        return timers;
    }

    ReleaseNotifications notifications() {
        return notifications;
    }

    WaitQueues waitQueues() {
        return waitQueues;
    }

    HeldLocks heldLocks() {
        return heldLocks;
    }

    ProcessInfo processInfo() {
        return processInfo;
    }

    LockAdmin lockAdmin() {
        return lockAdmin;
    }

    Leases leases() {
        return leases;
    }

    Grants grants() {
        return grants;
    }

    Handoff handoff() {
        return handoff;
    }

    StopFlag stopFlag() {
        return stopFlag;
    }

    /** Returns what keeps leases for the transactions of the environment. */
    public TransactionLeases transactionLeases(Transactions transactions) {
        return new TransactionLeases(time, leases, transactions);
    }

    /** Returns what a new connection handle takes its leases with. */
    public LockSession newSession(TransactionLeases transactions, LockSession.Defaults defaults) {
        return new LockSession(this, leases, lockAdmin, transactions, defaults);
    }

    /** Returns what ends the leases when the service stops. */
    public LeaseShutdown shutdown(TransactionLeases transactions) {
        return new LeaseShutdown(time, heldLocks, leases, transactions, callbacks);
    }

    /** Returns the nodes through which waiters attempt. */
    Nodes forWaiting() {
        return forWaiting;
    }

    Executor threads() {
        return threads;
    }

    Callbacks callbacks() {
        return callbacks;
    }

    /** Returns the waiters without a thread. */
    Set<WaitingWithoutThread> threadless() {
        return threadless;
    }

    /** As below, and an interrupt ends the wait. */
    AcquireResult acquire(Nodes nodes, LockRequest request, List<Holder> holders, Runnable whenWaiting)
            throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before lock '" + request.name() + "' was asked for");
        }
        return acquire(nodes, request, holders, true, whenWaiting);
    }

    /**
     * Takes the lock, if need be once more, and waits for it for the request's wait timeout.
     *
     * @param request with a wait timeout and a TTL
     * @param holders the holders as which the caller may take the lock; the first one will hold it
     * @param interruptible whether an interrupt ends the wait; else it is kept for later
     * @param whenWaiting run before the thread waits: the caller's nodes are not used any more then
     * @throws IllegalStateException if the holder would wait for itself, or the service is stopped
     */
    AcquireResult acquire(
            Nodes nodes, LockRequest request, List<Holder> holders, boolean interruptible, Runnable whenWaiting)
            throws InterruptedException {
        boolean detached = request.scope() == LeaseScope.DETACHED;
        HeldLock mine = detached ? null : shareOf(request, holders);
        if (mine != null) {
            counters.reentered.increment();
            return new AcquireResult.Held(mine);
        }
        Attempts attempts = new Attempts(this, request, detached ? null : holders.get(0));
        AcquireResult done = new Waiting(this, nodes, attempts, interruptible, whenWaiting).acquire();
        attempts.count(done);
        return done;
    }

    /**
     * Takes the lock for no certain holder, without a thread that waits.
     *
     * @param lease makes a lease of what was taken
     */
    CompletableFuture<Lease> acquireAsync(LockRequest request, Function<HeldLock, Lease> lease) {
        stopFlag.requireOpen();
        return new WaitingWithoutThread(this, new Attempts(this, request, null), lease).start();
    }

    private HeldLock shareOf(LockRequest request, List<Holder> holders) {
        if (request.mode() == LockMode.PERMIT) {
            return null;
        }
        Set<HeldLock> mine = new HashSet<>(2);
        for (String name : request.names()) {
            mine.add(heldLocks.find(name, heldLock -> isOf(holders, heldLock)));
        }
        if (mine.size() > 1) {
            throw new IllegalStateException("the holder has some of " + request.names()
                    + " already and would wait for itself: take them together, or one after the other");
        }
        HeldLock heldLock = mine.iterator().next();
        if (heldLock == null) {
            return null;
        }
        if (!heldLock.isKept(request.atLeast())) {
            throw new IllegalStateException(
                    "the holder has lock '" + request.name() + "' already, and not for at least "
                            + request.atLeast().orElseThrow() + ": that has to be asked for when it is taken first");
        }
        boolean reads = request.mode() == LockMode.READ;
        if (!reads && heldLock.isReading()) {
            throw new ReadByItselfException(request.name());
        }
        return heldLock.share(time.nanoTime(), reads) ? heldLock : null;
    }

    /**
     * Checks that a lock which the holder has already fits the TTL, renewal and maxHold of its request. A request that
     * sets none of them accepts the lock as it is; so does one that asks for renewal, which is the default.
     *
     * @param asked as the application made it, without defaults
     * @throws IllegalStateException if the lock does not fit
     */
    void requireSameTerms(LockRequest asked, List<Holder> holders) {
        if (asked.scope() == LeaseScope.DETACHED || asked.mode() == LockMode.PERMIT) {
            return;
        }
        for (String name : asked.names()) {
            HeldLock held = heldLocks.find(name, heldLock -> isOf(holders, heldLock));
            String difference = held == null ? null : held.difference(asked);
            if (difference != null) {
                throw new IllegalStateException("the holder has lock '" + name + "' already, with " + difference
                        + ": a lock that is taken once more stays as it was taken first. Leave that out of the request, or take"
                        + " the lock first as it is needed");
            }
        }
    }

    /** A lock that is lost but not yet removed must not hide a newer one of the same holder. */
    private boolean isOf(List<Holder> holders, HeldLock heldLock) {
        return !heldLock.isPermit()
                && holders.stream().anyMatch(heldLock::belongsTo)
                && heldLock.isHeld(time.nanoTime());
    }

    /** Our clock stood still for so long: no lease that is measured by it can be relied upon. */
    public void clockStoodStill(long nanos) {
        grants.clockStoodStill(nanos);
    }

    /** Waits for so long, without an attempt: the caller asks for a lock that it has itself. */
    void waitInVain(long nanos) throws InterruptedException {
        time.newSignal().await(nanos);
    }

    /** Does what is due for waiters. To be called every 20 ms or so, by one thread at a time. */
    public void sweep() {
        timers.sweep();
        tickets.sweep();
        handoffYield.sweep();
        callbacks.sweep();
        lossNotifier.sweep();
    }

    /** Returns how many entries about locks this process keeps: none when it has no holder and no waiter. */
    int remembered() {
        return heldLocks.size()
                + waitQueues.size()
                + tickets.size()
                + handoffYield.size()
                + timers.size()
                + threadless.size()
                + callbacks.size();
    }

    /**
     * Takes no lock from now on, and ends every wait: each caller gets an {@link IllegalStateException} at once, and
     * waiters without a thread leave their lines on the calling thread. Threads for the application's code are still
     * needed for a moment.
     */
    public void stopWaiting() {
        stopFlag.raise(); // before any waiter is woken: one that checks now, or comes now, sees it
        waitQueues.wakeAll();
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
        leases.close(deadline);
    }
}
