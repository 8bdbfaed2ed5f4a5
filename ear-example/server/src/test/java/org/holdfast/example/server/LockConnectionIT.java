// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.inject.Inject;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
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
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** Lock connections and the annotation inside the server, with its transaction manager. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class LockConnectionIT {

    @Resource(name = "eis/holdfast")
    private LockConnectionFactory locks;

    @Inject
    private UserTransaction transaction;

    private ManagedExecutorService executor;

    @EJB
    private LockingEjb ejb;

    @Inject
    private LockingBean bean;

    /** The EAR as it is built, with one more module. */
    @Deployment
    static EnterpriseArchive shopWithTests() throws Exception {
        WebArchive tests = ShrinkWrap.create(WebArchive.class, "tests.war")
                .addClasses(LockConnectionIT.class, LockingEjb.class, LockingBean.class, RealServers.class)
                .addClasses(FreeLock.class, OnceAnswered.class)
                .addClasses(InjectedFactory.class, WhereTimeoutsInterfere.class, WrittenFactory.class)
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml")
                .addPackages(true, "org.assertj");
        if (!System.getProperty("server").equals("glassfish")) {
            tests.addClass(EjbWithResource.class); // it would keep all the others from being deployed
        }
        return TestEar.with(Testable.archiveToTest(References.add(tests, "holdfast")));
    }

    /** By its standard name: this class is no component, and not every server injects into it what has no name. */
    @BeforeEach
    void findExecutor() throws NamingException {
        executor = InitialContext.doLookup("java:comp/DefaultManagedExecutorService");
    }

    private boolean isFree(String name) throws Exception {
        return FreeLock.isFree(executor, locks::getConnection, name);
    }

    @Test
    void lease_inEjbWithTheFactoryOfACdiBean_hasATokenThatGrows() throws Exception {
        long first = ejb.token("ejb");
        long second = ejb.token("ejb");
        assertThat(first).isPositive();
        assertThat(second).isGreaterThan(first);
    }

    /** Looked up here: a field would name a class that is not everywhere. */
    @Test
    @DisabledIfSystemProperty(
            named = "server",
            matches = "glassfish",
            disabledReason = "takes @Resource in an EJB beside the RAR for a reference that contradicts itself")
    void lease_inEjbWithResource_hasATokenThatGrows() throws Exception {
        EjbWithResource resourced = InitialContext.doLookup("java:module/EjbWithResource");
        long first = resourced.token("resource");
        long second = resourced.token("resource");
        assertThat(first).isPositive();
        assertThat(second).isGreaterThan(first);
    }

    @Test
    void lock_inTheShapeOfTheJdk_hasATokenAndSaysWhetherItIsTaken() throws Exception {
        assertThat(locks.nodeCount()).isEqualTo(3);
        try (LockConnection connection = locks.getConnection()) {
            LeaseLock lock = connection.lock("view");
            assertThat(lock.isLocked()).isFalse();
            lock.lock();
            assertThat(lock.lease().token()).isPositive();
            assertThat(lock.isLocked()).isTrue();
            assertThat(executor.submit(() -> isLocked("view")).get(30, SECONDS)).isTrue();
            lock.unlock();
            assertThat(lock.isLocked()).isFalse();
        }
    }

    private boolean isLocked(String name) {
        try (LockConnection connection = locks.getConnection()) {
            return connection.lock(name).isLocked();
        }
    }

    @Test
    void lease_takenInTransaction_isKeptUntilCommit() throws Exception {
        transaction.begin();
        Lease lease;
        try (LockConnection connection = locks.getConnection()) {
            lease = connection.acquire("commit");
        }
        assertThat(lease.isHeld()).isTrue();
        assertThat(isFree("commit")).isFalse();
        transaction.commit();

        assertThat(isFree("commit")).isTrue();
    }

    @Test
    void lease_releasedInTransaction_isKeptUntilCommit() throws Exception {
        transaction.begin();
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire("early").release();
        }
        assertThat(isFree("early")).isFalse();
        transaction.commit();

        assertThat(isFree("early")).isTrue();
    }

    @Test
    void lease_takenInTransaction_isReleasedByRollback() throws Exception {
        transaction.begin();
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire("rollback");
        }
        transaction.rollback();

        assertThat(isFree("rollback")).isTrue();
    }

    @Test
    @WhereTimeoutsInterfere
    void lease_takenInTransactionThatTimesOut_isReleased() throws Exception {
        transaction.setTransactionTimeout(1);
        try {
            transaction.begin();
            try (LockConnection connection = locks.getConnection()) {
                connection.acquire("timeout");
            }
            long deadline = System.nanoTime() + SECONDS.toNanos(20);
            while (!isFree("timeout") && System.nanoTime() - deadline < 0) {
                Thread.onSpinWait(); // WildFly's reaper calls back on a thread of its own
            }
            assertThatExceptionOfType(Exception.class).isThrownBy(() -> transaction.commit());
        } finally {
            transaction.setTransactionTimeout(0);
        }
        assertThat(isFree("timeout")).isTrue();
    }

    @Test
    void lease_lostBeforeCommit_rollsTheTransactionBack() throws Exception {
        transaction.begin();
        Lease lease;
        try (LockConnection connection = locks.getConnection()) {
            lease = connection.acquire(LockRequest.of("lost").fixedTtl(Duration.ofMillis(100)));
        }
        while (lease.isHeld()) {
            Thread.onSpinWait();
        }
        assertThatExceptionOfType(RollbackException.class).isThrownBy(() -> transaction.commit());
    }

    @Test
    void lease_takenTwiceInTransaction_isTheSameOne() throws Exception {
        transaction.begin();
        try (LockConnection one = locks.getConnection();
                LockConnection two = locks.getConnection()) {
            assertThat(two.acquire("again").token())
                    .isEqualTo(one.acquire("again").token());
        } finally {
            transaction.commit();
        }
        assertThat(isFree("again")).isTrue();
    }

    /** As in a stateful bean that is passivated and called again. */
    @Test
    void factory_thatWasWrittenAndIsReadAgain_locks() throws Exception {
        assertThatItLocks(WrittenFactory.read(WrittenFactory.write(locks)));
    }

    /** Some servers make a factory for each look-up, and keep none. */
    @Test
    @DisabledIfSystemProperty(
            named = "server",
            matches = "liberty",
            disabledReason = "keeps neither factory nor manager, and its manager cannot be written")
    void factory_thatWasWrittenAndIsNotKept_locksWhenItIsReadAgain() throws Exception {
        byte[] written = WrittenFactory.write(InitialContext.doLookup("java:comp/env/eis/holdfast"));
        System.gc();
        assertThatItLocks(WrittenFactory.read(written));
    }

    private void assertThatItLocks(LockConnectionFactory read) throws Exception {
        try (LockConnection connection = read.getConnection()) {
            assertThat(connection.acquire("written").isHeld()).isTrue();
            assertThat(isFree("written")).isFalse();
        }
        assertThat(isFree("written")).isTrue();
        assertThat(read.nodeCount()).isEqualTo(3);
    }

    @Test
    void connection_closedTwice_isClosed() throws Exception {
        LockConnection connection = locks.getConnection();
        connection.acquire("closed");
        connection.close();
        connection.close();
        assertThatIllegalStateException().isThrownBy(() -> connection.acquire("closed"));
        assertThat(isFree("closed")).isTrue();
    }

    @Test
    @EnabledIfSystemProperty(named = "server", matches = "wildfly", disabledReason = "the server closes no connections")
    void connection_thatAnEjbForgetsToClose_isClosedByTheContainerAndItsLeaseReleased() throws Exception {
        Lease leaked = ejb.leak("leaked");
        assertThat(leaked.isHeld()).isFalse();
        assertThat(isFree("leaked")).isTrue();
    }

    @Test
    void locked_onCdiBean_isOutsideTheTransactionAndReleasedAfterIt() throws Exception {
        assertThat(bean.work("cdi")).isEqualTo("locked, in a transaction");
        assertThat(bean.wasLockedAfterCommit()).isTrue();
        assertThat(isFree("cdi")).isTrue();
    }

    @Test
    void locked_onCdiBeanWhoseLeaseIsLostDuringTheWork_rollsTheTransactionBack() throws Exception {
        assertThatExceptionOfType(Exception.class).isThrownBy(() -> bean.loseTheLock("losing"));
        assertThat(bean.lastStatus()).isEqualTo(Status.STATUS_ROLLEDBACK);
    }

    @Test
    void locked_onMethodThatSuspendsTheCallersTransaction_isHeldByThatAndDoesNotWaitForItself() throws Exception {
        transaction.begin();
        assertThat(bean.workInNewTransaction("new")).startsWith("locked, in ").doesNotEndWith("null");
        assertThat(isFree("new")).isFalse();
        transaction.commit();

        assertThat(isFree("new")).isTrue();
    }

    @Test
    void locked_onTimeoutMethod_holdsTheLock() throws Exception {
        assertThat(ejb.timeoutRunsLocked()).isTrue();
    }

    @Test
    void lease_takenAgainAfterTheTransactionWasMarkedForRollback_isTheSameOne() throws Exception {
        transaction.begin();
        try (LockConnection connection = locks.getConnection()) {
            long token = connection.acquire("marked").token();
            transaction.setRollbackOnly();
            assertThat(connection.acquire("marked").token()).isEqualTo(token);
        } finally {
            transaction.rollback();
        }
        assertThat(isFree("marked")).isTrue();
    }

    @Test
    void locked_onEjb_isReleasedAfterTheContainersTransaction() throws Exception {
        assertThat(ejb.work("ejb-locked")).isEqualTo("locked, in a transaction");
        assertThat(isFree("ejb-locked")).isTrue();
    }

    @Test
    void locked_onEjbInCallersTransaction_isKeptUntilThatCompletes() throws Exception {
        transaction.begin();
        ejb.work("callers");
        assertThat(isFree("callers")).isFalse();
        transaction.commit();

        assertThat(isFree("callers")).isTrue();
    }
}
