// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.UnfinishedReleases;

/** The protocol over scripted nodes in virtual time. */
final class ProtocolFixture {

    static final long TTL_MILLIS = 1_000;

    final VirtualTime time = new VirtualTime();
    final Timing timing;
    final ScriptedNodes nodes;
    final ScriptedNodes service;
    final UnfinishedReleases unfinished;
    final Renewals renewals;
    final LockEngine engine;

    /** What listeners of lost leases wait in until the test runs them. */
    final Queue<Runnable> lossNotices = new ArrayDeque<>();

    /** Where listeners get their threads. */
    Executor threads = lossNotices::add;

    final ScriptedNotifications notifications = new ScriptedNotifications();

    private int owners;

    final Randomness randomness = new Randomness() {
        @Override
        public String uniqueId() {
            return String.format("%040x", ++owners);
        }

        @Override
        public long below(long bound) {
            return bound / 2;
        }
    };

    ProtocolFixture(int count) {
        this(count, Duration.ofSeconds(1));
    }

    ProtocolFixture(int count, Duration commitMargin) {
        timing = new Timing(
                Duration.ofMillis(50),
                Duration.ofSeconds(60),
                Duration.ofMinutes(10),
                0.01,
                commitMargin,
                Duration.ofSeconds(1));
        nodes = new ScriptedNodes(time, count);
        service = new ScriptedNodes(time, count);
        unfinished = new UnfinishedReleases(time, count);
        engine = engine(task -> threads.execute(task));
        renewals = engine.renewals;
    }

    /** Returns the protocol over the same nodes, with these threads. */
    LockEngine engine(Executor executor) {
        return new LockEngine(
                new LockEngine.Environment(time, randomness, Recorder.NONE, new ProcessInfo("test-host", 42)),
                timing,
                unfinished,
                new LockEngine.Connections(service, service, notifications),
                new LockEngine.Threads(executor, executor));
    }

    Command.Acquire command(long token) {
        return AnyToken.acquire(new Claim(
                new Target.Exclusive("a"),
                new Owner(randomness.uniqueId()),
                token,
                TTL_MILLIS,
                timing.fenceMillis(TTL_MILLIS)));
    }

    LockRequest request(long waitMillis) {
        return LockRequest.of("a").waitTimeout(Duration.ofMillis(waitMillis)).ttl(Duration.ofMillis(TTL_MILLIS));
    }

    LockSession session(Transactions transactions) {
        return engine.newSession(
                engine.transactionLeases(transactions),
                new LockSession.Defaults(Duration.ZERO, Duration.ofMillis(TTL_MILLIS), Duration.ofSeconds(60)));
    }

    void runNotifications() {
        Runnable next;
        while ((next = lossNotices.poll()) != null) {
            next.run();
        }
    }
}
