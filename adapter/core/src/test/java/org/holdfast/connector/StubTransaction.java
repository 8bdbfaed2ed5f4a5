// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.ArrayList;
import java.util.List;

/** One transaction at a time, whose callbacks run on the thread that ends it. */
final class StubTransaction implements TransactionSynchronizationRegistry {

    private final List<Synchronization> synchronizations = new ArrayList<>();
    private volatile Object key;
    private volatile boolean rollbackOnly;

    void begin() {
        key = new Object();
        rollbackOnly = false;
    }

    /** Ends it as a container does; throws what a synchronization threw, after it has rolled back. */
    void commit() {
        RuntimeException failure = null;
        try {
            for (int i = 0; i < synchronizations.size(); i++) { // each may register another one
                synchronizations.get(i).beforeCompletion();
            }
        } catch (RuntimeException e) {
            failure = e;
        }
        boolean commits = failure == null && !rollbackOnly;
        key = null;
        List<Synchronization> all = List.copyOf(synchronizations);
        synchronizations.clear();
        all.forEach(each -> each.afterCompletion(commits ? Status.STATUS_COMMITTED : Status.STATUS_ROLLEDBACK));
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public Object getTransactionKey() {
        return key;
    }

    @Override
    public int getTransactionStatus() {
        if (key == null) {
            return Status.STATUS_NO_TRANSACTION;
        }
        return rollbackOnly ? Status.STATUS_MARKED_ROLLBACK : Status.STATUS_ACTIVE;
    }

    @Override
    public void registerInterposedSynchronization(Synchronization synchronization) {
        synchronizations.add(synchronization);
    }

    @Override
    public void setRollbackOnly() {
        rollbackOnly = true;
    }

    @Override
    public boolean getRollbackOnly() {
        return rollbackOnly;
    }

    @Override
    public void putResource(Object name, Object value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Object getResource(Object name) {
        throw new UnsupportedOperationException();
    }
}
