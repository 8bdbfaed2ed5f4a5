// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.holdfast.LockRequest;

/** The protocol over scripted nodes in virtual time. */
final class ProtocolFixture {

    static final long TTL_MILLIS = 1_000;

    final VirtualTime time = new VirtualTime();
    final Timing timing;
    final ScriptedNodes nodes;
    final ScriptedNodes service;
    final UnfinishedReleases unfinished;
    final Redlock redlock;
    final Renewals renewals;
    final LeaseManager manager;

    /** What listeners of lost leases wait in until the test runs them. */
    final Queue<Runnable> notifications = new ArrayDeque<>();

    /** Where listeners get their threads. */
    Executor threads = notifications::add;

    final ScriptedAnnouncements announcements = new ScriptedAnnouncements();

    private int owners;

    final Randomness randomness = new Randomness() {
        @Override
        public Owner newOwner() {
            return new Owner(String.format("%040x", ++owners));
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
        redlock = new Redlock(time, timing, unfinished, Recorder.NONE);
        renewals = new Renewals(time, redlock);
        manager = new LeaseManager(
                time,
                randomness,
                timing,
                redlock,
                renewals,
                service,
                service,
                task -> threads.execute(task),
                task -> threads.execute(task),
                announcements,
                new Whereabouts("test-host", 42));
    }

    Command.Acquire command(long token) {
        return AnyToken.acquire(new Claim(
                new Target.Alone("a"), randomness.newOwner(), token, TTL_MILLIS, timing.fenceMillis(TTL_MILLIS)));
    }

    /** Attempts once, with all the time it needs. */
    Outcome attempt() {
        return redlock.acquire(nodes, command(7), time.nanoTime() + Long.MAX_VALUE / 2);
    }

    LockRequest request(long waitMillis) {
        return LockRequest.of("a").waitTimeout(Duration.ofMillis(waitMillis)).ttl(Duration.ofMillis(TTL_MILLIS));
    }

    LockSession session(Transactions transactions) {
        return new LockSession(
                manager,
                new TransactionLeases(manager, transactions),
                new LockSession.Defaults(Duration.ZERO, Duration.ofMillis(TTL_MILLIS), Duration.ofSeconds(60)));
    }

    void runNotifications() {
        Runnable next;
        while ((next = notifications.poll()) != null) {
            next.run();
        }
    }
}
