// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.List;
import java.util.concurrent.Executor;
import org.holdfast.protocol.admin.LockAdmin;
import org.holdfast.protocol.env.Callbacks;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.Underway;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.latch.Latches;
import org.holdfast.protocol.lease.Counters;
import org.holdfast.protocol.lease.Grants;
import org.holdfast.protocol.lease.Handoff;
import org.holdfast.protocol.lease.HeldLocks;
import org.holdfast.protocol.lease.Leases;
import org.holdfast.protocol.lease.LossNotifier;
import org.holdfast.protocol.lease.Losses;
import org.holdfast.protocol.lease.Releases;
import org.holdfast.protocol.lease.Renewals;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.queue.HandoffYield;
import org.holdfast.protocol.queue.Places;
import org.holdfast.protocol.queue.ReleaseNotifications;
import org.holdfast.protocol.queue.Tickets;
import org.holdfast.protocol.queue.WaitQueues;
import org.holdfast.protocol.quorum.Redlock;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.TokenClock;
import org.holdfast.protocol.quorum.UnfinishedReleases;
import org.holdfast.protocol.session.LeaseShutdown;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.TransactionLeases;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.protocol.waiting.Acquirer;
import org.holdfast.protocol.waiting.AsyncAcquirer;
import org.holdfast.protocol.waiting.AttemptLimiter;
import org.holdfast.protocol.waiting.Claims;
import org.holdfast.protocol.waiting.Reentry;
import org.holdfast.protocol.waiting.RetryDelay;
import org.holdfast.protocol.waiting.WaitContext;

/**
 * The parts of the protocol for one process, put together.
 *
 * <p>Safe for use by any number of threads.
 */
public final class LockEngine {

    /** So many waiters ask the nodes at the same time. */
    static final int MOST_ATTEMPTS = 100;

    // those that are not private are open to tests of this room
    final Renewals renewals;
    final TokenClock tokens;
    final HeldLocks heldLocks;
    final Leases leases;
    final Grants grants;
    final Tickets tickets;
    final WaitQueues waitQueues = new WaitQueues();
    final Acquirer acquirer;
    final AttemptLimiter attemptLimiter = new AttemptLimiter(MOST_ATTEMPTS);
    final Reentry reentry;
    private final LockAdmin lockAdmin;
    private final Latches latches;
    private final Time time;
    private final Counters counters;
    private final Nodes ownNodes;
    private final Releases releases;
    private final StopFlag stopFlag = new StopFlag();
    private final Underway underway = new Underway();
    private final Callbacks callbacks;
    private final LossNotifier lossNotifier;
    private final AsyncAcquirer asyncAcquirer;
    private final HandoffYield handoffYield;
    private final Threads threads;

    /**
     * The process in which this runs.
     *
     * @param processInfo as its holders are described to others
     */
    public record Environment(Time time, Randomness randomness, Recorder recorder, ProcessInfo processInfo) {}

    /**
     * How the nodes are reached without a caller's own connections.
     *
     * @param own the nodes through which leases are renewed and released: the caller's connections may be gone by
     *     then
     * @param forWaiting the nodes through which waiters attempt, and keep their places: many commands are under way
     *     there, and a connection that breaks fails all of them, so renewals are sent elsewhere
     * @param notifications wakes waiters for a lock that another process has
     */
    public record Connections(Nodes own, Nodes forWaiting, ReleaseNotifications notifications) {}

    /**
     * The threads that are borrowed.
     *
     * @param own runs the attempts of waiters without a thread, and nothing of the application
     * @param applications runs the application's code: listeners of lost leases, and what continues futures
     * @param sweeps has {@link #renew} and {@link #sweep} called when something is due
     */
    public record Threads(Executor own, Executor applications, WakeUp sweeps) {}

