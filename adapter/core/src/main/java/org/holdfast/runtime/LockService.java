// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.holdfast.CheckReport;
import org.holdfast.DistributedLatch;
import org.holdfast.GuardMode;
import org.holdfast.LockException;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.latch.LatchCaller;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.quorum.UnfinishedReleases;
import org.holdfast.protocol.session.LeaseShutdown;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.TransactionLeases;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.redis.GroupedNodes;
import org.holdfast.redis.LockNodes;
import org.holdfast.redis.NodeChannel;
import org.holdfast.redis.NodeGroup;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.releases.ReleaseSubscriber;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.sharded.ShardedNodes;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.NodeConnector;
import org.holdfast.runtime.management.Management;
import org.holdfast.runtime.management.Operations;
import org.holdfast.runtime.scheduling.DueMoment;
import org.holdfast.runtime.scheduling.Scheduling;
import org.holdfast.runtime.scheduling.StandaloneScheduling;

/**
 * A running lock service: the leases of this process, and everything that works on them.
 *
 * <p>Safe for use by any number of threads. No connection is opened before one is needed.
 */
public final class LockService implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(LockService.class.getName());

    private static final Duration LONGEST_TELLING = Duration.ofMillis(500);

    private final Settings settings;
    private final Scheduling scheduling;
    private final Time time;
    private final Locators locators;
    private final LockNodes nodes;
    private final NodeChannel ownConnections;
    private final NodeChannel forWaiting;
    private final UnfinishedReleases unfinished;
    private final LockEngine engine;
    private final TransactionLeases transactionLeases;
    private final LeaseShutdown shutdown;
    private final ReleaseSubscriber subscriber;
    private final Operations operations;
    private final Management management;
    private final NodeWatch watch;
    private final LastAnswers lastAnswers;
    private final Complaints complaints;
    private final BooleanSupplier endOfTransactions = this::endTransactions; // it may be closed without memory
    private final BooleanSupplier endOfHolders = this::endHolders;

    private volatile boolean closed;

    /** Whether the scheduling gives no threads any more, or may drop what it accepts. */
    private volatile boolean threadless;

    /** Starts a service; {@link #close()} stops it, and the scheduling with it. */
    public LockService(Settings settings, Transactions transactions, Scheduling scheduling) {
        this(settings, transactions, scheduling, new SystemTime());
    }

    LockService(Settings settings, Transactions transactions, Scheduling scheduling, Time time) {
        this(settings, transactions, scheduling, time, new NodeLogLimiters(time));
    }

    /** @param logLimiters of all services that have the same nodes */
    LockService(
            Settings settings,
            Transactions transactions,
            Scheduling scheduling,
            Time time,
            NodeLogLimiters logLimiters) {
        this(settings, settings.guardPolicy(), transactions, scheduling, time, logLimiters);
    }

    /** @param policy which marks this service reads on nodes, and whether it writes them */
    LockService(
            Settings settings,
            GuardPolicy policy,
            Transactions transactions,
            Scheduling scheduling,
            Time time,
            NodeLogLimiters logLimiters) {
        if (settings.guard() == GuardMode.DEVELOPMENT) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0109: guard=DEVELOPMENT: a node that was restarted, emptied or promoted grants locks at once, also"
                            + " those that it has forgotten and that are still held. Two holders are possible: never use"
                            + " it in production");
        }
        this.time = time;
        this.settings = settings;
        this.scheduling = scheduling;
        this.complaints = new Complaints(time, this::isOpen);
        DueMoment looks = new DueMoment(time);
        this.locators = new Locators(
                settings.nodes(),
                new NodeConnector(settings.access(), settings.timing().nodeTimeout(), scheduling::runLong, time),
                settings.timing().driftFactor(),
                time);
        this.nodes = nodes(policy, logLimiters, looks);
        this.ownConnections = nodes.open(scheduling);
        this.forWaiting = nodes.open(scheduling);
        this.unfinished = new UnfinishedReleases(time, settings.nodes().size(), scheduling);
        this.subscriber = nodes.subscriber(scheduling::runLong);
        this.engine = new LockEngine(
                new LockEngine.Environment(time, new SystemRandomness(), Recorders.FOUND, ThisProcess.WHEREABOUTS),
                settings.timing(),
                unfinished,
                new LockEngine.Connections(ownConnections, forWaiting, subscriber),
                new LockEngine.Threads(scheduling, this::runApplication, scheduling));
        this.transactionLeases = engine.transactionLeases(transactions);
        this.shutdown = engine.shutdown(transactionLeases);
        nodes.onClockStoodStill(engine::clockStoodStill);
        this.operations = new Operations(this::isOpen, this::check, engine.lockAdmin(), nodes, ownConnections);
        this.management = new Management(settings.keyPrefix(), engine, unfinished, nodes, operations);
        this.lastAnswers =
                new LastAnswers(settings.timing(), time, nodes, ownConnections, forWaiting, locators, unfinished);
        this.watch = new NodeWatch(nodes, locators, looks, time, complaints);
        scheduling.repeat(this::sweep);
    }

    /** There is a group of nodes for each combination of shards, if there are shards. */
    private LockNodes nodes(GuardPolicy policy, NodeLogLimiters logLimiters, WakeUp looks) {
        Function<VoterConnector, GroupedNodes> groups = connector ->
                new NodeGroup(connector, settings.keyPrefix(), policy, time, Recorders.FOUND, logLimiters, looks);
        return locators.isSharded()
                ? new ShardedNodes(locators, new ScriptCodec(settings.keyPrefix(), 0), groups, time)
                : groups.apply(locators.connector());
    }

    /** Returns new connections to the nodes, for one caller at a time. */
    public NodeChannel openConnections() {
        return nodes.open();
    }

    /** Returns what a new connection handle takes its leases with. */
    public LockSession newSession() {
        return newSession(settings);
    }

    /**
     * Returns what a new connection handle takes its leases with, whose factory has TTL and wait timeout of its own.
     */
    public LockSession newSession(Settings ofFactory) {
        return engine.newSession(transactionLeases, defaults(ofFactory));
    }

    /**
     * Returns a latch.
     *
     * @param ofFactory the settings of its factory: a call that is not confirmed is sent again for the wait timeout
     */
    public DistributedLatch latch(Latch latch, Settings ofFactory, LatchCaller caller) {
        return engine.latches().open(latch, ofFactory.waitTimeout(), caller);
    }

    /** Returns what operators do. */
    public Operations operations() {
        return operations;
    }

    /** As {@link org.holdfast.LockOperations#check()}. */
    private CheckReport check() {
        return nodes.check(settings.timing().maxSkewMicros());
    }

    /** As {@link org.holdfast.LockConnectionFactory#status()}. */
    public CheckReport status() {
        return new CheckReport(nodes.known(), "");
    }

    /**
     * Checks the nodes if the setting {@code checkAtStart} asks for it.
     *
     * @throws LockException if a person has to correct something before there can be a lock; this service is closed
     *     then
     */
    void checkAtStart() {
        CheckReport report = settings.checkAtStart() ? check() : null;
        if (report != null && !report.isUsable()) {
            close();
            throw new LockException("HF0110: checkAtStart=true, and no lock can be had: " + report);
        }
        if (report != null && !report.isReady()) {
            LOG.log(System.Logger.Level.INFO, "HF0111: locks can be had when quarantines have ended: " + report);
        }
    }

    /** Returns what a request has that does not say, and may have at the most, where a factory has these settings. */
    public static LockSession.Defaults defaults(Settings ofFactory) {
        return new LockSession.Defaults(
                ofFactory.waitTimeout(), ofFactory.ttl(), ofFactory.maxTtl(), ofFactory.release());
    }

    /** Returns whether this service takes locks, and has not been closed. */
    public boolean isOpen() {
        return !closed;
    }

    /**
     * The application's code must not run on the thread that closes, which it may block for ever; so there are threads
     * for that.
     */
    private void runApplication(Runnable task) {
        if (threadless) {
            StandaloneScheduling.runAfterClose(task);
        } else {
            scheduling.runApplication(task);
        }
    }

    private void sweep() {
        if (threadless) { // its scheduling may have failed to forget it
            return;
        }
        try {
            engine.renew();
            engine.sweep();
            transactionLeases.sweep();
            long deadline = time.nanoTime() + settings.timing().nodeTimeout().toNanos();
            unfinished.retry(ownConnections, deadline);
            ownConnections.isUsable(); // reads what no caller waits for, and gives up nodes that are overdue
            forWaiting.isUsable();
            watch.begin(scheduling);
        } catch (Throwable e) {
            scheduling.within(DueMoment.PAUSE_NANOS);
            complaints.log("the renewal of leases", e);
        }
    }

    /**
     * Releases every lease but those of open transactions, ends renewals and closes all connections.
     *
     * <p>Transactions may go on for the setting {@code stopTimeoutMillis}. What they keep then is lost, so they cannot
     * commit, and is not released: its TTL ends it on the nodes. Waits 2 s for answers besides, at the most.
     */
    @Override
    public void close() {
        ServiceEnd.of(this, time, endOfTransactions);
    }

    private boolean endTransactions() {
        shutdown.awaitTransactions(time.nanoTime() + settings.stopTimeout().toNanos());
        boolean lost = shutdown.leaveTransactions("the lock service was closed before its transaction ended");
        shutdown.reportHolders();
        return lost;
    }

    /**
     * As {@link #close()}, where the callers are not known to have ended: all holders may go on for the setting {@code
     * stopTimeoutMillis}, and no lock is freed under one of them.
     */
    void closeUnderHolders() {
        ServiceEnd.of(this, time, endOfHolders);
    }

    private boolean endHolders() {
        awaitHolders(time.nanoTime() + settings.stopTimeout().toNanos());
        return leaveHolders("its application ended, and its holder did not end within stopTimeoutMillis = "
                + settings.stopTimeout().toMillis());
    }

    /** Takes no lock from now on, and ends all waiting. Leases are renewed as before. */
    void refuse() {
        engine.stopWaiting(); // while there are threads to notify the application on
    }

    /** Waits until all that was taken before {@link #refuse} is released. */
    void awaitHolders(long deadline) {
        shutdown.awaitHolders(deadline);
    }

    /**
     * Declares lost what is still held, and leaves it on the nodes until its TTL ends: a holder may still work under
     * it.
     *
     * @return whether there was any
     */
    boolean leaveHolders(String reason) {
        return shutdown.leaveHolders(reason);
    }

    /** Waits a moment for listeners of losses to be called, which takes threads that are gone after {@link #stop}. */
    void awaitListeners() {
        shutdown.awaitListeners(time.nanoTime() + LONGEST_TELLING.toNanos());
    }

    /** Stops what runs by itself, without waiting for it to end. To be called after {@link #refuse}. */
    void stop() {
        threadless = true;
        try {
            scheduling.close();
        } finally {
            closed = true;
            watch.close();
            subscriber.stop();
            management.close();
        }
    }

    /** Releases every lease of what was stopped, by the deadline: 1 s or more after it was stopped. */
    void release(long deadline) {
        try {
            subscriber.close(); // its thread may be connecting to a node that hangs: that counts too
        } finally {
            engine.close(deadline);
        }
    }

    /** Closes what was stopped and released, by the same deadline. */
    void finish(long deadline) {
        long until = lastAnswers.endsAt(deadline);
        try {
            shutdown.awaitCallers(until); // they release what they were granted meanwhile
            lastAnswers.await(until);
        } finally {
            lastAnswers.close();
        }
        int unheard = unfinished.size();
        if (unheard > 0) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "HF0105: " + unheard
                            + " releases were not confirmed by a node; those locks end there with their TTL, "
                            + TimeUnit.MILLISECONDS.toSeconds(
                                    settings.timing().maxLeaseTtl().toMillis())
                            + " s at the most");
        }
    }
}
