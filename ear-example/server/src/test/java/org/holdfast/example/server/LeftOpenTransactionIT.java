// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.inject.Inject;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** A lock whose thread has gone on to other work while its transaction has not ended. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class LeftOpenTransactionIT {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Longer than what is between three of them. */
    private static final Duration LOOKS = Duration.ofSeconds(4);

    private final RealNodes nodes = new RealNodes();

    @Resource(name = "eis/holdfast")
    private LockConnectionFactory locks;

    @Inject
    private UserTransaction transaction;

    @EJB
    private ConversationEjb conversation;

    @Inject
    private NextCaller next;

    @Inject
    private WritingBean writing;

    @Deployment
    static EnterpriseArchive locksWithTests() throws Exception {
        WebArchive tests = ShrinkWrap.create(WebArchive.class, "tests.war")
                .addClasses(LeftOpenTransactionIT.class, RealNodes.class, RealNodes.Frozen.class)
                .addClasses(ConversationEjb.class, NextCaller.class, WritingBean.class)
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml")
                .addPackages(true, "org.assertj", "org.awaitility", "org.hamcrest");
        return TestEar.withoutShop(Testable.archiveToTest(References.add(tests, "holdfast")));
    }

    @Test
    void lock_ofATransactionThatIsLeftOpen_isNotHadByTheNextCallerOnTheThread() throws Exception {
        conversation.begin("left-open");
        long token = nodes.token("left-open");
        assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> next.work("left-open"));
        assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> next.workInTransaction("left-open"));
        writing.onAnotherThread(() -> {
                    conversation.goOn("left-open");
                    return null;
                })
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        conversation.commit();
        await().atMost(PATIENCE).until(() -> nodes.isReleased("left-open", token));
        next.work("left-open");
    }

    /** As JPA does, which writes the changes of entities then, and may have to wait for rows. */
    @Test
    void transaction_whoseLockIsLostWhileItWritesBeforeCompletion_rollsBack() throws Exception {
        transaction.begin();
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("flushed");
            writing.beforeCompletion(() -> lose(lease));
        }
        assertThatExceptionOfType(RollbackException.class).isThrownBy(transaction::commit);
    }

    /** Some servers call none of the other synchronizations then. */
    @Test
    void lock_ofATransactionInWhichAnotherSynchronizationThrowsAnErrorAfterTheCommit_isReleased() throws Exception {
        transaction.begin();
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire("untold");
            writing.afterCompletion(() -> {
                throw new StackOverflowError("a test");
            });
        }
        long token = nodes.token("untold");
        Throwable thrown = catchThrowable(transaction::commit);
        assertThat(thrown instanceof Exception)
                .as("it commits, and may let the error through")
                .isFalse();
        await().atMost(PATIENCE).until(() -> nodes.isReleased("untold", token));
    }

    /** It is looked at meanwhile whether it has ended. */
    @Test
    void lock_ofATransactionThatStaysOpen_isHeld() throws Exception {
        transaction.begin();
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire("open");
        }
        long token = nodes.token("open");
        await().during(LOOKS).atMost(PATIENCE).until(() -> nodes.isHeld("open"));
        transaction.commit();
        await().atMost(PATIENCE).until(() -> nodes.isReleased("open", token));
    }

    /** As a framework does that writes when another one has written: behind what was checked since. */
    @Test
    void transaction_whoseLockIsLostInASynchronizationThatAnotherOneHasRegistered_rollsBack() throws Exception {
        transaction.begin();
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("flushed-twice");
            writing.beforeCompletion(() -> writing.beforeCompletion(() -> lose(lease)));
        }
        assertThatExceptionOfType(RollbackException.class).isThrownBy(transaction::commit);
    }

    /** The transaction of its caller keeps the lock, but is suspended, and ends later. */
    @Test
    void newTransaction_whoseLockIsLostWhileItWritesBeforeCompletion_rollsBack() throws Exception {
        transaction.begin();
        try {
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(() -> writing.writeInNewTransactionUntilTheLockIsLost(
                            "written-anew", () -> locks.forceRelease(LockRequest.of("written-anew"))))
                    .withRootCauseInstanceOf(LeaseLostException.class);
        } finally {
            if (transaction.getStatus() != Status.STATUS_NO_TRANSACTION) { // Payara does not resume it then
                transaction.rollback();
            }
        }
    }

    /** Some servers end it when the stage completes, and others when the method returns. */
    @Test
    void newTransaction_ofAMethodThatReturnsAStage_rollsBackOnALostLock() {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> writing.writeForAStageUntilTheLockIsLost(
                                "staged-anew", () -> locks.forceRelease(LockRequest.of("staged-anew")))
                        .toCompletableFuture()
                        .get())
                .withRootCauseInstanceOf(LeaseLostException.class);
        assertThat(writing.outcome()).isEqualTo(Status.STATUS_ROLLEDBACK);
    }

    /** What the method has done for its caller's transaction is not committed yet. */
    @Test
    void lock_ofAMethodWhoseStageIsComplete_isHeldUntilItsCallersTransactionHasEnded() throws Exception {
        transaction.begin();
        assertThat(writing.stage("staged").toCompletableFuture().get()).isEqualTo("staged");
        long token = nodes.token("staged");
        assertThat(nodes.isReleased("staged", token)).isFalse();
        transaction.commit();
        await().atMost(PATIENCE).until(() -> nodes.isReleased("staged", token));
    }

    /** Names of components are not to be seen there. */
    @Test
    @EnabledIfSystemProperty(named = "server", matches = "wildfly", disabledReason = "others refuse such threads")
    void transactionThatIsLeftOpen_onAThreadThatNoComponentHasStarted_keepsTheLock() throws Exception {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        FutureTask<Boolean> held = new FutureTask<>(() -> {
            Thread.currentThread().setContextClassLoader(loader);
            writing.begin("of-a-thread", transaction);
            boolean keeps = !nodes.isReleased("of-a-thread", nodes.token("of-a-thread"));
            transaction.commit();
            return keeps;
        });
        new Thread(held).start();
        assertThat(held.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private void lose(Lease lease) {
        locks.forceRelease(LockRequest.of(lease.name()));
        await().pollInSameThread().atMost(PATIENCE).until(() -> !lease.isHeld());
    }
}
