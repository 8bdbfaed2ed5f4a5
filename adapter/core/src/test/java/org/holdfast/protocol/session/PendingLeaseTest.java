// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.holdfast.Lease;
import org.holdfast.LockException;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.node.Command;
import org.junit.jupiter.api.Test;

/** What becomes of a lock whose transaction changes while it is granted. */
class PendingLeaseTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final ChangingTransactions transactions = new ChangingTransactions();
    private final NodesConnection connection = new NodesConnection(fixture.session(transactions), fixture.nodes);

    /** Transactions that fail, or end, as the test says. */
    private static final class ChangingTransactions implements Transactions {
        private Object current;
        private boolean mayCommit = true;
        private Throwable whenAsked;
        private Throwable whenBound;

        @Override
        public Object current() {
            return current;
        }

        @Override
        public boolean mayCommit() {
            fail(whenAsked);
            return current != null && mayCommit;
        }

        @Override
        public Binding bind(Completion completion) {
            fail(whenBound);
            return Binding.SILENT;
        }

        private static void fail(Throwable failure) {
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure instanceof RuntimeException exception) {
                throw exception;
            }
        }
    }

    private Lease acquire() throws InterruptedException {
        return connection.acquire(fixture.request(0).interruptOnLoss(true));
    }

    private void whenGranted(Runnable change) {
        fixture.nodes.node(0, command -> {
            change.run();
            return ScriptedNodes.agree(command);
        });
    }

    private void assertNothingIsHeld() {
        assertThat(fixture.heldLocks.size()).isZero();
        assertThat(fixture.service.sent(Command.Release.class)).hasSize(3);
    }

    @Test
    void lease_whoseTransactionEndsMeanwhile_isTheThreadsToTakeOnceMore() throws Exception {
        transactions.current = "tx";
        whenGranted(() -> transactions.mayCommit = false);
        Lease first = acquire();
        transactions.current = null;
        Lease again = acquire();
        assertThat(again.token()).isEqualTo(first.token());
        again.release();
        first.release();
        assertNothingIsHeld();
    }

    @Test
    void lockOfATransaction_takenOnceMoreWhenItCanOnlyRollBack_staysTheTransactions() throws Exception {
        transactions.current = "tx";
        acquire();
        transactions.mayCommit = false;
        acquire();
        transactions.current = null;
        assertThat(connection.tryAcquire(fixture.request(0))).isEmpty();
    }

    @Test
    void lock_whoseTransactionCannotBeAskedAfterwards_isReleased() {
        transactions.current = "tx";
        whenGranted(() -> transactions.whenAsked = new IllegalStateException("the registry is gone"));
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::acquire);
        assertNothingIsHeld();
    }

    @Test
    void lockTakenOnceMore_whoseTransactionCannotBeAskedAfterwards_endsWithItsFirstLease() throws Exception {
        Lease first = acquire();
        transactions.current = "tx";
        transactions.whenBound = new IllegalStateException("the registry is gone");
        assertThatExceptionOfType(LockException.class).isThrownBy(this::acquire);
        first.release();
        assertNothingIsHeld();
    }

    @Test
    void lock_whoseTransactionIsLinkedWrong_isReleasedAndInterruptsNoThread() throws Exception {
        Lease first = connection.acquire(fixture.request(0));
        transactions.current = "tx";
        transactions.whenBound = new AbstractMethodError("registerInterposedSynchronization");
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(this::acquire)
                .withCauseInstanceOf(AbstractMethodError.class);
        fixture.time.passMillis(ProtocolFixture.TTL_MILLIS);
        assertThat(first.isHeld()).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }
}
