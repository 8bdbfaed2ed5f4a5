// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.awaitility.Awaitility.await;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.util.concurrent.Callable;
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

    @Locked("#{name}")
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public void writeInNewTransactionUntilTheLockIsLost(String name, Runnable write) {
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
            public void afterCompletion(int status) {}
        });
    }

    public <T> Future<T> onAnotherThread(Callable<T> task) {
        return executor.submit(task);
    }
}
