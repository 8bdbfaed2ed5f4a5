// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.holdfast.connector.RunningAdapter.handle;

import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.IllegalStateException;
import jakarta.resource.spi.ManagedConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A container that destroys a connection frees no lock under the application that uses it, and reports the loss. */
@Timeout(60)
class DestroyedInUseTest {

    private static final Duration TTL = Duration.ofSeconds(3);
    private static final String IN_USE = "the container destroyed its connection, and it was in use";

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

    private Lease take(LockConnection connection, String lock) throws InterruptedException {
        Lease lease = connection.acquire(LockRequest.of(lock).ttl(TTL));
        lease.onLost(losses::add);
        return lease;
    }

    /** Returns whether another process gets the lock now. */
    private boolean isFree(String lock) throws InterruptedException {
        return other.tryAcquire(LockRequest.of(lock).waitTimeout(Duration.ZERO)).isPresent();
    }

    private void assertLost(Lease lease, String reason) throws InterruptedException {
        long begun = System.nanoTime();
        assertThat(lease.isHeld()).isFalse();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(lease::requireHeld)
                .withMessageContaining(reason);
        boolean free = isFree(lease.name());
        if (System.nanoTime() - begun < TTL.toNanos() / 4) { // else this machine stood still meanwhile
            assertThat(free).isFalse();
        }
        await().untilAsserted(() -> assertThat(losses).singleElement().satisfies(loss -> assertThat(loss.reason())
                .isEqualTo(reason)));
        lease.release(); // releases nothing any more
        if (!free) {
            await().until(() -> isFree(lease.name()));
        }
    }

    @Test
    void destroy_withAHandleThatHoldsALock_losesItAndLeavesItToItsTtl() throws Exception {
        ManagedConnection managed = running.managed();
        LockConnection handle = handle(managed);
        Lease lease = take(handle, "destroyed");
        try (LogLines log = LogLines.of(LockManagedConnection.class.getName())) {
            managed.destroy();
            assertThat(log.beginningWith("HF0421: 1 leases are lost")).hasSize(1);
        }
        assertLost(lease, IN_USE);
        assertThatCode(handle::close).doesNotThrowAnyException();
    }

    @Test
    void destroy_ofAnIdleConnection_losesNothingAndLogsNothing() throws Exception {
        ManagedConnection managed = running.managed();
        LockConnection handle = handle(managed);
        Lease detached = handle.acquire(LockRequest.of("detached").detached());
        handle.acquire("given back");
        handle.close();
        try (LogLines log = LogLines.of("org.holdfast")) {
            managed.cleanup();
            managed.destroy();
            assertThat(log.beginningWith("HF")).isEmpty();
        }
        assertThat(detached.isHeld()).isTrue();
        assertThat(isFree("given back")).isTrue();
        detached.release();
    }

    @Test
    void destroy_withAHandleInATransaction_losesWhatTheTransactionKeepsSoThatItCannotCommit() throws Exception {
        ManagedConnection managed = running.managed();
        LockConnection handle = handle(managed);
        running.transaction.begin();
        Lease lease = take(handle, "transaction");
        managed.destroy();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(running.transaction::commit)
                .withMessageContaining(IN_USE);
        assertThat(running.transaction.getRollbackOnly()).isTrue();
        assertLost(lease, IN_USE);
    }

    @Test
    void destroy_whenTheHandleIsClosedAndItsTransactionOpen_leavesTheLockToTheTransaction() throws Exception {
        ManagedConnection managed = running.managed();
        LockConnection handle = handle(managed);
        running.transaction.begin();
        Lease lease = take(handle, "kept");
        handle.close();
        managed.destroy();
        assertThat(lease.isHeld()).isTrue();
        running.transaction.commit();
        assertThat(losses).isEmpty();
        assertThat(isFree("kept")).isTrue();
    }

    @Test
    void cleanup_withAHandleThatHoldsALock_losesItAndLeavesItToItsTtl() throws Exception {
        ManagedConnection managed = running.managed();
        Lease lease = take(handle(managed), "cleaned");
        managed.cleanup();
        assertLost(lease, "the container took its connection away, and it was in use");
    }

    @Test
    void errorEvent_whoseListenerDestroysTheConnection_losesTheLock() throws Exception {
        LockManagedConnection managed = (LockManagedConnection) running.managed();
        LockConnection handle = handle(managed);
        Lease lease = take(handle, "error");
        managed.addConnectionEventListener(new ConnectionEvents() {
            @Override
            public void connectionErrorOccurred(ConnectionEvent event) {
                managed.destroy();
            }
        });
        ((org.holdfast.redis.NodeConnections) managed.nodes()).close();
        assertThatExceptionOfType(java.lang.IllegalStateException.class).isThrownBy(() -> handle.acquire("more"));
        assertLost(lease, IN_USE);
    }

    @Test
    void destroy_underTheConnectionOfAnApplication_losesItsLockAndInterruptsItsThread() throws Exception {
        ManagedConnection[] made = new ManagedConnection[1];
        LockConnectionFactory locks = (LockConnectionFactory)
                running.factory.createConnectionFactory((jakarta.resource.spi.ConnectionManager) (factory, info) -> {
                    made[0] = factory.createManagedConnection(null, info);
                    return made[0].getConnection(null, info);
                });
        Lease lease;
        try (LockConnection connection = locks.getConnection()) {
            lease = connection.acquire(LockRequest.of("application").ttl(TTL).interruptOnLoss(true));
            lease.onLost(losses::add);
            made[0].destroy();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        }
        assertThat(Thread.interrupted())
                .as("what comes next on this thread is not interrupted for it")
                .isFalse();
        assertThat(lease.isHeld()).isFalse();
        assertThat(isFree("application")).isFalse();
        await().until(() -> isFree("application"));
    }

    @Test
    void metaData_ofADestroyedConnection_isRefused() throws Exception {
        ManagedConnection managed = running.managed();
        assertThat(managed.getMetaData().getEISProductName()).isEqualTo("Redis");
        managed.destroy();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(managed::getMetaData)
                .withMessageContaining("destroyed");
    }
}
