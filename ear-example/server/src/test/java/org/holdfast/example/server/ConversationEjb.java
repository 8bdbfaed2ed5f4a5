// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateful;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.transaction.UserTransaction;
import org.holdfast.cdi.Locked;

/** A conversation whose transaction stays open between the calls, on whichever threads these come. */
@Stateful
@TransactionManagement(TransactionManagementType.BEAN)
public class ConversationEjb {

    @Resource
    private UserTransaction transaction;

    @Locked("#{name}")
    public void begin(String name) throws Exception {
        transaction.begin();
    }

    @Locked(value = "#{name}", waitTimeout = "PT1S")
    public void goOn(String name) {}

    public void commit() throws Exception {
        transaction.commit();
    }
}
