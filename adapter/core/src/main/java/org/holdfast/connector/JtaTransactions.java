// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import org.holdfast.protocol.Transactions;

/** The container's transactions. */
final class JtaTransactions implements Transactions {

    private final TransactionSynchronizationRegistry registry;

    JtaTransactions(TransactionSynchronizationRegistry registry) {
        this.registry = registry;
    }

    /** A transaction that is already marked for rollback keeps nothing: some servers would not call back. */
    @Override
    public Object current() {
        return registry.getTransactionStatus() == Status.STATUS_ACTIVE ? registry.getTransactionKey() : null;
    }

    @Override
    public void bind(Completion completion) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                if (!completion.mayCommit()) {
                    registry.setRollbackOnly();
                }
            }

            @Override
            public void afterCompletion(int status) {
                completion.completed();
            }
        });
    }
}
