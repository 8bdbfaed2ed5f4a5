// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Optional;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LeaseScope;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.node.Command;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lease that is held already joins a transaction. */
class JoinTransactionTest extends SessionInTransaction {

    @Test
    void lease_thatJoinsWhenTheTransactionHasCheckedItsLocks_isRefusedAndStaysWithItsHolder() throws Exception {
        Lease outside = new NodesConnection(session, fixture.nodes)
                .acquire(LockRequest.of("outside").detached());
        transactions.current = "tx";
        acquire();
        confirm();
        assertThatExceptionOfType(LockException.class).isThrownBy(outside::joinTransaction);
        assertThat(outside.isHeld()).isTrue();
        assertThat(releases()).isZero();
    }

    @Test
    void joinTransaction_ofALeaseThatIsReleasedBefore_keepsTheLockUntilCompletion() throws Exception {
        Lease lease = acquireOfThread();
        session.close();
        int asked = fixture.nodes.sent(Command.Acquire.class).size();
        transactions.current = "tx";
        assertThat(lease.joinTransaction()).isTrue();
        assertThat(fixture.nodes.sent(Command.Acquire.class)).as("of no node").hasSize(asked);
        lease.release();
        assertThat(releases()).isZero();
        transactions.complete();
        assertThat(releases()).isEqualTo(3);
    }

    /** The thread works for the next caller by then; the transaction goes on in whichever thread. */
    @Test
    void lock_thatOnlyATransactionKeeps_isThatOfTheTransaction() throws Exception {
        Lease lease = acquireOfThread();
        transactions.current = "tx";
        assertThat(lease.joinTransaction()).isTrue();
        lease.release();
        assertIsOfTheTransaction();
    }

    @Test
    void lock_whoseConnectionIsClosedAndATransactionKeeps_isThatOfTheTransaction() throws Exception {
        Lease lease = acquire();
        transactions.current = "tx";
        assertThat(lease.joinTransaction()).isTrue();
        session.close();
        assertIsOfTheTransaction();
    }

    private void assertIsOfTheTransaction() throws Exception {
        transactions.current = null;
        assertThat(tryAcquire()).as("by the thread alone").isEmpty();
        transactions.current = "another tx";
        assertThat(tryAcquire()).as("by another transaction on the thread").isEmpty();
        transactions.current = "tx";
        assertThat(tryAcquire()).as("by the transaction").isPresent();
    }

    private Optional<Lease> tryAcquire() throws Exception {
        return new NodesConnection(fixture.session(transactions), fixture.nodes).tryAcquire(fixture.request(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void lock_thatTwoTransactionsKeep_isThatOfTheOneThatIsLeft(String ends) throws Exception {
        Lease lease = acquireOfThread();
        transactions.current = "a";
        lease.joinTransaction();
        transactions.current = "b";
        lease.joinTransaction();
        lease.release();
        transactions.complete(ends);
        transactions.current = "c";
        assertThat(tryAcquire()).as("by a third one").isEmpty();
        transactions.current = ends.equals("a") ? "b" : "a";
        assertThat(tryAcquire()).as("by the other one").isPresent();
    }

    @Test
    void lock_ofATransaction_staysWithItThoughAnotherOneJoins() throws Exception {
        transactions.current = "a";
        Lease lease = new NodesConnection(session, fixture.nodes)
                .acquire(fixture.request(0).scope(LeaseScope.HOLDER));
        transactions.current = "b";
        lease.joinTransaction();
        lease.release();
        transactions.current = "a";
        assertThat(tryAcquire()).isPresent();
    }

    /** The lock is not the transaction's when that ends: the thread goes on under it. */
    @Test
    void lock_ofWhichTheThreadHasALease_isItsOwnWhenTheTransactionHasEnded() throws Exception {
        Lease outer = acquireOfThread();
        Lease inner = acquireOfThread();
        transactions.current = "tx";
        outer.joinTransaction();
        transactions.complete();
        inner.release();
        assertThat(tryAcquire()).isPresent();
        outer.release();
    }

    @Test
    void lock_thatATransactionKeeps_isThatOfTheThreadWhileThatHasALeaseOfIt() throws Exception {
        Lease outer = acquireOfThread();
        Lease inner = acquireOfThread();
        transactions.current = "tx";
        inner.joinTransaction();
        inner.release();
        transactions.current = null;
        assertThat(tryAcquire()).isPresent();
        outer.release();
    }

    @Test
    void joinTransaction_ofALeaseThatIsReleasedAfterwards_endsWithTheLease() throws Exception {
        Lease lease = acquireOfThread();
        transactions.current = "tx";
        assertThat(lease.joinTransaction()).isTrue();
        transactions.complete();
        assertThat(releases()).isZero();
        lease.release();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void commit_afterALeaseThatJoinedItWasLost_isRefused() throws Exception {
        Lease lease = acquireOfThread();
        transactions.current = "tx";
        lease.joinTransaction();
        confirm();
        time.passMillis(1_000);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this::confirm);
    }

    @Test
    void joinTransaction_withoutOneThatMayCommit_bindsNothing() throws Exception {
        Lease lease = acquireOfThread();
        assertThat(lease.joinTransaction()).isFalse();
        transactions.current = "tx";
        transactions.rollbackOnly = true;
        assertThat(lease.joinTransaction()).isFalse();
        assertThat(transactions.completions).isEmpty();
        lease.release();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void joinTransaction_thatDoesNotTakeTheLease_isRefusedAndLeavesTheLeaseAsItWas() throws Exception {
        Lease lease = acquireOfThread();
        transactions.current = "tx";
        transactions.refuses = true;
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(lease::joinTransaction)
                .withMessageContaining("HF0208");
        assertThat(lease.isHeld()).isTrue();
        lease.release();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void joinTransaction_ofALeaseThatIsLostMeanwhile_isRefused() throws Exception {
        transactions.current = "tx";
        Lease lease = acquireOfThread();
        transactions.rollbackOnly = true;
        transactions.whenAsked = () -> time.passMillis(1_000);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::joinTransaction);
    }

    /** Its lock is still held, by another lease. */
    @Test
    void joinTransaction_ofALeaseThatWasReleased_isRefusedWhileAnotherHasTheLock() throws Exception {
        Lease outer = acquireOfThread();
        Lease inner = acquireOfThread();
        inner.release();
        transactions.current = "tx";
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(inner::joinTransaction);
        assertThat(transactions.completions).isEmpty();
        assertThat(outer.isHeld()).isTrue();
    }

    @Test
    void renew_ofALeaseThatWasReleased_isRefusedWhileAnotherHasTheLock() throws Exception {
        Lease outer = acquireOfThread();
        Lease inner = acquireOfThread();
        inner.release();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(inner::renew)
                .withMessageStartingWith("HF0225:");
        assertThat(outer.renew()).isTrue();
    }

    @Test
    void lease_thatIsReleasedTwice_takesNoOtherLeaseAway() throws Exception {
        Lease outer = acquireOfThread();
        Lease inner = acquireOfThread();
        inner.release();
        inner.release();
        assertThat(outer.isHeld()).isTrue();
        assertThat(releases()).isZero();
        outer.release();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void joinTransaction_ofALeaseThatHasEnded_isRefused() throws Exception {
        transactions.current = "tx";
        Lease released = acquireOfThread();
        released.release();
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(released::joinTransaction);
        Lease lost = acquireOfThread();
        time.passMillis(1_000);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lost::joinTransaction);
        assertThat(transactions.completions).isEmpty();
    }
}
