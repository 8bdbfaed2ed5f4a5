// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.holdfast.Lease;
import org.holdfast.LogLines;
import org.holdfast.Release;
import org.holdfast.protocol.InterruptedWaits;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.waiting.AcquireResult;
import org.holdfast.protocol.waiting.Acquiring;
import org.holdfast.protocol.waiting.WaitingBridge;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a stop waits for, and what it declares lost. */
class LeaseShutdownTest {

    private static final long PATIENCE = MILLISECONDS.toNanos(500);

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final VirtualTime time = fixture.time;
    private final LogLines log = LogLines.of("org.holdfast.protocol");
    private final LeaseShutdown shutdown = fixture.engine.shutdown(fixture.engine.transactionLeases(Transactions.NONE));

    @AfterEach
    void listenNoMore() {
        log.close();
    }

    private HeldLock heldLock() throws InterruptedException {
        AcquireResult done = fixture.acquire(fixture.nodes, fixture.request(0), List.of(Holder.thread()));
        return ((AcquireResult.Held) done).heldLock();
    }

    private boolean waitsForCallers() {
        long before = time.nanoTime();
        shutdown.awaitCallers(before + PATIENCE);
        return time.nanoTime() != before;
    }

    /** The last node asks when a command of that kind reaches it. */
    private List<Boolean> waitsDuring(ScriptedNodes nodes, Class<? extends Command> kind) {
        List<Boolean> waits = new ArrayList<>();
        nodes.node(2, command -> {
            if (kind.isInstance(command)) {
                waits.add(waitsForCallers());
            }
            return ScriptedNodes.agree(command);
        });
        return waits;
    }

    /** What it is granted after the stop has to be released through connections that are still open. */
    @Test
    void callers_areWaitedFor_whileOneAttempts() throws Exception {
        List<Boolean> waits = waitsDuring(fixture.nodes, Command.Acquire.class);
        assertThat(waitsForCallers()).isFalse();
        heldLock();
        assertThat(waits).containsExactly(true);
        assertThat(waitsForCallers()).isFalse();
    }

    @Test
    void callers_areWaitedFor_whileOneReleases() throws Exception {
        List<Boolean> waits = waitsDuring(fixture.service, Command.Release.class);
        fixture.leases.giveBack(LeaseShare.of(heldLock(), false));
        assertThat(waits).containsExactly(true);
        assertThat(waitsForCallers()).isFalse();
        fixture.leases.giveBack(List.of(LeaseShare.of(heldLock(), false)));
        assertThat(waits).containsExactly(true, true);
        assertThat(waitsForCallers()).isFalse();
    }

    @Test
    void callers_areWaitedFor_whileOneStandsInLine_orLeavesItWithALockThatCameTooLate() throws Exception {
        HeldLock heldLock = heldLock();
        Acquiring waiter = fixture.acquirer.begin(fixture.request(60_000), Holder.transaction("waiter"));
        WaitingBridge.enter(waiter);
        fixture.leases.giveBack(LeaseShare.of(heldLock, false)); // is handed off to the waiter, which gives up
        assertThat(waitsForCallers()).isTrue();
        List<Boolean> waits = waitsDuring(fixture.service, Command.Release.class);
        WaitingBridge.leave(waiter);
        assertThat(waits).containsExactly(true);
        assertThat(waitsForCallers()).isFalse();
    }

    @Test
    void holders_thatWorkWhenTheFactoryIsClosed_areNamed() throws Exception {
        shutdown.reportHolders();
        assertThat(log.beginningWith("HF0236")).isEmpty();
        HeldLock heldLock = heldLock();
        shutdown.reportHolders();
        assertThat(log.beginningWith("HF0236"))
                .singleElement()
                .asString()
                .startsWith("HF0236: 1 locks")
                .endsWith(heldLock.lock());
        assertThat(heldLock.loss()).as("it is only named").isNull();
    }

    @Test
    void holders_areWaitedForUntilTheyRelease_thenTheirLeasesAreLost() throws Exception {
        HeldLock heldLock = heldLock();
        long deadline = time.nanoTime() + PATIENCE;
        shutdown.awaitHolders(deadline);
        assertThat(time.nanoTime()).isEqualTo(deadline);
        assertThat(shutdown.leaveHolders("a test")).isTrue();
        assertThat(heldLock.loss().reason()).isEqualTo("a test");
        assertThat(log.beginningWith("HF0218")).singleElement().asString().startsWith("HF0218: 1 leases");

        shutdown.awaitHolders(deadline + PATIENCE);
        assertThat(time.nanoTime()).as("none is left").isEqualTo(deadline);
        assertThat(shutdown.leaveHolders("a test")).isFalse();
        assertThat(log.beginningWith("HF0218")).hasSize(1);
    }

    private static final class OneTransaction implements Transactions {
        private Completion bound;

        @Override
        public Object current() {
            return "tx";
        }

        @Override
        public boolean mayCommit() {
            return true;
        }

        @Override
        public Binding bind(Completion completion) {
            bound = completion;
            return Binding.SILENT;
        }
    }

    @Test
    void transactions_areWaitedForUntilTheyComplete_thenTheirLeasesAreLost() throws Exception {
        OneTransaction transaction = new OneTransaction();
        TransactionLeases kept = fixture.engine.transactionLeases(transaction);
        Duration ttl = Duration.ofMillis(ProtocolFixture.TTL_MILLIS);
        LockSession session =
                fixture.engine.newSession(kept, new LockSession.Defaults(Duration.ZERO, ttl, ttl, Release.CONFIRMED));
        LeaseShutdown shutdownOfBoth = fixture.engine.shutdown(kept);
        Lease lease = new NodesConnection(session, fixture.nodes).acquire(fixture.request(0));
        long deadline = time.nanoTime() + PATIENCE;
        shutdownOfBoth.awaitTransactions(deadline);
        assertThat(time.nanoTime()).isEqualTo(deadline);
        assertThat(shutdownOfBoth.leaveTransactions("a test")).isTrue();
        assertThat(lease.isHeld()).isFalse();

        transaction.bound.completed();
        shutdownOfBoth.awaitTransactions(deadline + PATIENCE);
        assertThat(time.nanoTime()).as("none is open").isEqualTo(deadline);
        assertThat(shutdownOfBoth.leaveTransactions("a test")).isFalse();
        assertThat(fixture.service.sent(Command.Release.class)).isEmpty();
    }

    @Test
    void listeners_areWaitedForUntilTheyHaveAThread() throws Exception {
        heldLock().onLost(loss -> {});
        fixture.threads = call -> {
            throw new RejectedExecutionException("no thread");
        };
        fixture.engine.clockStoodStill(1);
        long deadline = time.nanoTime() + PATIENCE;
        shutdown.awaitListeners(deadline);
        assertThat(time.nanoTime()).isEqualTo(deadline);
        fixture.threads = Runnable::run;
        fixture.engine.sweep();
        shutdown.awaitListeners(deadline + PATIENCE);
        assertThat(time.nanoTime()).as("none waits").isEqualTo(deadline);
    }

    @Test
    void wait_ofAnInterruptedThread_ends_andTheInterruptIsKept() {
        LeaseShutdown interrupted = new LeaseShutdown(
                new InterruptedWaits(time), fixture.heldLocks, fixture.leases, null, null, () -> false);
        interrupted.awaitCallers(time.nanoTime() + PATIENCE);
        assertThat(Thread.interrupted()).isTrue();
    }
}
