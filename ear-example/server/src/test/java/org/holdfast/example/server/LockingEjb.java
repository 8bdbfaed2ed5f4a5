// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static java.util.concurrent.TimeUnit.SECONDS;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.ejb.Timeout;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.cdi.Locked;

/** An EJB with a container-managed transaction. */
@Stateless
public class LockingEjb {

    @Inject
    private InjectedFactory locks;

    @Resource
    private TransactionSynchronizationRegistry transactions;

    @Resource
    private ManagedExecutorService executor;

    @Resource
    private TimerService timers;

    private static final AtomicReference<CompletableFuture<Boolean>> TICK = new AtomicReference<>();

    public long token(String name) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            return connection.acquire(name).token();
        }
    }

    /** Forgets to close its connection. */
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public Lease leak(String name) throws InterruptedException {
        return locks.getConnection().acquire(name);
    }

    /** Lets the timer service call {@link #tick} and returns whether the lock was held then. */
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public boolean timeoutRunsLocked() throws Exception {
        CompletableFuture<Boolean> locked = new CompletableFuture<>();
        TICK.set(locked);
        timers.createSingleActionTimer(1, new TimerConfig(null, false));
        return locked.get(30, SECONDS);
    }

    @Timeout
    @Locked("tick")
    public void tick(Timer timer) { // a timeout method must not throw what an application might
        try {
            TICK.get().complete(work("tick").startsWith("locked"));
        } catch (Exception e) {
            TICK.get().completeExceptionally(e);
        }
    }

    @Locked("#{name}")
    public String work(String name) throws Exception {
        boolean locked = !FreeLock.isFree(executor, locks::getConnection, name);
        return (locked ? "locked" : "free") + ", "
                + (transactions.getTransactionKey() != null ? "in a transaction" : "in none");
    }
}
