// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/** Locks by program instead of by annotation: the factory comes from JNDI. */
@Stateless
public class Tickets {

    @Resource(lookup = "java:/eis/holdfast")
    private LockConnectionFactory locks;

    /** Takes a lock for the rest of the transaction and returns its fencing token. */
    public long draw(String counter) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("tickets-" + counter);
            return lease.token();
        }
    }
}
