// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.ejb.SessionContext;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import org.holdfast.cdi.Locked;

/** An EJB whose transactions the container begins and ends. */
@Stateless
public class ContainerManagedEjb {

    @Resource
    private SessionContext context;

    public void run(Work work) throws Exception {
        work.run();
    }

    public void runAndMark(Work work) throws Exception {
        work.run();
        context.setRollbackOnly();
    }

    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public void runInNew(Work work) throws Exception {
        work.run();
    }

    @Locked("#{name}")
    public void runLocked(String name, Work work) throws Exception {
        work.run();
    }

    @Locked("#{name}")
    public void runLockedAndMark(String name, Work work) throws Exception {
        work.run();
        context.setRollbackOnly();
    }

    @Locked(value = "#{name}", ttl = "PT0.3S")
    public void runLockedBriefly(String name, Work work) throws Exception {
        work.run();
    }

    @Locked(value = "#{name}", waitTimeout = "PT0S")
    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public void runLockedInNew(String name, Work work) throws Exception {
        work.run();
    }
}
