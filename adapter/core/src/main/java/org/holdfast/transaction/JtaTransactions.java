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

    /**
     * What is registered here is called before what is registered later, such as the synchronization by which JPA
     * writes the changes of entities. So the leases are checked before that, and once more behind it.
     */
    @Override
    public void bind(Completion completion) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                confirm(completion);
                confirmOnceMore(completion);
            }

            @Override
            public void afterCompletion(int status) {
                completion.completed();
            }
        });
    }

    private void confirm(Completion completion) {
        try {
            completion.confirm();
        } catch (RuntimeException | Error e) { // also failures that were not foreseen: it is not known that it is held
            registry.setRollbackOnly(); // should a server only log what is thrown
            throw e; // the caller sees it as the cause
        }
    }

    private void confirmOnceMore(Completion completion) {
        try {
            registry.registerInterposedSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {
                    confirm(completion);
                }

                @Override
                public void afterCompletion(int status) {
                    // the first one tells of it
                }
            });
        } catch (RuntimeException e) {
            // a server that takes no more of them: it was checked once
        }
    }
}
