// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.holdfast.LockException;
import org.holdfast.interleavings.Interleavings;
import org.holdfast.interleavings.SlowVariant;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.waiting.AcquireResult;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is taken while the service stops, its connection is closed or its transaction ends is released; and a lock that
 * its holder takes once more while another thread gives it back is held, or is not.
 */
@Tag("nightly")
class EndsInterleavingsTest {

    private static final String PROTOCOL = "org/holdfast/protocol/";

    private static Interleavings stories() {
        return Interleavings.of(Operations.class, Anything.class)
                .asOneStep("protocol.quorum.", "protocol.ScriptedNodes", "protocol.ScriptedNotifications")
                .asOneStep("java.util.stream.", "java.util.ArrayList", "protocol.env.Randomness");
    }

    private static Interleavings stop() {
        return stories().story("take | stop");
    }

    private static Interleavings close() {
        return stories().story("takeByConnection | close");
    }

    private static Interleavings transaction() {
        return stories().story("take", "keep | complete");
    }

    private static Interleavings reentry() {
        return stories().story("take", "takeOnceMore | giveBack");
    }

    public static final class Operations implements Transactions {

        private final ProtocolFixture fixture = new ProtocolFixture(1);
        private final TransactionLeases transactions = fixture.engine.transactionLeases(this);
        private final LockSession session = fixture.session(this);
        private volatile HeldLock taken;
        private volatile boolean stopped;
        private volatile boolean once;
        private volatile boolean over;
        private volatile Completion completion;

        /** The one that takes a lock, whatever thread works for it. */
        private final List<Holder> holder = List.of(Holder.transaction("tx"));

        @Operation
        public void take() throws InterruptedException {
            try {
                taken = taken(fixture.acquire(fixture.nodes, fixture.request(0), holder));
            } catch (IllegalStateException e) { // the service is stopped
                taken = null;
            }
        }

        private static HeldLock taken(AcquireResult result) {
            return ((AcquireResult.Held) result).heldLock();
        }

        @Operation
        public void stop() {
            stopped = true;
            fixture.engine.close(fixture.time.nanoTime() + 1_000_000_000);
        }

        @Operation
        public void takeByConnection() throws InterruptedException {
            try {
                PendingLease pending = session.begin(fixture.request(0), true);
                if (pending.attempt(fixture.nodes)) {
                    pending.lease();
                }
            } catch (IllegalStateException e) { // the connection is closed
                taken = null;
            }
        }

        @Operation
        public void close() {
            stopped = true;
            session.close();
        }

        /** The transaction keeps the lock, unless it has ended meanwhile. */
        @Operation
        public void keep() {
            try {
                transactions.bind("tx", session, LeaseShare.of(taken, false));
            } catch (LockException e) {
                stopped = true;
            }
        }

        @Operation
        public void complete() {
            stopped = true;
            over = true;
            Completion known = completion;
            if (known != null) {
                known.completed();
            }
        }

        @Operation
        public void takeOnceMore() throws InterruptedException {
            once = fixture.engine != null && taken(fixture.acquire(fixture.nodes, fixture.request(0), holder)) == taken;
        }

        @Operation
        public void giveBack() {
            fixture.leases.giveBack(LeaseShare.of(taken, false));
        }

        @Override
        public Object current() {
            return null;
        }

        @Override
        public boolean mayCommit() {
            return false;
        }

        @Override
        public Binding bind(Completion asked) {
            if (over) {
                throw new IllegalStateException("the transaction has ended");
            }
            completion = asked;
            if (over) { // just now: as a transaction manager, it either refuses or calls back
                completion = null;
                throw new IllegalStateException("the transaction has ended");
            }
            return Binding.SILENT;
        }

        @Validate
        public void nothingIsLeft() {
            if (stopped && fixture.heldLocks.size() > 0) {
                throw new IllegalStateException("a lock is held after the end");
            }
            if (once && !taken.isHeld(fixture.time.nanoTime())) {
                throw new IllegalStateException("a lock that was taken once more is not held");
            }
        }
    }

    /** The operations return nothing: what counts is what they leave. */
    public static final class Anything {

        public void take() {}

        public void stop() {}

        public void takeByConnection() {}

        public void close() {}

        public void keep() {}

        public void complete() {}

        public void takeOnceMore() {}

        public void giveBack() {}
    }

    @Test
    void lock_thatIsTakenWhileTheServiceStops_isReleased() {
        stop().check();
    }

    @Test
    void lock_thatIsTakenWhileItsConnectionIsClosed_isReleased() {
        close().check();
    }

    @Test
    void lock_thatATransactionKeepsWhileItEnds_isReleased() {
        transaction().check();
    }

    @Test
    void lock_thatIsTakenOnceMoreWhileItIsGivenBack_isHeldOrIsNot() {
        reentry().check();
    }

    @Test
    void lockThatComesAfterTheStop_isFound() throws Exception {
        assertThat(stop().checkWith(
                                PROTOCOL + "lease/Grants.java",
                                "stopFlag.isRaised() && heldLock.giveBackAll()",
                                "stopFlag.isRaised() && heldLock.isDetached() && heldLock.giveBackAll()"))
                .contains("a lock is held after the end");
    }

    @Test
    void leaseThatComesAfterTheClose_isFound() throws Exception {
        assertThat(close().checkWith(PROTOCOL + "session/LockSession.java", "            requireOpen(lease);\n", ""))
                .contains("a lock is held after the end");
    }

    @Test
    void leaseThatComesAfterTheTransaction_isFound() throws Exception {
        assertThat(transaction()
                        .checkWith(
                                PROTOCOL + "session/TransactionLeases.java",
                                "if (completed) {",
                                "if (completed && confirmed) {"))
                .contains("a lock is held after the end");
    }

    @SlowVariant
    @Test
    void shareOfALockThatIsGone_isFound() throws Exception {
        assertThat(reentry()
                        .checkWith(
                                PROTOCOL + "waiting/Reentry.java",
                                "if (!mine.share(time.nanoTime(), reads)) {",
                                "mine.share(time.nanoTime(), reads);\n        if (mine.claim().target().isPermit()) {"))
                .contains("a lock that was taken once more is not held");
    }
}
