// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A factory of a plain web module, which finds the server's transactions by name. */
@Timeout(60)
class StandaloneTransactionsTest {

    private final RedisServer redis = RedisServer.start(Path.of("target", "redis"));
    private final LockConnectionFactory other = connect();
    private final List<Synchronization> registered = new ArrayList<>();
    private int status = Status.STATUS_NO_TRANSACTION;
    private Naming naming;
    private LockConnectionFactory locks;

    private LockConnectionFactory connect() {
        return Holdfast.connect(Map.of("nodes", redis.uri(), "guard", "OFF", "nodeTimeoutMillis", "1500"));
    }

    @BeforeEach
    void start() {
        naming = Naming.start();
        naming.bind("java:comp/TransactionSynchronizationRegistry", registry());
        locks = connect();
    }

    @AfterEach
    void stop() {
        locks.close();
        other.close();
        naming.close();
        redis.close();
    }

    private TransactionSynchronizationRegistry registry() {
        return (TransactionSynchronizationRegistry) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {TransactionSynchronizationRegistry.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getTransactionStatus" -> status;
                    case "getTransactionKey" -> status == Status.STATUS_NO_TRANSACTION ? null : "transaction";
                    case "registerInterposedSynchronization" ->
                        registered.add((Synchronization) arguments[0]) ? null : null;
                    case "setRollbackOnly" -> {
                        status = Status.STATUS_MARKED_ROLLBACK;
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private void commit() {
        for (int i = 0; i < registered.size(); i++) { // each may register another one
            registered.get(i).beforeCompletion();
        }
        status = Status.STATUS_NO_TRANSACTION;
        registered.forEach(synchronization -> synchronization.afterCompletion(Status.STATUS_COMMITTED));
    }

    private boolean isFree() throws InterruptedException {
        try (LockConnection connection = other.getConnection()) {
            return connection
                    .tryAcquire(LockRequest.of("x").waitTimeout(Duration.ZERO))
                    .isPresent();
        }
    }

    private Lease acquireAndClose() throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            return connection.acquire(LockRequest.of("x").ttl(Duration.ofSeconds(3)));
        }
    }

    @Test
    void lease_takenInATransaction_isReleasedAfterIt() throws Exception {
        status = Status.STATUS_ACTIVE;
        acquireAndClose();
        assertThat(isFree()).isFalse();
        commit();
        assertThat(isFree()).isTrue();
    }

    @Test
    void transaction_whoseLockWasTakenAway_doesNotCommit() throws Exception {
        status = Status.STATUS_ACTIVE;
        Lease lease = acquireAndClose();
        other.forceRelease(LockRequest.of("x"));
        await().until(() -> !lease.isHeld()); // the next renewal reports it
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this::commit);
        assertThat(status).isEqualTo(Status.STATUS_MARKED_ROLLBACK);
    }

    /** JPA writes the changes of entities in such a synchronization, which may have to wait for rows. */
    @Test
    void transaction_whoseLockIsTakenAwayWhileItWritesBeforeCompletion_doesNotCommit() throws Exception {
        status = Status.STATUS_ACTIVE;
        Lease lease = acquireAndClose();
        registered.add(new Synchronization() {
            @Override
            public void beforeCompletion() {
                other.forceRelease(LockRequest.of("x"));
                await().until(() -> !lease.isHeld());
            }

            @Override
            public void afterCompletion(int outcome) {}
        });
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this::commit);
        assertThat(status).isEqualTo(Status.STATUS_MARKED_ROLLBACK);
    }

    @Test
    void lease_takenWithoutATransaction_isReleasedWithItsConnection() throws Exception {
        acquireAndClose();
        assertThat(isFree()).isTrue();
    }
}
