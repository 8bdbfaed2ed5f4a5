// SPDX-License-Identifier: Apache-2.0
package org.holdfast.transaction;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import org.holdfast.protocol.session.Transactions;
import org.jspecify.annotations.Nullable;

/** The container's transactions. */
public final class JtaTransactions implements Transactions {

    /** How often the leases of a transaction are checked, where a server takes as many synchronizations. */
    static final int CHECKS = 6;

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
     * writes the changes of entities. So the leases are checked before that, and once more behind it. That one may have
     * registered others meanwhile, so each check has another one behind it, up to {@link #CHECKS}.
     */
    @Override
    public void bind(Completion completion) {
        registry.registerInterposedSynchronization(new Checked(completion, 1));
    }

    /** Checks the leases of one transaction. */
    private final class Checked implements Synchronization {

        /** 1 for the first. */
        private final int number;

        /** Null when the transaction has ended: a server may keep what was registered with one that timed out. */
        private @Nullable Completion completion;

        private Checked(Completion completion, int number) {
            this.completion = completion;
            this.number = number;
        }

        @Override
        public void beforeCompletion() {
            Completion own = completion;
            if (own == null) {
                throw new IllegalStateException("the transaction has ended already");
            }
            confirm(own);
            if (number < CHECKS) {
                confirmOnceMore(own, number + 1);
            }
        }

        @Override
        public void afterCompletion(int status) {
            Completion own = completion;
            completion = null;
            if (own != null && number == 1) {
                own.completed();
            }
        }
    }

    private void confirm(Completion completion) {
        try {
            completion.confirm();
        } catch (RuntimeException | Error e) { // also failures that were not foreseen: it is not known that it is held
            registry.setRollbackOnly(); // should a server only log what is thrown
            throw e; // the caller sees it as the cause
        }
    }

    private void confirmOnceMore(Completion completion, int number) {
        try {
            registry.registerInterposedSynchronization(new Checked(completion, number));
        } catch (RuntimeException e) {
            // a server that takes no more of them: what it took has checked
        }
    }
}
