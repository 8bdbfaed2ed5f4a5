// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static java.util.concurrent.TimeUnit.SECONDS;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.LockConnectionFactory;
import org.holdfast.cdi.Locked;

/** A CDI bean whose lock must still be held when its transaction has completed. */
@ApplicationScoped
public class LockingBean {

    @Resource(name = "eis/holdfast")
    private LockConnectionFactory locks;

    @Resource
    private TransactionSynchronizationRegistry transactions;

    @Resource
    private ManagedExecutorService executor;

    private final AtomicBoolean lockedAfterCommit = new AtomicBoolean();
    private final AtomicInteger lastStatus = new AtomicInteger();

    @Locked("#{name}")
    @Transactional
    public String work(String name) {
        transactions.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                lockedAfterCommit.set(isLocked(name));
            }
        });
        return (isLocked(name) ? "locked" : "free") + ", "
                + (transactions.getTransactionKey() != null ? "in a transaction" : "in none");
    }

    /** Returns whether the lock of the last call was still held when its transaction had completed. */
    public boolean wasLockedAfterCommit() {
        return lockedAfterCommit.get();
    }

    /** Suspends the caller's transaction, which holds the lock, and works in a new one. */
    @Locked(value = "#{name}", waitTimeout = "PT2S")
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public String workInNewTransaction(String name) {
        return (isLocked(name) ? "locked, in " : "free, in ") + transactions.getTransactionKey();
    }

    /** Works for longer than the TTL while no node answers. */
    @Locked(value = "#{name}", ttl = "PT0.3S")
    @Transactional
    public void loseTheLock(String name) throws Exception {
        transactions.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                lastStatus.set(status);
            }
        });
        for (String node : System.getProperty("holdfast.nodes").split(",")) {
            URI address = URI.create(node);
            try (Socket socket = new Socket(address.getHost(), address.getPort())) {
                socket.getOutputStream().write("CLIENT PAUSE 900\r\n".getBytes(StandardCharsets.US_ASCII));
                socket.getInputStream().read();
            }
        }
        SECONDS.sleep(1);
    }

    public int lastStatus() {
        return lastStatus.get();
    }

    private boolean isLocked(String name) {
        try {
            return !FreeLock.isFree(executor, locks::getConnection, name);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
