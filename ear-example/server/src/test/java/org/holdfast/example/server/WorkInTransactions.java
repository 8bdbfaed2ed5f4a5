// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.jboss.arquillian.container.test.api.Testable;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;

/** Work under locks in transactions that change a real database, and what came of it. */
abstract class WorkInTransactions {

    static final Duration PATIENCE = Duration.ofSeconds(20);

    final RealNodes nodes = new RealNodes();

    @Resource(name = "eis/holdfast")
    LockConnectionFactory locks;

    TransactionManager manager;

    @Inject
    UserTransaction transaction;

    @EJB
    ContainerManagedEjb ejb;

    @Inject
    TransactionalBean bean;

    @Inject
    Ledger ledger;

    /** Returns an application without the shop, in which a test runs. */
    static EnterpriseArchive deploymentOf(Class<? extends WorkInTransactions> test) throws Exception {
        WebArchive tests = ShrinkWrap.create(WebArchive.class, "tests.war")
                .addClasses(test, WorkInTransactions.class, WorkInTransactions.Entry.class)
                .addClasses(RealNodes.class, RealNodes.Frozen.class, Ledger.class)
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
    final class Entry implements Work {

        final String lock;
        final CompletionWitness witness;
        long token;

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
    void awaitRelease(String lock, long token) {
        await().atMost(PATIENCE).until(() -> nodes.isReleased(lock, token));
    }

    /** Takes the lock, or takes it once more, and gives it back. */
    long tokenOfOneMore(String lock) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(lock);
            assertThat(lease.isHeld()).isTrue();
            assertThat(nodes.isHeld(lock)).isTrue();
            return lease.token();
        }
    }
}
