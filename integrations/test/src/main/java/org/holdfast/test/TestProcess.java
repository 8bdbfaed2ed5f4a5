// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.holdfast.CheckReport;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.env.Closed;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.quorum.UnfinishedReleases;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.TransactionLeases;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.redis.survey.FoundLocks;
import org.holdfast.redis.survey.Waiting;
import org.holdfast.runtime.LockService;
import org.holdfast.runtime.Settings;

/** One process of the application: the real protocol on the nodes in memory. */
final class TestProcess implements LockConnectionFactory {

    private static final long LONGEST_CLOSE = TimeUnit.SECONDS.toNanos(1);

    private final VirtualTime time;
    private final MemoryNodes nodes;
    private final MemoryNotifications notifications;
    private final UnfinishedReleases unfinished;
    private final LockEngine engine;
    private final TransactionLeases transactionLeases;
    private final LockSession.Defaults defaults;
    private final Settings settings;
    private final AtomicBoolean closed = new AtomicBoolean();

    TestProcess(
            String name,
            Settings settings,
            MemoryNodes nodes,
            VirtualTime time,
            TestThreads threads,
            Transactions transactions) {
        this.settings = settings;
        this.nodes = nodes;
        this.time = time;
        this.notifications = new MemoryNotifications(nodes.codec(), threads);
        nodes.listen(notifications);
        this.unfinished = new UnfinishedReleases(time, nodes.count(), time::within);
        this.engine = new LockEngine(
                new LockEngine.Environment(time, new TestRandomness(), Recorder.NONE, new ProcessInfo(name, 1)),
                settings.timing(),
                unfinished,
                new LockEngine.Connections(nodes, nodes, notifications),
                new LockEngine.Threads(threads, threads, time::within));
        this.transactionLeases = engine.transactionLeases(transactions);
        this.defaults = LockService.defaults(settings);
    }

    /** Does what is due: renews leases, asks for waiters without a thread, and repeats releases. */
    void sweep() {
        engine.renew();
        engine.sweep();
        unfinished.retry(
                nodes, time.nanoTime() + settings.timing().nodeTimeout().toNanos());
    }

    /** A lock was taken away by force: its holders check at once whether they still have it. */
    void takenAway(String name) {
        notifications.takenAway(name);
    }

    int waiters() {
        return engine.placedWaiters();
    }

    boolean isClosed() {
        return closed.get();
    }

    LockSession newSession() {
        return engine.newSession(transactionLeases, defaults);
    }

    Nodes nodes() {
        return nodes;
    }

    LockEngine engine() {
        return engine;
    }

    Duration waitTimeout() {
        return settings.waitTimeout();
    }

    private void requireOpen() {
        if (closed.get()) {
            throw Closed.factory();
        }
    }

    @Override
    public LockConnection getConnection() {
        requireOpen();
        return new TestConnection(this);
    }

    @Override
    public int nodeCount() {
        return nodes.count();
    }

    @Override
    public void validate(LockRequest request) {
        defaults.complete(request);
    }

    @Override
    public CheckReport check() {
        requireOpen();
        return new CheckReport(
                IntStream.range(0, nodes.count()).mapToObj(this::check).toList(), "");
    }

    private CheckReport.Node check(int node) {
        return nodes.isHanging(node)
                ? new CheckReport.Node(
                        nodes.address(node), CheckReport.State.UNUSABLE, "no answer: it hangs", Duration.ZERO)
                : new CheckReport.Node(nodes.address(node), CheckReport.State.VOTES, "", Duration.ZERO);
    }

    @Override
    public List<LockHolder> holders(LockRequest request) {
        requireOpen();
        return engine.lockAdmin().holders(nodes, request);
    }

    @Override
    public LockState state(LockRequest request) {
        Waiting waiting = nodes.waiting(request.name());
        return new LockState(request, holders(request), waiting.inLine(), waiting.listening());
    }

    @Override
    public LockListing locks(int limit) {
        FoundLocks found = new FoundLocks(limit);
        nodes.find(found);
        return new LockListing(
                found.requests().stream()
                        .map(this::state)
                        .filter(lock -> !lock.isIdle())
                        .toList(),
                found.isComplete(),
                found.skipped());
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, String reason) {
        requireOpen();
        return engine.lockAdmin().forceRelease(nodes, request, reason);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, long token, String reason) {
        requireOpen();
        return engine.lockAdmin().forceRelease(nodes, request, token, reason);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            engine.close(time.nanoTime() + LONGEST_CLOSE);
        }
    }
}
