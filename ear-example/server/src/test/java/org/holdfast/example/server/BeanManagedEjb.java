// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.transaction.UserTransaction;
import org.holdfast.cdi.Locked;

/** An EJB that begins and ends its transactions itself. */
@Stateless
@TransactionManagement(TransactionManagementType.BEAN)
public class BeanManagedEjb {

    @Resource
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

    @Locked("#{name}")
    public void commitLocked(String name, Work work, Work afterwards) throws Exception {
        commit(work);
        afterwards.run();
    }
}