    /** @param unfinished keeps the releases that nodes have not confirmed */
    public LockEngine(
            Environment environment,
            Timing timing,
            UnfinishedReleases unfinished,
            Connections connections,
            Threads threads) {
        this.time = environment.time();
        this.threads = threads;
        this.ownNodes = connections.own();
        this.counters = new Counters();
        Nodes forWaiting = connections.forWaiting();
        ReleaseNotifications notifications = connections.notifications();
        Randomness randomness = environment.randomness();
        Recorder recorder = environment.recorder();
        ProcessInfo processInfo = environment.processInfo();
        WakeUp sweeps = threads.sweeps();
        // the algorithm
        Redlock redlock = new Redlock(time, timing, unfinished);
        this.tokens = new TokenClock(time, timing.maxTokenLeadMicros());
        // what this process holds
        this.callbacks = new Callbacks(threads.applications(), sweeps);
        this.lossNotifier = new LossNotifier(callbacks, time);
        this.handoffYield = new HandoffYield(time, randomness, notifications, sweeps);
        this.renewals = new Renewals(time, timing, redlock, counters, recorder, sweeps);
        this.heldLocks = new HeldLocks(renewals, waitQueues);
        Losses losses = new Losses(time, heldLocks, redlock, lossNotifier, counters, recorder);
        this.releases = new Releases(time, redlock, heldLocks, handoffYield::released, counters);
        this.tickets = new Tickets(time, randomness, tokens, forWaiting, timing, sweeps);
        Handoff handoff =
                new Handoff(time, timing, heldLocks, losses, waitQueues, counters, stopFlag, tickets::leaveHandedOff);
        this.leases = new Leases(time, ownNodes, heldLocks, renewals, releases, handoff, underway);
        this.grants = new Grants(time, heldLocks, losses, releases, stopFlag);
        this.lockAdmin = new LockAdmin(time, timing, tokens, heldLocks, processInfo, stopFlag, ownNodes);
        // what callers ask and wait for
        Claims claims = new Claims(time, randomness, timing, redlock, tokens, grants, processInfo);
        Places places = new Places(waitQueues, tickets, leases, handoff, handoffYield, notifications, recorder);
        long answerNanos = timing.nodeTimeout().toNanos();
        RetryDelay retryDelay = new RetryDelay(randomness);
        WaitContext waitContext =
                new WaitContext(time, answerNanos, stopFlag, underway, forWaiting, attemptLimiter, retryDelay);
        this.asyncAcquirer = new AsyncAcquirer(waitContext, threads.own(), callbacks, sweeps);
        this.acquirer = new Acquirer(waitContext, claims, places, asyncAcquirer, counters, recorder);
        this.reentry = new Reentry(time, heldLocks, counters);
        this.latches = new Latches(time, randomness, timing, forWaiting, notifications, stopFlag);
        notifications.onRelease((name, message) -> {
            handoffYield.heard(name, message); // before the waiters look whether they are to let others go first
            if (!heldLocks.isOwner(name, message)) { // else its waiters are woken when the nodes have confirmed that
                waitQueues.wake(name);
            }
            latches.wake(name);
        });
        notifications.onForcedRelease(leases::suspect);
    }

    /** Returns what has been done so far. */
    public Counters counters() {
        return counters;
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

    /** Returns how many of them have a place that no later waiter of any process can take. */
    public int placedWaiters() {
        return waitQueues.placed();
    }

    /** Returns what keeps leases for the transactions of the environment. */
    public TransactionLeases transactionLeases(Transactions transactions) {
        return new TransactionLeases(time, leases, transactions, threads.own(), threads.sweeps());
    }

    /** Returns what a new connection handle takes its leases with. */
    public LockSession newSession(TransactionLeases transactions, LockSession.Defaults defaults) {
        return new LockSession(time, reentry, acquirer, leases, lockAdmin, transactions, defaults);
    }

    /** Returns what operators do. */
    public LockAdmin lockAdmin() {
        return lockAdmin;
    }

    /** Returns what counts latches down and waits for them. */
    public Latches latches() {
        return latches;
    }

    /** Returns what ends the leases when the service stops. */
    public LeaseShutdown shutdown(TransactionLeases transactions) {
        return new LeaseShutdown(time, heldLocks, leases, transactions, callbacks, this::isQuiet);
    }

    /**
     * Returns whether no caller attempts, releases or leaves a line, after {@link #stopWaiting}: none begins to attempt
     * then. A caller in a line counts until it leaves, and then as one that leaves.
     */
    private boolean isQuiet() {
        return waitQueues.waiters() == 0 && underway.isNone();
    }

    /** Our clock stood still for so long: no lease that is measured by it can be relied upon. */
    public void clockStoodStill(long nanos) {
        grants.clockStoodStill(nanos);
    }

    /** Renews what is due now and declares lost what was not renewed in time. Blocks for a node timeout a batch. */
    public void renew() {
        heldLocks.repair(time.nanoTime());
        renewals.sweep(ownNodes);
    }

    /** Does what is due for waiters. To be called by one thread at a time, 20 ms or so apart at the least. */
    public void sweep() {
        asyncAcquirer.sweep();
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
                + releases.unawaited()
                + asyncAcquirer.size()
                + callbacks.size()
                + latches.size();
    }

    /**
     * Takes no lock from now on, and ends every wait: each caller gets an {@link IllegalStateException} at once, and
     * waiters without a thread leave their lines on the calling thread. Threads for the application's code are still
     * needed for a moment.
     */
    public void stopWaiting() {
        stopFlag.raise(); // before any waiter is woken: one that checks now, or comes now, sees it
        try {
            waitQueues.wakeAll();
            latches.wakeAll();
        } finally {
            asyncAcquirer.stop();
        }
    }

    /**
     * Releases everything, after {@link #stopWaiting}.
     *
     * @param deadline when to stop; what is not released by then ends with its TTL
     */
    public void close(long deadline) {
        try {
            stopWaiting();
            lossNotifier.sweep();
            callbacks.close();
            tickets.leaveHandedOff();
        } finally {
            leases.close(deadline);
        }
    }
}
