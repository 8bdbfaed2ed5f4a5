// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.cdi.LeaseReleased;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnLoss;
import org.holdfast.cdi.internal.TransactionsByHand.InTransaction;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A transaction that is begun under a lock; tests on servers have real ones. */
@Timeout(60)
class LockedTransactionTest extends Application {

    private static final AtomicInteger CONNECTIONS = new AtomicInteger();
    private static final List<String> EVENTS = new ArrayList<>();

    private Naming naming;

    @ApplicationScoped
    static class CountingFactory {
        @Produces
        @ApplicationScoped
        LockConnectionFactory locks() {
            LockConnectionFactory locks = connect();
            return (LockConnectionFactory) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {LockConnectionFactory.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("getConnection")) {
                            CONNECTIONS.incrementAndGet();
                        }
                        return method.invoke(locks, arguments);
                    });
        }
    }

    @ApplicationScoped
    public static class Work {

        @Inject
        private Lease lease;

        @Locked("joined")
        @InTransaction
        public boolean plain() {
            return lease.isHeld();
        }

        /** Is called in a transaction, which times out meanwhile. */
        @Locked("outlived")
        public boolean thatOutlivesItsTransaction() {
            TransactionsByHand.status = Status.STATUS_ROLLEDBACK;
            TransactionsByHand.REGISTERED.forEach(
                    each -> each.afterCompletion(TransactionsByHand.status)); // as the reaper does
            EVENTS.add("timed out");
            return isHeld("outlived");
        }

        /** Begins one, for its caller to end. */
        @Locked("left")
        public void thatLeavesItsTransactionOpen() {
            TransactionsByHand.status = Status.STATUS_ACTIVE;
        }

        @Locked(value = "left", waitTimeout = "PT0.1S")
        public void thatFindsTheLockOfAnother() {}

        /** Ends the transaction of its caller, and begins another one. */
        @Locked("chained")
        public void thatBeginsAnotherTransaction() {
            TransactionsByHand.end();
            TransactionsByHand.status = Status.STATUS_ACTIVE;
            TransactionsByHand.key = "another";
        }

        @Locked(value = "chained", ttl = "PT0.3S")
        public void thatLosesItsLockInAnotherTransactionWhichItEnds() {
            thatBeginsAnotherTransaction();
            otherProcess.forceRelease(LockRequest.of("chained"));
            await().pollInSameThread().until(() -> !lease.isHeld());
            TransactionsByHand.end();
        }

        @Locked(value = "joined", ttl = "PT0.3S", scope = LockScope.INVOCATION)
        public void thatLosesTheLockOfItsCall() {
            otherProcess.forceRelease(LockRequest.of("joined"));
            await().pollInSameThread().until(() -> !lease.isHeld());
        }

        @Locked(value = "joined", ttl = "PT0.3S")
        @InTransaction
        public void thatLosesItsLockWhileItCommits() {
            loseBeforeCompletion();
        }

        @Locked(value = "joined", ttl = "PT0.3S", scope = LockScope.INVOCATION)
        @InTransaction
        public void thatLosesTheLockOfItsCallWhileItCommits() {
            loseBeforeCompletion();
        }

        /** As a resource does that prepares for so long. */
        @Locked(value = "joined", ttl = "PT0.3S")
        @InTransaction
        public void thatLosesItsLockBehindTheLastCheck() {
            TransactionsByHand.whileCommitting = loss();
        }

        @Locked(value = "joined", ttl = "PT0.3S", scope = LockScope.INVOCATION, onLoss = OnLoss.CONTINUE)
        @InTransaction
        public void thatGoesOnWhenItLosesItsLockBehindTheLastCheck() {
            TransactionsByHand.whileCommitting = loss();
        }

        @Locked(value = "joined", ttl = "PT0.3S")
        @InTransaction
        public void thatLosesItsLockAfterTheCommit() {
            TransactionsByHand.afterCompletion(loss());
        }

        private void loseBeforeCompletion() {
            TransactionsByHand.beforeCompletion(loss());
        }

        private Runnable loss() {
            CountDownLatch lost = new CountDownLatch(1);
            lease.onLost(loss -> lost.countDown());
            return () -> {
                otherProcess.forceRelease(LockRequest.of("joined"));
                await().pollInSameThread().until(() -> lost.getCount() == 0);
            };
        }

        @Locked(value = "joined", ttl = "PT0.3S")
        @InTransaction
        public void thatLosesItsLock() throws InterruptedException {
            otherProcess.forceRelease(LockRequest.of("joined"));
            await().pollInSameThread().until(() -> !lease.isHeld()); // the next renewal reports it
        }
    }

    @ApplicationScoped
    public static class Ends {

        void released(@Observes LeaseReleased event) {
            EVENTS.add("released");
        }
    }

    private Work work() {
        Weld weld = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(CountingFactory.class, Work.class, Ends.class, TransactionsByHand.Transaction.class);
        container = weld.initialize();
        return container.select(Work.class).get();
    }

    @BeforeEach
    void bindTransactions() {
        TransactionsByHand.reset();
        CONNECTIONS.set(0);
        EVENTS.clear();
        naming = Naming.start();
        naming.bind("java:comp/TransactionSynchronizationRegistry", TransactionsByHand.registry());
    }

    @AfterEach
    void unbindTransactions() {
        naming.close();
    }

    @Test
    void transactionUnderALock_needsOneConnection() {
        Work work = work();
        int before = CONNECTIONS.get();
        assertThat(work.plain()).isTrue();
        assertThat(CONNECTIONS.get() - before).isOne();
        assertThat(isHeld("joined")).isFalse();
    }

    @Test
    void transactionUnderALockThatIsLost_doesNotCommit() {
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(work()::thatLosesItsLock);
        assertThat(TransactionsByHand.status).isEqualTo(Status.STATUS_NO_TRANSACTION);
    }

    /** It is kept by the transaction of the caller; the new one may be one that commits whatever is thrown. */
    @Test
    void newTransactionUnderALockThatIsLost_isMarkedForRollback() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(work::thatLosesItsLock);
        assertThat(TransactionsByHand.isMarked).isTrue();
    }

    /** Its caller's transaction keeps the lock, but ends later. */
    @Test
    void newTransaction_underALockThatIsLostWhileItCommits_doesNot() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(work::thatLosesItsLockWhileItCommits);
        assertThat(TransactionsByHand.isMarked).isTrue();
    }

    @Test
    void newTransaction_underALockOfItsCallThatIsLostWhileItCommits_doesNot() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(work::thatLosesTheLockOfItsCallWhileItCommits);
        assertThat(TransactionsByHand.isMarked).isTrue();
    }

    @Test
    void transaction_thatCommitsOnALockThatIsLostBehindItsLastCheck_isToldToTheCaller() {
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(work()::thatLosesItsLockBehindTheLastCheck);
        assertThat(TransactionsByHand.isMarked).as("nothing could stop it").isFalse();
    }

    @Test
    void transaction_thatCommitsOnALockThatIsLostBehindItsLastCheck_isNotToldToACallerThatContinues() {
        work().thatGoesOnWhenItLosesItsLockBehindTheLastCheck();
        assertThat(isHeld("joined")).isFalse();
    }

    @Test
    void lockThatIsLostAfterTheCommit_isNotToldToTheCaller() {
        work().thatLosesItsLockAfterTheCommit();
        assertThat(isHeld("joined")).isFalse();
    }

    @Test
    void newTransaction_thatEnds_leavesTheLockToThatOfTheCaller() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        assertThat(work.plain()).isTrue();
        assertThat(isHeld("joined")).isTrue();
        TransactionsByHand.end();
        assertThat(isHeld("joined")).isFalse();
        assertThat(EVENTS).containsExactly("released");
    }

    /** It is not the transaction's: its caller decides. */
    @Test
    void callersTransaction_ofACallWhoseOwnLockIsLost_isLeftToItsCaller() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(work::thatLosesTheLockOfItsCall);
        assertThat(TransactionsByHand.isMarked).isFalse();
    }

    @Test
    void lockOfACall_whoseTransactionTimesOut_isHeldUntilTheMethodHasEnded() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        assertThat(work.thatOutlivesItsTransaction()).isTrue();
        assertThat(isHeld("outlived")).isFalse();
        assertThat(EVENTS).containsExactly("timed out", "released");
    }

    @Test
    void lock_underWhichATransactionIsLeftOpen_isHeldUntilThatHasCompleted() {
        work().thatLeavesItsTransactionOpen();
        assertThat(isHeld("left")).isTrue();
        assertThat(EVENTS).isEmpty();
        TransactionsByHand.REGISTERED.forEach(each -> each.afterCompletion(Status.STATUS_COMMITTED));
        assertThat(isHeld("left")).isFalse();
        assertThat(EVENTS).containsExactly("released");
    }

    /** The thread works for another caller then, whose work is no part of the transaction. */
    @Test
    void lock_underWhichATransactionIsLeftOpen_isNotHadByTheNextCallOnTheThread() {
        Work work = work();
        work.thatLeavesItsTransactionOpen();
        TransactionsByHand.status = Status.STATUS_NO_TRANSACTION;
        assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(work::thatFindsTheLockOfAnother);
        TransactionsByHand.end();
        assertThat(isHeld("left")).isFalse();
    }

    @Test
    void lock_underWhichATransactionIsLeftOpenInThePlaceOfTheCallers_isHeldUntilThatHasCompleted() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        work.thatBeginsAnotherTransaction();
        assertThat(isHeld("chained")).isTrue();
        assertThat(EVENTS).isEmpty();
        TransactionsByHand.end();
        assertThat(isHeld("chained")).isFalse();
        assertThat(EVENTS).containsExactly("released");
    }

    @Test
    void lockThatIsLostInATransactionInThePlaceOfTheCallers_isReported() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(work::thatLosesItsLockInAnotherTransactionWhichItEnds);
    }

    /** A thread that no component has started finds no names of components, and has transactions all the same. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "java:jboss/TransactionSynchronizationRegistry",
                "java:appserver/TransactionSynchronizationRegistry"
            })
    void transactionOfAThreadWithoutAComponent_thatIsLeftOpen_keepsTheLock(String name) {
        naming.unbind("java:comp/TransactionSynchronizationRegistry");
        naming.bind(name, TransactionsByHand.registry());
        Work work = work();
        work.thatLeavesItsTransactionOpen();
        assertThat(isHeld("left")).isTrue();
        TransactionsByHand.end();
        assertThat(isHeld("left")).isFalse();
    }
}
