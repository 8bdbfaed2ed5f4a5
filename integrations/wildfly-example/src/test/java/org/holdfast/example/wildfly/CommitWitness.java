// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.holdfast.LockConnectionFactory;
import org.holdfast.cdi.Locked;

/** Works in a transaction under a lock, and notes at each step whether the lock is held. */
@ApplicationScoped
public class CommitWitness {

    @Resource(lookup = "java:/eis/holdfast")
    private LockConnectionFactory locks;

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    private TransactionSynchronizationRegistry registry;

    private final Queue<String> steps = new ConcurrentLinkedQueue<>();

    @Locked("#{name}")
    @Transactional
    public void work(String name) {
        note(registry.getTransactionStatus() == Status.STATUS_ACTIVE ? "works in a transaction" : "works", name);
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                note("commits", name);
            }

            @Override
            public void afterCompletion(int status) {
                note(status == Status.STATUS_COMMITTED ? "has committed" : "has not committed", name);
            }
        });
    }

    /** {@return the steps of the call before, and whether the lock is held now} */
    public List<String> steps(String name) {
        note("has returned", name);
        return List.copyOf(steps);
    }

    private void note(String step, String name) {
        steps.add(step + (locks.holders(name).isEmpty() ? ": free" : ": held"));
    }
}
