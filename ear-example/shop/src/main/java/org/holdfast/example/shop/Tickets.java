// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/** Locks by program instead of by annotation: the factory comes from JNDI. */
@ApplicationScoped
public class Tickets {

    @Resource(name = "eis/holdfast")
    private LockConnectionFactory locks;

    /** Takes a lock for the rest of the transaction and returns its fencing token. */
    @Transactional
    public long draw(String counter) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("tickets-" + counter);
            return lease.token();
        }
    }
}
