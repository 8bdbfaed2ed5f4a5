// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.Testable;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the annotation can say, on a server with transactions, EJBs and threads of its own. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class LockedIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** In the web module, and for servers that do not look there in the EAR's lib too. */
    private static final String MICROPROFILE_CONFIG = "META-INF/microprofile-config.properties";

    private static final StringAsset CONFIGURATION =
            new StringAsset(LockedBean.class.getName() + "/configured/Locked/onBusy=SKIP");

    private final RealNodes nodes = new RealNodes();

    @Resource(lookup = "java:comp/DefaultManagedExecutorService")
    private ManagedExecutorService executor;

    @Inject
    private UserTransaction transaction;

    @EJB
    private LockedEjb ejb;

    @Inject
    private LockedBean bean;

    @Inject
    private Ledger ledger;

    @Inject
    private LockEventsOfTests events;

    @Deployment
    static EnterpriseArchive locksWithTests() throws Exception {
        WebArchive tests = ShrinkWrap.create(WebArchive.class, "tests.war")
                .addClasses(LockedIT.class, RealNodes.class, RealNodes.Frozen.class, Ledger.class, Work.class)
                .addClasses(LockedBean.class, LockedEjb.class, LockEventsOfTests.class)
                .addClasses(Retried.class, Retried.Retry.class)
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml")
                .addAsResource(CONFIGURATION, MICROPROFILE_CONFIG)
                .addPackages(true, "org.assertj", "org.awaitility", "org.hamcrest");
        JavaArchive library = ShrinkWrap.create(JavaArchive.class, "configuration.jar")
                .addAsResource(CONFIGURATION, MICROPROFILE_CONFIG);
        return TestEar.withoutShop(Testable.archiveToTest(tests)).addAsLibrary(library);
    }

    @BeforeEach
    void openLedger() {
        ledger.open();
    }

    private void awaitFree(String lock) {
        await().atMost(PATIENCE).until(() -> nodes.isFree(lock));
    }

    /** Lets no node answer for longer than a lock with a TTL of 300 ms may be relied upon. */
    private Work losing(Work work) {
        return () -> {
            work.run();
            try (RealNodes.Frozen frozen = nodes.freeze()) {
                await().pollDelay(Duration.ofMillis(400)).until(() -> true);
            }
        };
    }

    @Test
    void lease_injectedIntoBeanAndEjb_isThatOfTheMethod() {
        long first = bean.tokenInside("injected");
        assertThat(ejb.tokenInside("injected")).isGreaterThan(first);
    }

    @Test
    void connection_injected_takesLocksForTheTransaction() throws Exception {
        Lease lease = bean.byProgram("injected-connection");
        assertThat(lease.isHeld()).isFalse();
        awaitFree("injected-connection");
        assertThat(bean.byProgram("injected-connection").token()).isGreaterThan(lease.token());
    }

    @Test
    void events_reachTheWebModule_andThatOfTheReleaseComesAfterTheTransaction() throws Exception {
        ejb.tokenInside("event-ejb");
        assertThat(events.of("event-ejb")).containsExactly("acquired [event-ejb]", "released [event-ejb]");

        transaction.begin();
        bean.tokenInside("event-transaction");
        assertThat(events.of("event-transaction")).containsExactly("acquired [event-transaction]");
        transaction.commit();
        assertThat(events.of("event-transaction"))
                .containsExactly("acquired [event-transaction]", "released [event-transaction]");
    }

    @Test
    void retryOutside_commitsWithALockAndATransactionOfItsOwn() throws Exception {
        List<Long> tokens = new ArrayList<>();
        bean.runAgain("retried", () -> {
            tokens.add(nodes.token("retried"));
            ledger.write("retried " + tokens.size());
            if (tokens.size() == 1) {
                throw new UnsupportedOperationException("on purpose");
            }
        });
        assertThat(tokens).hasSize(2);
        assertThat(tokens.get(1)).isGreaterThan(tokens.get(0));
        assertThat(ledger.has("retried 1")).isFalse();
        assertThat(ledger.has("retried 2")).isTrue();
    }

    @Test
    void stage_keepsTheLockUntilItCompletes() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = bean.later("stage", work).toCompletableFuture();
        assertThat(nodes.isHeld("stage")).isTrue();
        work.complete("well");
        assertThat(result.get(20, SECONDS)).isEqualTo("well done");
        awaitFree("stage");
    }

    @Test
    void asynchronousEjb_keepsTheLockUntilItHasRun() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(1);
        Future<Long> result = ejb.asynchronous("async-ejb", () -> {
            inside.countDown();
            go.await();
        });
        assertThat(inside.await(20, SECONDS)).isTrue();
        assertThat(nodes.isHeld("async-ejb")).isTrue();
        go.countDown();
        assertThat(result.get(20, SECONDS)).isPositive();
        awaitFree("async-ejb");
    }

    @Test
    @DisabledIfSystemProperty(
            named = "server",
            matches = "tomee",
            disabledReason = "Jakarta Concurrency 2.0 has no @Asynchronous, and what is not there is ignored")
    void asynchronousBean_keepsTheLockUntilItHasRun() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(1);
        CompletableFuture<String> result = bean.asynchronous("async-bean", () -> {
            inside.countDown();
            go.await();
        });
        assertThat(inside.await(20, SECONDS)).isTrue();
        assertThat(nodes.isHeld("async-bean")).isTrue();
        go.countDown();
        assertThat(result.get(20, SECONDS)).isNotEqualTo(Thread.currentThread().getName());
        awaitFree("async-bean");
    }

    @Test
    void busyLock_isSkipped_andTheCallersTransactionGoesOn() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Future<?> other = executor.submit(() -> {
            bean.forTheCall("busy", () -> {
                inside.countDown();
                go.await();
            });
            return null;
        });
        assertThat(inside.await(20, SECONDS)).isTrue();
        transaction.begin();
        ledger.write("busy");
        assertThat(bean.skip("busy")).isFalse();
        transaction.commit();
        go.countDown();
        other.get(20, SECONDS);
        assertThat(ledger.has("busy")).isTrue();
        assertThat(events.of("busy")).containsExactly("acquired [busy]", "skipped [busy]", "released [busy]");
        assertThat(bean.skip("busy")).isTrue();
    }

    @Test
    void memberSetByMicroProfileConfig_countsMoreThanWhatIsWritten() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Future<?> other = executor.submit(() -> {
            bean.forTheCall("configured", () -> {
                inside.countDown();
                go.await();
            });
            return null;
        });
        assertThat(inside.await(20, SECONDS)).isTrue();
        assertThat(bean.configured("configured"))
                .as("would wait by its annotation")
                .isFalse();
        go.countDown();
        other.get(20, SECONDS);
        assertThat(bean.configured("configured")).isTrue();
    }

    @Test
    void jobThatIsDoneAtOnce_isNotDoneAgainBeforeAtLeastIsOver() {
        assertThat(bean.atLeast("at-least")).isTrue();
        assertThat(bean.atLeast("at-least")).isFalse();
        assertThat(nodes.isHeld("at-least")).isTrue();
        await().atMost(PATIENCE).until(() -> bean.atLeast("at-least"));
    }

    @Test
    void lockOfTheInvocation_isReleasedInTheMiddleOfTheTransaction() throws Exception {
        transaction.begin();
        bean.forTheCall(
                "for-the-call", () -> assertThat(nodes.isHeld("for-the-call")).isTrue());
        awaitFree("for-the-call");
        ejb.forTheCall("for-the-call-ejb", () -> assertThat(nodes.isHeld("for-the-call-ejb"))
                .isTrue());
        awaitFree("for-the-call-ejb");
        transaction.commit();
    }

    @Test
    void lockOfTheInvocation_lostInTheTransactionUnderIt_rollsThatBack() throws Exception {
        assertThat(catchThrowable(() -> bean.forTheCallBriefly("call-loss", losing(() -> ledger.write("call-loss")))))
                .hasRootCauseInstanceOf(LeaseLostException.class);
        assertThat(ledger.has("call-loss")).isFalse();
    }

    @Test
    void lockOfTheInvocation_lostInAnEjbThatThrowsACheckedException_rollsBack() throws Exception {
        Work lost = losing(() -> ledger.write("checked"));
        assertThat(catchThrowable(() -> ejb.forTheCallBriefly("checked", () -> {
                    lost.run();
                    throw new IOException("on purpose");
                })))
                .hasRootCauseInstanceOf(LeaseLostException.class);
        assertThat(ledger.has("checked")).isFalse();
    }

    @Test
    void lockOfTheInvocation_lostInTheCallersTransaction_tellsTheCaller() throws Exception {
        transaction.begin();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bean.forTheCallBriefly("call-loss-outer", losing(() -> {})));
        transaction.rollback();
    }

    @Test
    void lostLock_ofAMethodThatMayGoOn_commits() throws Exception {
        bean.goOn("continued", losing(() -> ledger.write("continued")));
        assertThat(ledger.has("continued")).isTrue();
        await().atMost(PATIENCE).until(() -> events.of("continued").contains("lost continued"));
    }

    @Test
    void lostLock_interruptsTheThreadOfAnEjb_andRollsBack() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        assertThat(catchThrowable(() -> ejb.interrupted("interrupted", () -> {
                    ledger.write("interrupted");
                    try (RealNodes.Frozen frozen = nodes.freeze()) {
                        SECONDS.sleep(30);
                    } catch (InterruptedException e) {
                        interrupted.set(true);
                    }
                })))
                .hasRootCauseInstanceOf(LeaseLostException.class);
        assertThat(interrupted).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(ledger.has("interrupted")).isFalse();
    }
}
