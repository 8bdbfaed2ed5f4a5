// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.AsyncResult;
import jakarta.ejb.Asynchronous;
import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import java.util.concurrent.Future;
import org.holdfast.Lease;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnLoss;

/** An EJB whose methods have what the annotation can say of transactions that the container begins. */
@Stateless
public class LockedEjb {

    @Inject
    private Lease lease;

    @Locked("#{name}")
    public long tokenInside(String name) {
        lease.requireHeld();
        return lease.token();
    }

    @Locked("#{name}")
    @Asynchronous
    public Future<Long> asynchronous(String name, Work work) throws Exception {
        work.run();
        return new AsyncResult<>(lease.token());
    }

    /** Others get the lock before the transaction is over. */
    @Locked(value = "#{name}", scope = LockScope.INVOCATION)
    public void forTheCall(String name, Work work) throws Exception {
        work.run();
    }

    @Locked(value = "#{name}", ttl = "PT0.3S", onLoss = OnLoss.INTERRUPT)
    public void interrupted(String name, Work work) throws Exception {
        work.run();
    }

    /** In the container's transaction, which commits in spite of checked exceptions. */
    @Locked(value = "#{name}", scope = LockScope.INVOCATION, ttl = "PT0.3S")
    public void forTheCallBriefly(String name, Work work) throws Exception {
        work.run();
    }
}
