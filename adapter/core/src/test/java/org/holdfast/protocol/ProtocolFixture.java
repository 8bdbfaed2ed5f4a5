// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.holdfast.protocol.admin.LockAdmin;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.lease.Grants;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.HeldLocks;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.Leases;
import org.holdfast.protocol.lease.Renewals;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.queue.WaitQueues;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.TokenClock;
import org.holdfast.protocol.quorum.UnfinishedReleases;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.protocol.waiting.AcquireResult;
import org.holdfast.protocol.waiting.Acquirer;
import org.holdfast.protocol.waiting.Acquiring;
import org.holdfast.protocol.waiting.AttemptLimiter;
import org.holdfast.protocol.waiting.BlockingWait;

/** The protocol over scripted nodes in virtual time. */
public final class ProtocolFixture {

    public static final long TTL_MILLIS = 1_000;

    public static final int MOST_ATTEMPTS = LockEngine.MOST_ATTEMPTS;

    public final VirtualTime time = new VirtualTime();
    public final Timing timing;
    public final ScriptedNodes nodes;
    public final ScriptedNodes service;
    public final UnfinishedReleases unfinished;

    /** Is told when a release is to be sent again. */
    public WakeUp whenUnfinished;

    /** Is told when a sweep is due. */
    public WakeUp whenDue;

    /** What a request has that does not say. */
    public static final LockSession.Defaults DEFAULTS = new LockSession.Defaults(
            Duration.ZERO, Duration.ofMillis(TTL_MILLIS), Duration.ofSeconds(60), Release.CONFIRMED);

    public final LockEngine engine;

    // the parts of the engine that tests of several rooms use
    public final Acquirer acquirer;
    public final AttemptLimiter attemptLimiter;
    public final Leases leases;
    public final HeldLocks heldLocks;
    public final Renewals renewals;
    public final Grants grants;
    public final WaitQueues waitQueues;
    public final TokenClock tokens;
    public final LockAdmin lockAdmin;

    /** What listeners of lost leases wait in until the test runs them. */
    final Queue<Runnable> lossNotices = new ArrayDeque<>();

    /** Where listeners get their threads. */
    public Executor threads = lossNotices::add;

    /** Within how many nanoseconds sweeps were asked for. */
    public final Queue<Long> wakeUps = new ConcurrentLinkedQueue<>();

    public final ScriptedNotifications notifications = new ScriptedNotifications();

    private int owners;

    public final Randomness randomness = new Randomness() {
        @Override
        public byte[] uniqueId() {
            return ByteBuffer.allocate(20).putInt(16, ++owners).array();
        }

        @Override
        public long below(long bound) {
            return bound / 2;
        }
    };

    public ProtocolFixture(int count) {
        this(count, Duration.ofSeconds(1));
    }

    public ProtocolFixture(int count, Duration commitMargin) {
        timing = new Timing(
                Duration.ofMillis(50),
                Duration.ofSeconds(60),
                Duration.ofMinutes(10),
                0.01,
                commitMargin,
                Duration.ofSeconds(1));
        nodes = new ScriptedNodes(time, count);
        service = new ScriptedNodes(time, count);
        whenUnfinished = wakeUps::add;
        whenDue = wakeUps::add;
        unfinished = new UnfinishedReleases(time, count, nanos -> whenUnfinished.within(nanos));
        engine = engine(task -> threads.execute(task));
        acquirer = engine.acquirer;
        attemptLimiter = engine.attemptLimiter;
        leases = engine.leases;
        heldLocks = engine.heldLocks;
        renewals = engine.renewals;
        grants = engine.grants;
        waitQueues = engine.waitQueues;
        tokens = engine.tokens;
        lockAdmin = engine.lockAdmin();
    }

    /** Returns the protocol over the same nodes, with these threads. */
    public LockEngine engine(Executor executor) {
        return new LockEngine(
                new LockEngine.Environment(time, randomness, Recorder.NONE, new ProcessInfo("test-host", 42)),
                timing,
                unfinished,
                new LockEngine.Connections(service, service, notifications),
                new LockEngine.Threads(executor, executor, nanos -> whenDue.within(nanos)));
    }

    public Command.Acquire command(long token) {
        return AnyToken.acquire(new Claim(
                new Target.Exclusive("a"),
                new Owner(randomness.uniqueId()),
                token,
                TTL_MILLIS,
                timing.fenceMillis(TTL_MILLIS)));
    }

    public LockRequest request(long waitMillis) {
        return LockRequest.of("a").waitTimeout(Duration.ofMillis(waitMillis)).ttl(Duration.ofMillis(TTL_MILLIS));
    }

    /** Takes a lock on the calling thread, as one of these holders. */
    public AcquireResult acquire(Nodes through, LockRequest request, List<Holder> holders) throws InterruptedException {
        HeldLock mine = engine.reentry.enter(request, holders);
        if (mine != null) {
            return new AcquireResult.Held(mine);
        }
        Acquiring acquiring = acquirer.begin(request, holders.get(0));
        AcquireResult atOnce = acquiring.attempt(through);
        return atOnce != null ? atOnce : new BlockingWait(acquiring, new StopFlag(), true).await();
    }

    public LockSession session(Transactions transactions) {
        return session(engine, transactions);
    }

    public LockSession session(LockEngine of, Transactions transactions) {
        return of.newSession(of.transactionLeases(transactions), DEFAULTS);
    }

    public void runNotifications() {
        Runnable next;
        while ((next = lossNotices.poll()) != null) {
            next.run();
        }
    }

    /** Has every node of the service answer so to each attempt, and agree to the rest. */
    public void everyNode(Reply toAttempts) {
        for (int node = 0; node < service.count(); node++) {
            service.node(
                    node, command -> command instanceof Command.Acquire ? toAttempts : ScriptedNodes.agree(command));
        }
    }
}
