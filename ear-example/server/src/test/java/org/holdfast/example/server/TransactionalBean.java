// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.UserTransaction;
import org.holdfast.cdi.Locked;

/** A CDI bean, with transactions of either kind. */
@ApplicationScoped
public class TransactionalBean {

    @Inject
    private UserTransaction transaction;

    public void commit(Work work) throws Exception {
        transaction.begin();
        work.run();
        transaction.commit();
    }

    public void rollBack(Work work) throws Exception {
        transaction.begin();
        work.run();
        transaction.rollback();
    }

    /** The lock is there before the transaction, and knows nothing of it. */
    @Locked(value = "#{name}", ttl = "PT0.3S")
    public void commitLockedBriefly(String name, Work work) throws Exception {
        commit(work);
    }

    @Locked("#{name}")
    @Transactional
    public void runLocked(String name, Work work) throws Exception {
        work.run();
    }

    @Locked(value = "#{name}", ttl = "PT0.3S")
    @Transactional
    public void runLockedBriefly(String name, Work work) throws Exception {
        work.run();
    }
}
