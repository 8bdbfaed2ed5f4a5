// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import jakarta.annotation.Resource;
import jakarta.ejb.EJBException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.SQLException;
import java.time.Duration;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Locks in transactions that time out: before, while and after a lock is waited for and worked under. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class TransactionTimeoutsIT extends WorkInTransactions {

    /**
     * Of the transactions that are to time out: long enough for what is to be done before, on a machine that may stand
     * still.
     */
    private static final int TIMEOUT_SECONDS = 3;

    /** Longer than that, by a clock with a tick of a second. */
    private static final Duration BEYOND_TIMEOUT = Duration.ofSeconds(TIMEOUT_SECONDS + 2);

    /** After the completion of a transaction: by then what it keeps is released. */
    private static final Duration SETTLED = Duration.ofSeconds(1);

    @Resource
    private TransactionSynchronizationRegistry registry;

    @Deployment
    static EnterpriseArchive locksWithTests() throws Exception {
        return deploymentOf(TransactionTimeoutsIT.class);
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
}
