// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.ejb.EJBException;
import jakarta.inject.Inject;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.Testable;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Locks around changes of a real database, in every kind of transaction that a container has. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class TransactionsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Longer than the TTL of the locks that are to be lost. */
    private static final Duration BEYOND_VALIDITY = Duration.ofMillis(400);

    /**
     * Of the transactions that are to time out: long enough for what is to be done before, on a machine that may stand
     * still.
     */
    private static final int TIMEOUT_SECONDS = 3;

    /** Longer than that, by a clock with a tick of a second. */
    private static final Duration BEYOND_TIMEOUT = Duration.ofSeconds(TIMEOUT_SECONDS + 2);

    /** After the completion of a transaction: by then what it keeps is released. */
    private static final Duration SETTLED = Duration.ofSeconds(1);

    private final RealNodes nodes = new RealNodes();

    @Resource(name = "eis/holdfast")
    private LockConnectionFactory locks;

    private TransactionManager manager;

    @Resource
    private TransactionSynchronizationRegistry registry;

    @Inject
    private UserTransaction transaction;

    @EJB
    private ContainerManagedEjb ejb;

    @EJB
    private BeanManagedEjb beanManaged;

    @Inject
    private TransactionalBean bean;

    @Inject
    private Ledger ledger;

    @Deployment
    static EnterpriseArchive locksWithTests() throws Exception {
        WebArchive tests = ShrinkWrap.create(WebArchive.class, "tests.war")
                .addClasses(TransactionsIT.class, RealNodes.class, RealNodes.Frozen.class, Ledger.class)
                .addClasses(
                        WhereTimeoutsInterfere.class, CompletionWitness.class, Work.class, TransactionManagers.class)
                .addClasses(ContainerManagedEjb.class, BeanManagedEjb.class, TransactionalBean.class)
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml")
                .addPackages(true, "org.assertj", "org.awaitility", "org.hamcrest");
        return TestEar.withoutShop(Testable.archiveToTest(References.add(tests, "holdfast")));
    }

    @BeforeEach
    void prepare() {
        manager = TransactionManagers.find();
        ledger.open();
    }

    /**
     * What is done under a lock: an entry in the ledger with the lock's name, and a witness to how the transaction
     * ends.
     */
    private final class Entry implements Work {

        private final String lock;
        private final CompletionWitness witness;
        private long token;

        Entry(String lock) {
            this.lock = lock;
            this.witness = new CompletionWitness(() -> nodes.isHeld(lock));
        }

        @Override
        public void run() throws Exception {
            ledger.write(lock);
            manager.getTransaction().enlistResource(witness);
            token = nodes.token(lock);
        }

        /** The same, under a lease that is taken through a connection. */
        void runUnderLease() throws Exception {
            try (LockConnection connection = locks.getConnection()) {
                connection.acquire(lock);
                run();
            }
        }

        void assertCommittedAndReleased() throws Exception {
            assertThat(witness.seen()).containsExactly("committed, held");
            assertThat(ledger.has(lock)).isTrue();
            awaitRelease(lock, token);
        }

        void assertRolledBackAndReleased() throws Exception {
            assertThat(witness.seen()).containsExactly("rolled back, held");
            assertThat(ledger.has(lock)).isFalse();
            awaitRelease(lock, token);
        }

        void assertRolledBack() throws Exception {
            assertThat(witness.seen()).singleElement().asString().startsWith("rolled back");
            assertThat(ledger.has(lock)).isFalse();
        }
    }

    /** A majority lets go at once; a slower node may follow. */
    private void awaitRelease(String lock, long token) {
        await().atMost(PATIENCE).until(() -> nodes.isReleased(lock, token));
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
            try (RealNodes.Frozen frozen = nodes.freeze()) {
                await().pollDelay(BEYOND_VALIDITY).until(() -> true);
            }
        };
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
    void leaseInUserTransaction_thatTimesOut_isReleasedAfterTheRollback() throws Exception {
        Entry entry = new Entry("user-timeout");
        assertThat(catchThrowable(() -> pastTheTimeout(entry::runUnderLease))).isNotNull();
        entry.assertRolledBackAndReleased();
    }

    @Test
    void lockedEjb_inAUserTransactionThatTimesOut_isReleasedAfterTheRollback() throws Exception {
        Entry entry = new Entry("locked-user-timeout");
        assertThat(catchThrowable(() -> pastTheTimeout(() -> ejb.runLocked(entry.lock, entry))))
                .isNotNull();
        entry.assertRolledBackAndReleased();
    }

    /** Some servers check only now and then. TomEE checks at the commit, and until then reports nothing. */
    private void pastTheTimeout(Work work) throws Exception {
        timingOut(() -> {
            transaction.begin();
            work.run();
            if (System.getProperty("server").equals("tomee")) {
                await().pollInSameThread().pollDelay(BEYOND_TIMEOUT).until(() -> true);
            } else {
                await().pollInSameThread()
                        .atMost(PATIENCE)
                        .until(() -> transaction.getStatus() != Status.STATUS_ACTIVE);
            }
            transaction.commit();
        });
    }

    @Test
    @WhereTimeoutsInterfere
    void leaseInEjb_whoseTransactionTimesOut_isReleasedWhileTheMethodStillRuns() throws Exception {
        Entry entry = new Entry("ejb-timeout");
        assertThatExceptionOfType(EJBException.class)
                .isThrownBy(() -> timingOut(() -> ejb.run(() -> {
                    entry.runUnderLease();
                    awaitRelease(entry.lock, entry.token);
                })));
        entry.assertRolledBackAndReleased();
    }

    @Test
    @WhereTimeoutsInterfere
    void lockedEjb_whoseTransactionTimesOut_isLockedUntilTheMethodHasEnded() throws Exception {
        Entry entry = new Entry("locked-ejb-timeout");
        assertThat(catchThrowable(() -> timingOut(() -> ejb.runLocked(entry.lock, () -> {
                    entry.run();
                    await().atMost(PATIENCE).until(() -> !entry.witness.seen().isEmpty());
                    await().during(SETTLED).atMost(PATIENCE).until(() -> nodes.isHeld(entry.lock));
                }))))
                // on a busy machine the transaction may be over before the row is written
                .isInstanceOfAny(EJBException.class, SQLException.class);
        entry.assertRolledBackAndReleased();
    }

    @Test
    @WhereTimeoutsInterfere
    void lockedTransactionalBean_whoseTransactionTimesOut_isLockedUntilTheMethodHasEnded() throws Exception {
        Entry entry = new Entry("locked-cdi-timeout");
        assertThat(catchThrowable(() -> timingOut(() -> bean.runLocked(entry.lock, () -> {
                    entry.run();
                    await().atMost(PATIENCE).until(() -> !entry.witness.seen().isEmpty());
                    assertThat(nodes.isHeld(entry.lock)).isTrue();
                }))))
                .isNotNull()
                .isNotInstanceOf(AssertionError.class);
        entry.assertRolledBackAndReleased();
    }

    private void timingOut(Work work) throws Exception {
        transaction.setTransactionTimeout(TIMEOUT_SECONDS);
        try {
            work.run();
        } finally {
            transaction.setTransactionTimeout(0);
        }
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
    @WhereTimeoutsInterfere
    void lease_takenInATransactionThatHasTimedOut_endsWithItsConnection() throws Exception {
        Entry entry = new Entry("timed-out-before");
        timingOut(() -> {
            transaction.begin();
            entry.runUnderLease();
            awaitRelease(entry.lock, entry.token);
            awaitRelease("dead", tokenOfOneMore("dead"));
            transaction.rollback();
        });
    }

    @Test
    @WhereTimeoutsInterfere
    void lease_whoseTransactionTimesOutWhileItIsWaitedFor_endsWithItsConnection() throws Exception {
        try (LockConnection other = locks.getConnection()) {
            Lease theirs = other.acquire(LockRequest.of("waited-for").detached());
            timingOut(() -> {
                transaction.begin();
                registry.registerInterposedSynchronization(new Synchronization() {
                    @Override
                    public void beforeCompletion() {}

                    @Override
                    public void afterCompletion(int status) {
                        theirs.release(); // the reaper's thread: the one below waits for this
                    }
                });
                awaitRelease("waited-for", tokenOfOneMore("waited-for"));
                transaction.rollback();
            });
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

    /** Takes the lock, or takes it once more, and gives it back. */
    private long tokenOfOneMore(String lock) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(lock);
            assertThat(lease.isHeld()).isTrue();
            assertThat(nodes.isHeld(lock)).isTrue();
            return lease.token();
        }
    }
}
