// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.inject.Inject;
import jakarta.transaction.Transaction;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
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
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Another thread rolls a transaction back while the method still runs that works in it. WildFly does so by itself when
 * a transaction times out; here it is done by hand, on every server.
 */
@ExtendWith(ArquillianExtension.class)
@DisabledIfSystemProperty(
        named = "server",
        matches = "tomee",
        disabledReason = "its data source lets no other thread end a transaction: LocalXAResource.end unlocks a lock")
@Timeout(120)
class RollbackMeanwhileIT {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** By then what a transaction keeps is released. */
    private static final Duration SETTLED = Duration.ofSeconds(1);

    private final RealNodes nodes = new RealNodes();

    @Resource(name = "eis/holdfast")
    private LockConnectionFactory locks;

    @EJB
    private ContainerManagedEjb ejb;

    @Inject
    private TransactionalBean bean;

    @Inject
    private Ledger ledger;

    @Deployment
    static EnterpriseArchive locksWithTests() throws Exception {
        WebArchive tests = ShrinkWrap.create(WebArchive.class, "tests.war")
                .addClasses(RollbackMeanwhileIT.class, RealNodes.class, RealNodes.Frozen.class, Ledger.class)
                .addClasses(CompletionWitness.class, Work.class, TransactionManagers.class)
                .addClasses(ContainerManagedEjb.class, TransactionalBean.class)
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml")
                .addPackages(true, "org.assertj", "org.awaitility", "org.hamcrest");
        return TestEar.withoutShop(Testable.archiveToTest(References.add(tests, "holdfast")));
    }

    @BeforeEach
    void prepare() {
        ledger.open();
    }

    /** Writes, has the transaction rolled back by another thread, and looks on whether the lock stays. */
    private final class Meanwhile implements Work {

        private final String lock;
        private final CompletionWitness witness;
        private long token;
        private boolean ended;

        Meanwhile(String lock) {
            this.lock = lock;
            this.witness = new CompletionWitness(() -> nodes.isHeld(lock));
        }

        void rollBack() throws Exception {
            ledger.write(lock);
            Transaction current = TransactionManagers.find().getTransaction();
            current.enlistResource(witness);
            token = nodes.token(lock);
            FutureTask<Void> rollback = new FutureTask<>(() -> {
                current.rollback();
                return null;
            });
            new Thread(rollback, "as a reaper").start();
            rollback.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(witness.seen()).containsExactly("rolled back, held");
        }

        @Override
        public void run() throws Exception {
            rollBack();
            await().during(SETTLED).atMost(PATIENCE).until(() -> nodes.isHeld(lock));
            ended = true;
        }

        /**
         * The lock was held until the method had ended; nothing is written, and the lock is released.
         *
         * @param told what the caller was told, which differs between servers
         */
        void assertEnded(Throwable told) throws Exception {
            if (!ended) {
                throw new AssertionError("the method did not run to its end", told);
            }
            TransactionManagers.find().suspend(); // Open Liberty leaves the dead transaction on the thread
            assertThat(ledger.has(lock)).isFalse();
            awaitRelease(lock, token);
        }
    }

    private void awaitRelease(String lock, long token) {
        await().atMost(PATIENCE).until(() -> nodes.isReleased(lock, token));
    }

    @Test
    void lockedEjb_whoseTransactionIsRolledBackMeanwhile_isLockedUntilTheMethodHasEnded() throws Exception {
        Meanwhile work = new Meanwhile("meanwhile-ejb");
        Throwable told = catchThrowable(() -> ejb.runLocked(work.lock, work));
        work.assertEnded(told);
    }

    @Test
    void lockedTransactionalBean_whoseTransactionIsRolledBackMeanwhile_isLockedUntilTheMethodHasEnded()
            throws Exception {
        Meanwhile work = new Meanwhile("meanwhile-cdi");
        Throwable told = catchThrowable(() -> bean.runLocked(work.lock, work));
        work.assertEnded(told);
    }

    @Test
    void leaseOfTheHolder_whoseTransactionIsRolledBackMeanwhile_isHeldUntilItIsReleased() throws Exception {
        Meanwhile work = new Meanwhile("meanwhile-holder");
        Throwable told = catchThrowable(() -> ejb.run(() -> {
            Lease lease;
            try (LockConnection connection = locks.getConnection()) {
                lease = connection.acquire(LockRequest.of(work.lock).scope(LeaseScope.HOLDER));
            }
            work.run();
            assertThat(lease.isHeld()).isTrue();
            lease.release();
            awaitRelease(work.lock, work.token);
        }));
        work.assertEnded(told);
    }

    @Test
    void leaseOfAConnection_whoseTransactionIsRolledBackMeanwhile_isReleasedWhileTheMethodStillRuns() throws Exception {
        Meanwhile work = new Meanwhile("meanwhile-connection");
        Throwable told = catchThrowable(() -> ejb.run(() -> {
            try (LockConnection connection = locks.getConnection()) {
                connection.acquire(work.lock);
            }
            work.rollBack();
            awaitRelease(work.lock, work.token);
            work.ended = true;
        }));
        work.assertEnded(told);
    }
}
