// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import jakarta.ejb.EJB;
import jakarta.ejb.EJBException;
import jakarta.transaction.RollbackException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Locks around changes of a real database, in every kind of transaction that a container has. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class TransactionsIT extends WorkInTransactions {

    /** Longer than the TTL of the locks that are to be lost. */
    private static final Duration BEYOND_VALIDITY = Duration.ofMillis(400);

    @EJB
    private BeanManagedEjb beanManaged;

    @Deployment
    static EnterpriseArchive locksWithTests() throws Exception {
        return deploymentOf(TransactionsIT.class);
    }

    private static Work failing(Work work) {
        return () -> {
            work.run();
            throw new UnsupportedOperationException("on purpose");
        };
    }

    /** Lets no node answer for longer than the lock may be relied upon. */
    private Work losing(Work work) {
        return () -> {
            work.run();
            freezeBeyondValidity();
        };
    }

    private boolean freezeBeyondValidity() {
        try (RealNodes.Frozen frozen = nodes.freeze()) {
            await().pollDelay(BEYOND_VALIDITY).until(() -> true);
        }
        return false;
    }

    @Test
    void leaseInEjb_committedByTheContainer_isReleasedAfterTheCommit() throws Exception {
        Entry entry = new Entry("ejb-commit");
        ejb.run(entry::runUnderLease);
        entry.assertCommittedAndReleased();
    }

    @Test
    void leaseInEjb_thatThrowsARuntimeException_isReleasedAfterTheRollback() throws Exception {
        Entry entry = new Entry("ejb-throws");
        assertThatExceptionOfType(EJBException.class)
                .isThrownBy(() -> ejb.run(failing(entry::runUnderLease)))
                .withCauseInstanceOf(UnsupportedOperationException.class);
        entry.assertRolledBackAndReleased();
    }

    @Test
    void leaseInEjb_thatMarksItsTransaction_isReleasedAfterTheRollback() throws Exception {
        Entry entry = new Entry("ejb-marks");
        ejb.runAndMark(entry::runUnderLease);
        entry.assertRolledBackAndReleased();
    }

    @Test
    void lockedEjb_committedByTheContainer_isLockedUntilAfterTheCommit() throws Exception {
        Entry entry = new Entry("locked-ejb-commit");
        ejb.runLocked(entry.lock, entry);
        entry.assertCommittedAndReleased();
    }

    @Test
    void lockedEjb_thatThrowsARuntimeException_isLockedUntilAfterTheRollback() throws Exception {
        Entry entry = new Entry("locked-ejb-throws");
        assertThatExceptionOfType(EJBException.class)
                .isThrownBy(() -> ejb.runLocked(entry.lock, failing(entry)))
                .withCauseInstanceOf(UnsupportedOperationException.class);
        entry.assertRolledBackAndReleased();
    }

    @Test
    void lockedEjb_thatMarksItsTransaction_isLockedUntilAfterTheRollback() throws Exception {
        Entry entry = new Entry("locked-ejb-marks");
        ejb.runLockedAndMark(entry.lock, entry);
        entry.assertRolledBackAndReleased();
    }

    @Test
    void leaseInBeanManagedEjb_thatCommits_isReleasedAfterTheCommit() throws Exception {
        Entry entry = new Entry("bean-managed-commit");
        beanManaged.commit(entry::runUnderLease);
        entry.assertCommittedAndReleased();
    }

    @Test
    void leaseInBeanManagedEjb_thatRollsBack_isReleasedAfterTheRollback() throws Exception {
        Entry entry = new Entry("bean-managed-rollback");
        beanManaged.rollBack(entry::runUnderLease);
        entry.assertRolledBackAndReleased();
    }

    @Test
    void lockedBeanManagedEjb_isLockedUntilTheMethodReturns() throws Exception {
        Entry entry = new Entry("locked-bean-managed");
        beanManaged.commitLocked(
                entry.lock, entry, () -> assertThat(nodes.isHeld(entry.lock)).isTrue());
        entry.assertCommittedAndReleased();
    }

    @Test
    void leaseInUserTransactionOfACdiBean_thatCommits_isReleasedAfterTheCommit() throws Exception {
        Entry entry = new Entry("cdi-commit");
        bean.commit(entry::runUnderLease);
        entry.assertCommittedAndReleased();
    }

    @Test
    void leaseInUserTransactionOfACdiBean_thatRollsBack_isReleasedAfterTheRollback() throws Exception {
        Entry entry = new Entry("cdi-rollback");
        bean.rollBack(entry::runUnderLease);
        entry.assertRolledBackAndReleased();
    }

    @Test
    void lockedTransactionalBean_thatCommits_isLockedUntilAfterTheCommit() throws Exception {
        Entry entry = new Entry("locked-cdi-commit");
        bean.runLocked(entry.lock, entry);
        entry.assertCommittedAndReleased();
    }

    @Test
    void lockedTransactionalBean_thatThrowsARuntimeException_isLockedUntilAfterTheRollback() throws Exception {
        Entry entry = new Entry("locked-cdi-throws");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> bean.runLocked(entry.lock, failing(entry)));
        entry.assertRolledBackAndReleased();
    }

    @Test
    void leaseInEjb_lostBeforeTheCommit_rollsBackAndTellsTheCaller() throws Exception {
        Entry entry = new Entry("ejb-loss");
        assertThatExceptionOfType(EJBException.class)
                .isThrownBy(() -> ejb.run(() -> {
                    Lease lease;
                    try (LockConnection connection = locks.getConnection()) {
                        lease = connection.acquire(LockRequest.of(entry.lock).ttl(Duration.ofMillis(300)));
                        entry.run();
                    }
                    try (RealNodes.Frozen frozen = nodes.freeze()) {
                        await().atMost(PATIENCE).until(() -> !lease.isHeld());
                    }
                }))
                .withRootCauseInstanceOf(LeaseLostException.class)
                .havingRootCause()
                .withMessageContaining("'ejb-loss'");
        entry.assertRolledBack();
    }

    @Test
    void lockedEjb_lostBeforeTheCommit_rollsBackAndTellsTheCaller() throws Exception {
        Entry entry = new Entry("locked-ejb-loss");
        assertThatExceptionOfType(EJBException.class)
                .isThrownBy(() -> ejb.runLockedBriefly(entry.lock, losing(entry)))
                .withRootCauseInstanceOf(LeaseLostException.class);
        entry.assertRolledBack();
    }

    @Test
    void lockedTransactionalBean_lostBeforeTheCommit_rollsBackAndTellsTheCaller() throws Exception {
        Entry entry = new Entry("locked-cdi-loss");
        assertThat(catchThrowable(() -> bean.runLockedBriefly(entry.lock, losing(entry))))
                .hasRootCauseInstanceOf(LeaseLostException.class);
        entry.assertRolledBack();
    }

    /** Behind the last check of the lock: nothing can stop the commit then. */
    @Test
    void lockedTransactionalBean_lostWhileAResourceCommits_commitsAndTellsTheCaller() throws Exception {
        Entry entry = new Entry("locked-cdi-late-loss");
        CompletionWitness slow = new CompletionWitness(this::freezeBeyondValidity);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bean.runLockedBriefly(entry.lock, () -> {
                    ledger.write(entry.lock);
                    manager.getTransaction().enlistResource(slow);
                }));
        assertThat(slow.seen()).containsExactly("committed, free");
        assertThat(ledger.has(entry.lock)).isTrue();
    }

    @Test
    void leaseInUserTransaction_lostBeforeTheCommit_rollsBackAndTellsTheCaller() throws Exception {
        Entry entry = new Entry("user-loss");
        assertThatExceptionOfType(RollbackException.class)
                .isThrownBy(() -> beanManaged.commit(() -> {
                    Lease lease;
                    try (LockConnection connection = locks.getConnection()) {
                        lease = connection.acquire(LockRequest.of(entry.lock).ttl(Duration.ofMillis(300)));
                    }
                    entry.run();
                    try (RealNodes.Frozen frozen = nodes.freeze()) {
                        await().atMost(PATIENCE).until(() -> !lease.isHeld());
                    }
                }))
                .withRootCauseInstanceOf(LeaseLostException.class);
        entry.assertRolledBack();
    }

    @Test
    void lockedMethod_thatTakesTheLockOnceMoreInItsOwnTransaction_rollsThatBackWhenItIsLost() throws Exception {
        Entry entry = new Entry("locked-user-loss");
        assertThatExceptionOfType(RollbackException.class)
                .isThrownBy(() -> bean.commitLockedBriefly(entry.lock, losing(entry::runUnderLease)))
                .withRootCauseInstanceOf(LeaseLostException.class);
        entry.assertRolledBack();
    }

    @Test
    void lockedMethod_thatDoesNot_commitsAndTellsTheCallerThatTheLockWasLost() throws Exception {
        Entry entry = new Entry("locked-user-loss-late");
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bean.commitLockedBriefly(entry.lock, losing(entry)));
        assertThat(ledger.has(entry.lock)).isTrue();
    }

    @Test
    void lease_takenInATransactionMarkedForRollback_endsWithItsConnection() throws Exception {
        transaction.begin();
        transaction.setRollbackOnly();
        try {
            awaitRelease("marked-before", tokenOfOneMore("marked-before"));
        } finally {
            transaction.rollback();
        }
    }

    @Test
    void lockedMethod_calledInATransactionMarkedForRollback_isLockedUntilItReturns() throws Exception {
        AtomicLong token = new AtomicLong();
        transaction.begin();
        transaction.setRollbackOnly();
        try {
            bean.runLocked("locked-marked", () -> {
                assertThat(nodes.isHeld("locked-marked")).isTrue();
                token.set(nodes.token("locked-marked"));
            });
            awaitRelease("locked-marked", token.get());
        } finally {
            transaction.rollback();
        }
    }

    @Test
    void leases_ofATransactionAndOneThatSuspendsIt_endEachWithItsOwn() throws Exception {
        Entry outer = new Entry("outer");
        Entry inner = new Entry("inner");
        ejb.runAndMark(() -> {
            outer.runUnderLease();
            ejb.runInNew(inner::runUnderLease);
            inner.assertCommittedAndReleased();
            assertThat(nodes.isHeld("outer")).isTrue();
        });
        outer.assertRolledBackAndReleased();
        assertThat(ledger.has("inner")).isTrue();
    }

    @Test
    void lease_ofASuspendedTransaction_isNotToBeHadInTheNewOneAndStays() throws Exception {
        Entry entry = new Entry("suspended");
        ejb.run(() -> {
            entry.runUnderLease();
            ejb.runInNew(() -> {
                try (LockConnection connection = locks.getConnection()) {
                    assertThat(connection.tryAcquire(LockRequest.of("suspended").waitTimeout(Duration.ZERO)))
                            .isEmpty();
                }
            });
            assertThatExceptionOfType(EJBException.class)
                    .isThrownBy(() -> ejb.runLockedInNew("suspended", () -> {}))
                    .withCauseInstanceOf(LockTimeoutException.class);
        });
        entry.assertCommittedAndReleased();
    }

    @Test
    void lease_takenBeforeAnyTransaction_isSharedByThoseOfItsThreadAndOutlivesThem() throws Exception {
        long token;
        try (LockConnection connection = locks.getConnection()) {
            token = connection.acquire("shared").token();
            ejb.run(() -> {
                assertThat(tokenOfOneMore("shared")).isEqualTo(token);
                ejb.runInNew(() -> assertThat(tokenOfOneMore("shared")).isEqualTo(token));
                assertThat(nodes.isHeld("shared")).isTrue();
            });
            assertThat(nodes.isHeld("shared")).isTrue();
        }
        awaitRelease("shared", token);
    }
}
