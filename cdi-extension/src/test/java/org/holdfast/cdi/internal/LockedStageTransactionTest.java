// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.TransactionsByHand.InTransaction;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Methods that return before their work is done, and a transaction in which they have done a part of it. */
@Timeout(60)
class LockedStageTransactionTest extends Application {

    private static volatile CompletableFuture<String> later;

    private Naming naming;

    @ApplicationScoped
    static class Factory {
        @Produces
        @ApplicationScoped
        LockConnectionFactory locks() {
            return connect();
        }
    }

    @ApplicationScoped
    public static class Work {

        @Inject
        private Lease lease;

        @Locked(value = "staged", ttl = "PT0.3S")
        @InTransaction
        public CompletionStage<String> thatLosesItsLockWhileItCommits() {
            CountDownLatch lost = new CountDownLatch(1);
            lease.onLost(loss -> lost.countDown());
            TransactionsByHand.beforeCompletion(() -> {
                otherProcess.forceRelease(LockRequest.of("staged"));
                await().pollInSameThread().until(() -> lost.getCount() == 0);
            });
            return CompletableFuture.completedFuture("done");
        }

        @Locked("staged")
        @InTransaction
        public CompletionStage<String> thatFailsToCommit() {
            TransactionsByHand.beforeCompletion(() -> {
                throw new UnsupportedOperationException("on purpose");
            });
            return later;
        }

        @Locked("staged")
        public CompletionStage<String> plain() {
            return later;
        }

        @Locked(value = "staged", scope = LockScope.INVOCATION)
        public CompletionStage<String> ofTheCall() {
            return later;
        }

        @Locked("staged")
        public CompletionStage<String> thatLeavesItsTransactionOpen() {
            TransactionsByHand.status = Status.STATUS_ACTIVE;
            return later;
        }

        @Locked(value = "staged", waitTimeout = "PT0.1S")
        public boolean once() {
            return lease.isHeld();
        }
    }

    private Work work() {
        Weld weld = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Factory.class, Work.class, TransactionsByHand.Transaction.class);
        container = weld.initialize();
        return container.select(Work.class).get();
    }

    @BeforeEach
    void bindTransactions() {
        later = new CompletableFuture<>();
        TransactionsByHand.reset();
        naming = Naming.start();
        naming.bind("java:comp/TransactionSynchronizationRegistry", TransactionsByHand.registry());
    }

    @AfterEach
    void unbindTransactions() {
        naming.close();
    }

    @Test
    void transaction_underALockThatIsLostWhileItCommits_doesNot_thoughTheWorkIsDone() {
        Work work = work();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(work::thatLosesItsLockWhileItCommits);
        assertThat(TransactionsByHand.isMarked).isTrue();
    }

    @Test
    void callersTransaction_keepsTheLock_untilItHasEndedToo() throws Exception {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        CompletionStage<String> stage = work.plain();
        later.complete("done");
        assertThat(stage.toCompletableFuture().get()).isEqualTo("done");
        assertThat(isHeld("staged")).isTrue();
        TransactionsByHand.end();
        assertThat(isHeld("staged")).isFalse();
    }

    @Test
    void lock_isHeldUntilTheStageCompletes_whenTheCallersTransactionHasEndedBefore() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        work.plain();
        TransactionsByHand.end();
        assertThat(isHeld("staged")).isTrue();
        later.complete("done");
        assertThat(isHeld("staged")).isFalse();
    }

    /** Its work may go on in another thread: the transaction must not come between. */
    @Test
    void callersTransaction_takesTheLockOnceMoreWhenTheWorkIsDone_andNotBefore() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        work.plain();
        assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(work::once);
        later.complete("done");
        assertThat(work.once()).isTrue();
        TransactionsByHand.end();
        assertThat(isHeld("staged")).isFalse();
    }

    @Test
    void callersTransaction_doesNotCommitOnALostLock() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        CompletionStage<String> stage = work.plain();
        otherProcess.forceRelease(LockRequest.of("staged"));
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> stage.toCompletableFuture().get())
                .withCauseInstanceOf(LeaseLostException.class);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> TransactionsByHand.REGISTERED.get(0).beforeCompletion());
        assertThat(TransactionsByHand.isMarked).isTrue();
    }

    @Test
    void lockOfACall_isNotTheCallersTransactions() {
        Work work = work();
        TransactionsByHand.status = Status.STATUS_ACTIVE;
        work.ofTheCall();
        later.complete("done");
        assertThat(isHeld("staged")).isFalse();
    }

    @Test
    void transaction_thatIsLeftOpen_keepsTheLock() {
        Work work = work();
        work.thatLeavesItsTransactionOpen();
        later.complete("done");
        assertThat(isHeld("staged")).isTrue();
        TransactionsByHand.end();
        assertThat(isHeld("staged")).isFalse();
    }

    /** The work that it has begun goes on, though its caller gets no stage. */
    @Test
    void lock_ofAMethodWhoseTransactionDoesNotCommit_isHeldUntilItsWorkIsDone() {
        Work work = work();
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(work::thatFailsToCommit);
        assertThat(isHeld("staged")).isTrue();
        later.complete("done");
        assertThat(isHeld("staged")).isFalse();
    }
}
