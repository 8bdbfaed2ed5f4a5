// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockException;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ScriptedNodes;
import org.junit.jupiter.api.Test;

/** For how long a lease lasts that is taken in a transaction, or beside one. */
class TransactionLeasesTest extends SessionInTransaction {

    @Test
    void lease_inTransaction_outlivesItsSessionAndItsOwnRelease() throws Exception {
        transactions.current = "tx";
        Lease lease = acquire();
        lease.release();
        session.close();
        assertThat(releases()).isZero();

        transactions.complete();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lease_takenTwiceInTransaction_isReleasedOnceAndTheTransactionBoundOnce() throws Exception {
        transactions.current = "tx";
        acquire();
        acquire();
        assertThat(transactions.completions).hasSize(1);
        transactions.complete();
        assertThat(releases()).isEqualTo(3);
    }

    /** A connection may stay open for as long as the application runs. */
    @Test
    void leases_whoseTransactionsHaveCompleted_areForgottenByTheirSession() throws Exception {
        for (int i = 0; i < 10; i++) {
            transactions.current = "tx " + i;
            acquire();
            new NodesConnection(session, fixture.nodes)
                    .acquire(fixture.request(0).interruptOnLoss(true));
            transactions.complete();
        }
        assertThat(session.remembered()).isLessThanOrEqualTo(1);
    }

    @Test
    void lease_takenBeforeTheTransaction_isSharedByItAndReleasedAfterBoth() throws Exception {
        Lease outer = acquire();
        transactions.current = "tx";
        Lease inner = acquire();
        assertThat(inner.token()).isEqualTo(outer.token());
        transactions.complete();
        assertThat(releases()).isZero();
        outer.release();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lease_ofAnotherTransaction_isContention() throws Exception {
        transactions.current = "outer";
        acquire();
        transactions.current = "inner"; // the outer one is suspended
        assertThat(new NodesConnection(session, fixture.nodes).tryAcquire(fixture.request(0)))
                .isEmpty();
    }

    @Test
    void lease_againAfterTheTransactionWasMarkedForRollback_isSharedAndEndsWithTheSession() throws Exception {
        transactions.current = "tx";
        Lease first = acquire();
        transactions.rollbackOnly = true;
        assertThat(acquire().token()).isEqualTo(first.token());
        session.close();
        assertThat(releases()).isZero();
        transactions.complete();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lease_takenInATransactionMarkedForRollback_endsWithTheSession() throws Exception {
        transactions.current = "tx";
        transactions.rollbackOnly = true;
        acquire();
        assertThat(transactions.completions).isEmpty();
        session.close();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lease_whoseTransactionIsMarkedWhileItIsWaitedFor_endsWithTheSession() throws Exception {
        transactions.current = "tx";
        fixture.nodes.node(0, command -> {
            transactions.rollbackOnly = true;
            return ScriptedNodes.agree(command);
        });
        acquire();
        assertThat(transactions.completions).as("it might never call back").isEmpty();
        session.close();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lease_thatTheTransactionDoesNotTake_isReleasedAndRefused() throws Exception {
        transactions.current = "tx";
        transactions.refuses = true;
        assertThatExceptionOfType(LockException.class).isThrownBy(this::acquire).withMessageContaining("'a'");
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lease_afterCompletionOnAnotherThread_isNotLeftBehind() throws Exception {
        transactions.current = "tx";
        acquire();
        Transactions.Completion completion = transactions.completions.get(0);
        completion.completed(); // the reaper, while this thread goes on
        assertThat(releases()).isEqualTo(3);
        acquire();
        assertThat(transactions.completions).as("bound anew").hasSize(2);
    }

    @Test
    void lease_ofAHolder_isHeldUntilItIsReleasedAndItsTransactionHasCompleted_whicheverIsLater() throws Exception {
        transactions.current = "tx";
        Lease early = acquireOfHolder();
        early.release();
        assertThat(releases()).isZero();
        transactions.complete();
        assertThat(releases()).isEqualTo(3);

        transactions.current = "tx";
        Lease late = acquireOfHolder();
        transactions.complete(); // by the reaper, while the method under the lock goes on
        assertThat(late.isHeld()).isTrue();
        assertThat(releases()).isEqualTo(3);
        late.release();
        assertThat(releases()).isEqualTo(6);
    }

    @Test
    void lease_ofAHolder_thatTheTransactionDoesNotTake_isReleasedAndRefused() throws Exception {
        transactions.current = "tx";
        transactions.refuses = true;
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(this::acquireOfHolder)
                .withMessageContaining("HF0208");
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lease_ofTheThreadInATransaction_endsWhenItIsReleasedAndIsTheTransactionsToTakeOnceMore() throws Exception {
        transactions.current = "tx";
        Lease mine = new NodesConnection(session, fixture.nodes)
                .acquire(fixture.request(0).scope(LeaseScope.THREAD));
        assertThat(transactions.completions).isEmpty();
        Lease shared = acquire();
        assertThat(shared.token()).isEqualTo(mine.token());
        transactions.complete();
        assertThat(releases()).isZero();
        mine.release();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lock_ofATransaction_isItsThreadsToTakeOnceMore() throws Exception {
        transactions.current = "tx";
        Lease kept = acquire();
        Lease mine = new NodesConnection(session, fixture.nodes)
                .acquire(fixture.request(0).scope(LeaseScope.THREAD));
        assertThat(mine.token()).isEqualTo(kept.token());
        mine.release();
        assertThat(kept.isHeld()).isTrue();
        transactions.complete();
        assertThat(releases()).isEqualTo(3);
    }

    private Lease acquireOfHolder() throws InterruptedException {
        return new NodesConnection(session, fixture.nodes)
                .acquire(fixture.request(0).scope(LeaseScope.HOLDER));
    }

    @Test
    void leases_ofEachScopeWithoutTransaction_endAsTheirScopeSays() throws Exception {
        Lease bound = new NodesConnection(session, fixture.nodes).acquire(fixture.request(0));
        session.close();
        assertThat(bound.isHeld()).isFalse();

        Lease held = new NodesConnection(session, fixture.nodes)
                .acquire(fixture.request(0).scope(LeaseScope.HOLDER));
        session.close();
        assertThat(held.isHeld()).isTrue();
        held.release();
        assertThat(releases()).isEqualTo(6);
    }
}
