// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.env.KeptInterrupt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LossInterruptTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final LockSession session = fixture.session(Transactions.NONE);

    @AfterEach
    void forgetInterrupts() {
        Thread.interrupted();
    }

    private Lease acquire(LockRequest request) throws InterruptedException {
        return new NodesConnection(session, fixture.nodes).acquire(request);
    }

    private LockRequest request() {
        return fixture.request(0)
                .fixedTtl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS))
                .interruptOnLoss(true);
    }

    private void lose(Lease lease) {
        fixture.time.passMillis(ProtocolFixture.TTL_MILLIS);
        assertThat(lease.isHeld()).isFalse();
        fixture.runNotifications();
    }

    @Test
    void loss_interruptsTheThreadThatTookTheLease() throws Exception {
        lose(acquire(request()));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void loss_ofALeaseThatDidNotAskForIt_interruptsNobody() throws Exception {
        lose(acquire(request().interruptOnLoss(false)));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void release_takesBackAnInterruptThatNobodyNoticed() throws Exception {
        Lease lease = acquire(request());
        lose(lease);
        lease.release();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void closingTheConnection_takesItBackToo() throws Exception {
        lose(acquire(request().scope(LeaseScope.CONNECTION)));
        session.close();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** A transaction keeps both, and its thread has gone on to other work. */
    @Test
    void loss_afterTheConnectionWasClosed_interruptsNobody() throws Exception {
        List<Lease> kept = new ArrayList<>();
        LockSession inTransaction = fixture.session(new Transactions() {
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
                // it lasts for longer than the test
                return Binding.SILENT;
            }
        });
        for (String name : List.of("a", "b")) {
            kept.add(new NodesConnection(inTransaction, fixture.nodes)
                    .acquire(LockRequest.of(name).interruptOnLoss(true)));
        }
        inTransaction.close();
        kept.forEach(this::lose);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void release_leavesAnInterruptThatWasThereBeforeTheLoss() throws Exception {
        Lease lease = acquire(request());
        Thread.currentThread().interrupt();
        lose(lease);
        lease.release();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void release_leavesAnInterruptThatWasKeptAsideDuringTheLoss() throws Exception {
        Lease lease = acquire(request());
        Thread.currentThread().interrupt();
        KeptInterrupt kept = KeptInterrupt.take(null);
        lose(lease);
        KeptInterrupt.restore(kept);
        lease.release();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void release_takesBackAnInterruptOfTheLoss_alsoIfItWasKeptAsideSeveralTimes() throws Exception {
        Lease lease = acquire(request());
        lose(lease);
        for (int wait = 0; wait < 3; wait++) {
            KeptInterrupt outer = KeptInterrupt.take(null);
            KeptInterrupt inner = KeptInterrupt.take(null);
            assertThat(inner).isNull();
            KeptInterrupt.restore(outer);
        }
        lease.release();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void release_leavesAnInterruptThatCameWhileThatOfTheLossWasKeptAside() throws Exception {
        Lease lease = acquire(request());
        lose(lease);
        KeptInterrupt kept = KeptInterrupt.take(null);
        Thread.currentThread().interrupt();
        KeptInterrupt.restore(KeptInterrupt.take(kept));
        lease.release();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void loss_afterTheRelease_interruptsNobody() throws Exception {
        Lease lease = acquire(request());
        Lease again = acquire(request().interruptOnLoss(false));
        lease.release();
        lose(again);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void release_onAnotherThread_cannotTakeItBack() throws Exception {
        Lease lease = acquire(request());
        lose(lease);
        Thread other = new Thread(lease::release);
        other.start();
        while (other.isAlive()) {
            Thread.onSpinWait(); // a join would take the interrupt
        }
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void loss_ofTwoLeases_interruptsUntilBothHaveEnded() throws Exception {
        Lease outer = acquire(request());
        LockRequest other = LockRequest.of("b")
                .fixedTtl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS))
                .interruptOnLoss(true);
        Lease inner = acquire(other);
        lose(inner);
        assertThat(outer.isHeld()).isFalse();
        fixture.runNotifications();
        inner.release();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        outer.release();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interruptOfALeaseThatOutlivesItsConnection_endsWithTheLease() throws Exception {
        Lease lease = acquire(request().scope(LeaseScope.HOLDER));
        lose(lease);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        lease.release();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Lost on a thread of its own, or on the caller's; the thread that took it drops the lease without a release. */
    private void loseWithoutRelease() {
        try {
            lose(acquire(request().scope(LeaseScope.THREAD)));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private WeakReference<Thread> threadThatLosesWithoutRelease() throws InterruptedException {
        Thread thread = new Thread(this::loseWithoutRelease);
        thread.start();
        thread.join();
        return new WeakReference<>(thread);
    }

    @Test
    void loss_ofALeaseThatNobodyEnds_letsItsThreadGo() throws Exception {
        WeakReference<Thread> thread = threadThatLosesWithoutRelease();
        await().until(() -> {
            System.gc();
            return thread.get() == null;
        });
    }

    @Test
    void release_onAThreadThatHasNotEndedAnotherLease_takesItsInterruptBack() throws Exception {
        loseWithoutRelease();
        boolean stays = Thread.interrupted(); // it has noticed
        assertThat(stays).isTrue();
        for (int tries = 0; stays && tries < 100; tries++) {
            System.gc();
            Lease lease = acquire(request());
            lose(lease);
            lease.release();
            stays = Thread.interrupted();
        }
        assertThat(stays).isFalse();
    }

    @Test
    void leaseOfNoThread_cannotAskForAnInterrupt() {
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> request().scope(LeaseScope.DETACHED))
                .withMessageContaining("interruptOnLoss needs a lease of the thread, the scope was DETACHED");
    }
}
