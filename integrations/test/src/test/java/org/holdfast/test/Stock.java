// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import org.holdfast.cdi.Locked;

/** A service as an application has it: what it sells counts only if the transaction commits. */
@ApplicationScoped
class Stock {

    private final TransactionSynchronizationRegistry transactions;
    private int left = 1;

    @Inject
    Stock(TransactionSynchronizationRegistry transactions) {
        this.transactions = transactions;
    }

    /** For the proxy of the container. */
    Stock() {
        this(null);
    }

    /** @param meanwhile happens after the work, before the commit */
    @Locked("stock-#{item}")
    @Transactional
    void sell(String item, Runnable meanwhile) {
        transactions.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                // nothing to write before
            }

            @Override
            public void afterCompletion(int status) {
                left -= status == Status.STATUS_COMMITTED ? 1 : 0;
            }
        });
        meanwhile.run();
    }

    int left() {
        return left;
    }
}
