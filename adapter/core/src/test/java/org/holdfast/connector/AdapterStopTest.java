// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.holdfast.connector.RunningAdapter.handle;

import jakarta.resource.spi.ResourceAdapterInternalException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An adapter that is stopped lets holders end, for a while, and frees no lock under those that do not. */
@Timeout(60)
class AdapterStopTest {

    private static final Duration TTL = Duration.ofSeconds(3);
    private static final String STOPPED = "the resource adapter was stopped, and its holder did not end within";

    private static RedisServers redis;
    private final List<LeaseLoss> losses = new CopyOnWriteArrayList<>();
    private RunningAdapter running;
    private RunningAdapter others;
    private LockConnection other;

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(3);
    }

    @AfterAll
    static void stopNodes() {
        redis.close();
    }

    @BeforeEach
    void start() throws Exception {
        running = new RunningAdapter(redis.uris());
        others = new RunningAdapter(redis.uris());
        other = handle(others.managed());
    }

    @AfterEach
    void stop() {
        running.close();
        others.close();
    }

    private void restart(long stopTimeoutMillis) throws Exception {
        running.adapter.stop();
        running.adapter.setStopTimeoutMillis(Long.toString(stopTimeoutMillis));
        running.adapter.start(running);
    }

    private Lease take(LockConnection connection, String lock) throws InterruptedException {
        Lease lease = connection.acquire(LockRequest.of(lock).ttl(TTL));
        lease.onLost(losses::add);
        return lease;
    }

    /** Returns whether another process gets the lock now. */
    private boolean isFree(String lock) throws InterruptedException {
        return other.tryAcquire(LockRequest.of(lock).waitTimeout(Duration.ZERO)).isPresent();
    }

    private CompletableFuture<Void> stopping() {
        return CompletableFuture.runAsync(running.adapter::stop);
    }

    private void awaitRefusal() {
        await().untilAsserted(() -> assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(running::managed)
                .withMessageContaining("HF0402"));
    }

    @Test
    void stop_whileALockIsHeld_refusesWhatIsNewAtOnceAndWaitsForTheHolder() throws Exception {
        restart(30_000);
        LockConnection connection = handle(running.managed());
        Lease lease = take(connection, "ends in time");
        CompletableFuture<Void> stopping = stopping();
        awaitRefusal();
        await().untilAsserted(() -> assertThatIllegalStateException()
                .isThrownBy(() -> connection.acquire("new"))
                .withMessageContaining("stopped"));
        await().pollDelay(TTL.multipliedBy(2)).until(lease::isHeld); // it is renewed meanwhile
        assertThat(isFree("ends in time")).isFalse();
        assertThat(stopping).isNotDone();

        connection.close();
        stopping.get(10, SECONDS);
        assertThat(isFree("ends in time")).isTrue();
        assertThat(losses).isEmpty();
    }

    @Test
    void stop_underAHolderThatDoesNotEnd_tellsItAndLeavesTheLockToItsTtl() throws Exception {
        restart(200);
        Lease lease = take(handle(running.managed()), "goes on");
        try (LogLines log = LogLines.of("org.holdfast.protocol.session.LeaseShutdown")) {
            running.adapter.stop();
            assertThat(log.beginningWith("HF0218: 1 leases were still held")).hasSize(1);
        }
        long stopped = System.nanoTime();
        assertThat(losses).as("told before the stop has ended").singleElement().satisfies(loss -> assertThat(
                        loss.reason())
                .isEqualTo(STOPPED + " stopTimeoutMillis = 200"));
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::requireHeld);
        boolean free = isFree("goes on");
        if (System.nanoTime() - stopped < TTL.toNanos() / 4) { // else this machine stood still meanwhile
            assertThat(free).isFalse();
        }
        await().until(() -> free || isFree("goes on"));
    }

    @Test
    void stop_underALeaseWithInterrupt_interruptsItsThread() throws Exception {
        restart(0);
        Lease lease = handle(running.managed())
                .acquire(LockRequest.of("interrupt").ttl(TTL).interruptOnLoss(true));
        stopping().join(); // which no interrupt ends
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lease.isHeld()).isFalse();
        assertThat(isFree("interrupt")).isFalse();
        lease.release(); // else this thread is interrupted for it still when it loses another
    }

    @Test
    void stop_whileATransactionIsOpen_letsItCommit() throws Exception {
        restart(30_000);
        LockConnection connection = handle(running.managed());
        running.transaction.begin();
        take(connection, "commits");
        connection.close();
        CompletableFuture<Void> stopping = stopping();
        awaitRefusal();
        assertThat(stopping).isNotDone();
        running.transaction.commit();
        stopping.get(10, SECONDS);
        assertThat(isFree("commits")).isTrue();
        assertThat(losses).isEmpty();
    }

    @Test
    void stop_underATransactionThatDoesNotEnd_letsItRollBackAndSaysWhy() throws Exception {
        restart(100);
        LockConnection connection = handle(running.managed());
        running.transaction.begin();
        take(connection, "rolls back");
        running.adapter.stop();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(running.transaction::commit)
                .withMessageContaining(STOPPED);
        assertThat(running.transaction.getRollbackOnly()).isTrue();
        assertThat(isFree("rolls back")).isFalse();
        await().until(() -> isFree("rolls back"));
    }

    @Test
    void stop_whenAllIsGivenBack_doesNotWait() throws Exception {
        restart(60_000);
        LockConnection connection = handle(running.managed());
        take(connection, "given back");
        connection.close();
        stopping().get(10, SECONDS);
        assertThat(isFree("given back")).isTrue();
    }

    @Test
    void stop_whileCallersWait_endsTheirWaitAtOnceThoughAnotherHoldsOn() throws Exception {
        restart(30_000);
        LockConnection connection = handle(running.managed());
        take(connection, "waited for");
        CompletableFuture<Lease> waiting =
                connection.acquireAsync(LockRequest.of("waited for").detached());
        CompletableFuture<Void> stopping = stopping();
        assertThat(waiting).failsWithin(Duration.ofSeconds(10));
        assertThat(stopping).isNotDone();
        connection.close();
        stopping.get(10, SECONDS);
        assertThat(isFree("waited for")).isTrue();
    }

    @Test
    void start_afterOneThatFailed_tellsTheFaultUntilItSucceeds() throws Exception {
        running.adapter.stop();
        running.adapter.setTtlMillis("0");
        assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(() -> running.adapter.start(running));
        assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(running::managed)
                .withMessageContaining("ttlMillis must be 100 to 60000 ms, was '0'");
        running.adapter.setTtlMillis(null);
        running.adapter.setScheduler("java:comp/NoSuchThing");
        assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(() -> running.adapter.start(running));
        assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(running::managed)
                .withMessageContaining("HF0402")
                .withMessageContaining("'java:comp/NoSuchThing'");
        running.adapter.setScheduler(null);
        running.adapter.start(running);
        assertThat(handle(running.managed()).acquire("started again").isHeld()).isTrue();
    }

    /** As on Payara 6, whose class loader throws it when the settings of an adapter in an EAR have changed. */
    @Test
    void stop_thatTheContainerBreaksOff_endsWhatGoesOnByItselfAndReleasesNothing() throws Exception {
        restart(0);
        Lease lease =
                handle(running.managed()).acquire(LockRequest.of("broken-off").detached());
        await("two timers of each adapter, and a thread that looks at its nodes")
                .until(() -> RunningAdapter.timers().size() == 6);
        Set<Thread> timers = RunningAdapter.timers();
        Handler failing = new ConsoleHandler() {
            @Override
            public void publish(LogRecord line) {
                throw new StackOverflowError();
            }
        };
        Logger log = Logger.getLogger("org.holdfast.protocol.session.LeaseShutdown");
        log.addHandler(failing);
        try {
            assertThatExceptionOfType(StackOverflowError.class).isThrownBy(running.adapter::stop);
        } finally {
            log.removeHandler(failing);
        }
        await().untilAsserted(() ->
                assertThat(timers.stream().filter(Thread::isAlive)).hasSize(3)); // those of the other adapter
        assertThat(lease.isHeld()).isFalse();
        assertThat(other.tryAcquire(LockRequest.of("broken-off").waitTimeout(Duration.ZERO)))
                .isEmpty();
    }
}
