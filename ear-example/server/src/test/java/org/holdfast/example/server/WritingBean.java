// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.awaitility.Awaitility.await;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.holdfast.Lease;
import org.holdfast.cdi.Locked;

/** Writes when its transaction is about to commit, as JPA does, which may have to wait for rows then. */
@ApplicationScoped
public class WritingBean {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Inject
    private Lease lease;

    @Resource
    private TransactionSynchronizationRegistry registry;

    @Resource
    private ManagedExecutorService executor;

    private volatile int outcome = Status.STATUS_UNKNOWN;

    @Locked("#{name}")
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public void writeInNewTransactionUntilTheLockIsLost(String name, Runnable write) {
        writeUntilTheLockIsLost(write);
    }

    @Locked("#{name}")
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public CompletionStage<String> writeForAStageUntilTheLockIsLost(String name, Runnable write) {
        writeUntilTheLockIsLost(write);
        return CompletableFuture.completedFuture(name);
    }

    @Locked("#{name}")
    public CompletionStage<String> stage(String name) {
        return CompletableFuture.completedFuture(name);
    }

    /** Begins a transaction, for its caller to end. */
    @Locked("#{name}")
    public void begin(String name, UserTransaction transaction) throws Exception {
        transaction.begin();
    }

    private void writeUntilTheLockIsLost(Runnable write) {
        CountDownLatch lost = new CountDownLatch(1);
        lease.onLost(loss -> lost.countDown());
        beforeCompletion(() -> {
            write.run();
            await().pollInSameThread().atMost(PATIENCE).until(() -> lost.getCount() == 0);
        });
    }

    public void beforeCompletion(Runnable write) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                write.run();
            }

            @Override
            public void afterCompletion(int status) {
                outcome = status;
            }
        });
    }

    public void afterCompletion(Runnable work) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                work.run();
            }
        });
    }

    /** Returns with which status the last transaction has ended for which something was written. */
    public int outcome() {
        return outcome;
    }

    public <T> Future<T> onAnotherThread(Callable<T> task) {
        return executor.submit(task);
    }
}
