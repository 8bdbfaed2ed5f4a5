// SPDX-License-Identifier: Apache-2.0
package org.holdfast.transaction;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionSynchronizationRegistry;
import org.holdfast.protocol.session.Transactions;
import org.jspecify.annotations.Nullable;

/** The container's transactions. */
public final class JtaTransactions implements Transactions {

    /**
     * How often the leases of a transaction are checked, where a server takes as many synchronizations. Open Liberty
     * calls five rounds of them, each registered by the round before, and rolls back if there are more. One of the
     * application that takes a lock may be in the second or third.
     */
    static final int CHECKS = 3;

    private final TransactionSynchronizationRegistry registry;
    private final ServerTransactions ofServer;

    public JtaTransactions(TransactionSynchronizationRegistry registry) {
        this(registry, new ServerTransactions());
    }

    JtaTransactions(TransactionSynchronizationRegistry registry, ServerTransactions ofServer) {
        this.registry = registry;
        this.ofServer = ofServer;
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
    public Binding bind(Completion completion) {
        Transaction transaction = ofServer.current();
        Bound bound = new Bound(completion, transaction);
        registry.registerInterposedSynchronization(new Checked(bound, 1));
        return transaction == null ? Binding.SILENT : bound;
    }

    /** What is kept of a transaction until it has ended: a server may keep for longer what was registered with it. */
    private static final class Bound implements Binding {

        private volatile @Nullable Completion completion;
        private volatile @Nullable Transaction transaction;

        private Bound(Completion completion, @Nullable Transaction transaction) {
            this.completion = completion;
            this.transaction = transaction;
        }

        @Override
        public boolean isOver() {
            Transaction asked = transaction;
            return asked != null && isOver(asked);
        }

        private static boolean isOver(Transaction asked) {
            try {
                int status = asked.getStatus();
                return status == Status.STATUS_COMMITTED
                        || status == Status.STATUS_ROLLEDBACK
                        || status == Status.STATUS_NO_TRANSACTION;
            } catch (SystemException | RuntimeException | Error e) { // that is not known
                return false;
            }
        }

        @Override
        public void forget() {
            completion = null;
            transaction = null;
        }
    }

    /** Checks the leases of one transaction. */
    private final class Checked implements Synchronization {

        private final Bound bound;

        /** 1 for the first. */
        private final int number;

        private Checked(Bound bound, int number) {
            this.bound = bound;
            this.number = number;
        }

        @Override
        public void beforeCompletion() {
            Completion own = bound.completion;
            if (own == null) {
                throw new IllegalStateException("the transaction has ended already");
            }
            confirm(own);
            if (number < CHECKS) {
                confirmOnceMore(number + 1);
            }
        }

        private void confirmOnceMore(int next) {
            try {
                registry.registerInterposedSynchronization(new Checked(bound, next));
            } catch (RuntimeException e) {
                // a server that takes no more of them: what it took has checked
            }
        }

        @Override
        public void afterCompletion(int status) {
            Completion own = bound.completion;
            if (own != null && number == 1) {
                bound.forget();
                end(own, status);
            }
        }
    }

    private static void end(Completion completion, int status) {
        try {
            if (status == Status.STATUS_COMMITTED) {
                completion.committed();
            }
        } finally {
            completion.completed();
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
}
