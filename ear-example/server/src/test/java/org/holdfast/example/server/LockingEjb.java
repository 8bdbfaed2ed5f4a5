// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static java.util.concurrent.TimeUnit.SECONDS;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.time.Duration;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.cdi.Locked;

/** An EJB with a container-managed transaction. */
@Stateless
public class LockingEjb {

    @Resource(lookup = "java:/eis/holdfast")
    private LockConnectionFactory locks;

    @Resource
    private TransactionSynchronizationRegistry transactions;

    @Resource
    private ManagedExecutorService executor;

    public long token(String name) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            return connection.acquire(name).token();
        }
    }

    @Locked("#{name}")
    public String work(String name) throws Exception {
        boolean locked = executor.submit(() -> {
                    try (LockConnection connection = locks.getConnection()) {
                        return connection
                                .tryAcquire(LockRequest.of(name).waitTimeout(Duration.ZERO))
                                .isEmpty();
                    }
                })
                .get(30, SECONDS);
        return (locked ? "locked" : "free") + ", "
                + (transactions.getTransactionKey() != null ? "in a transaction" : "in none");
    }
}
