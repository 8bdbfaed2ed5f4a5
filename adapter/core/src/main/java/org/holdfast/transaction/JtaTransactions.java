// SPDX-License-Identifier: Apache-2.0
package org.holdfast.transaction;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import org.holdfast.protocol.session.Transactions;
import org.jspecify.annotations.Nullable;

/** The container's transactions. */
public final class JtaTransactions implements Transactions {

    private final TransactionSynchronizationRegistry registry;

    public JtaTransactions(TransactionSynchronizationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public @Nullable Object current() {
        return registry.getTransactionStatus() == Status.STATUS_NO_TRANSACTION ? null : registry.getTransactionKey();
    }

    @Override
    public boolean mayCommit() {
        return registry.getTransactionStatus() == Status.STATUS_ACTIVE;
    }

    @Override
    public void bind(Completion completion) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                try {
                    completion.confirm();
                } catch (RuntimeException
                        | Error e) { // also failures that were not foreseen: it is not known that the lock is held
                    registry.setRollbackOnly(); // should a server only log what is thrown
                    throw e; // the caller sees it as the cause
                }
            }

            @Override
            public void afterCompletion(int status) {
                completion.completed();
            }
        });
    }
}
