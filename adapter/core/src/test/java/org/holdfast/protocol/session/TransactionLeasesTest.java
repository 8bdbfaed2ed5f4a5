// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LeaseScope;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

class TransactionLeasesTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final VirtualTime time = fixture.time;
    private final FakeTransactions transactions = new FakeTransactions();
    private final LockSession session = fixture.session(transactions);

    /** One transaction after another, as the test says. */
    private static final class FakeTransactions implements Transactions {
        private Object current;
        private boolean refuses;
        private boolean rollbackOnly;
        private final List<Completion> completions = new ArrayList<>();

        @Override
        public Object current() {
            return current;
        }

        @Override
        public boolean mayCommit() {
            return current != null && !rollbackOnly;
        }

        @Override
        public void bind(Completion completion) {
            if (refuses) {
                throw new IllegalStateException("too late");
            }
            completions.add(completion);
        }

        void complete() {
            current = null;
            completions.forEach(Completion::completed);
            completions.clear();
        }
    }

    private Lease acquire() throws InterruptedException {
        return new NodesConnection(session, fixture.nodes).acquire(fixture.request(0));
    }

    private int releases() {
        return fixture.service.sent(Command.Release.class).size();
    }

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

    private void confirm() {
        transactions.completions.get(0).confirm();
    }

    @Test
    void commit_withALostLease_isTakenAwayAndTheLossIsTold() throws Exception {
        transactions.current = "tx";
        Lease lease = acquire();
        confirm();
        time.passMillis(1_000);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(this::confirm)
                .satisfies(e -> assertThat(e.loss().token()).isEqualTo(lease.token()));
    }

    /** Another synchronization takes locks before completion, when ours has run. */
    @Test
    void lock_takenWhenTheTransactionHasCheckedItsLocks_isRefusedAndReleased() throws Exception {
        transactions.current = "tx";
        acquire();
        confirm();
        LockRequest late = LockRequest.of("late").waitTimeout(Duration.ZERO);
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> new NodesConnection(session, fixture.nodes).acquire(late))
                .withMessageStartingWith("HF0208")
                .withRootCauseInstanceOf(IllegalStateException.class);
        assertThat(releases()).isEqualTo(3);
    }

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
    void lockOfTheTransaction_takenOnceMoreWhenThatHasCheckedIt_isShared() throws Exception {
        transactions.current = "tx";
        Lease first = acquire();
        confirm();
        assertThat(acquire().token()).isEqualTo(first.token());
        transactions.complete();
        assertThat(releases()).isEqualTo(3);
    }

    /** Names may come from any user of the application. */
    @Test
    void nameWithALineBreak_beginsNoLineInTheLog() throws Exception {
        try (LogLines log = LogLines.withDetails("org.holdfast.protocol")) {
            transactions.current = "tx";
            Lease lease = new NodesConnection(session, fixture.nodes).acquire(LockRequest.of("a\nforged"));
            lease.onLost(loss -> {
                throw new UnsupportedOperationException("on purpose");
            });
            time.passMillis(1_000);
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this::confirm);
            fixture.runNotifications();
            assertThat(log.beginningWith("")).hasSize(3).allSatisfy(line -> assertThat(line)
                    .matches("HF0\\d{3}: .*'a\\?forged'.*"));
        }
    }

    @Test
    void commit_withALostLeaseAndNoMargin_isTakenAwayAllTheSame() throws Exception {
        ProtocolFixture withoutMargin = new ProtocolFixture(3, Duration.ZERO);
        transactions.current = "tx";
        new NodesConnection(withoutMargin.session(transactions), withoutMargin.nodes).acquire(withoutMargin.request(0));
        confirm();
        withoutMargin.time.passMillis(1_000);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this::confirm);
    }

    @Test
    void commit_withALeaseAboutToEnd_renewsItFirst() throws Exception {
        transactions.current = "tx";
        acquire();
        time.passMillis(700);
        confirm();
        assertThat(fixture.service.sent(Command.Renew.class)).hasSize(3);
    }

    @Test
    void commit_withALeaseAboutToEndThatCannotBeRenewed_isTakenAwayAndTheReasonIsTold() throws Exception {
        transactions.current = "tx";
        acquire();
        time.passMillis(700);
        fixture.service.node(0, new Reply.NotSent("refused")).node(1, new Reply.NotSent("refused"));
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(this::confirm)
                .withMessageContaining("'a' is about to end and could not be renewed")
                .withMessageContaining("refused");
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

    private Lease acquireOfThread() throws InterruptedException {
        return new NodesConnection(session, fixture.nodes)
                .acquire(fixture.request(0).scope(LeaseScope.THREAD));
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
