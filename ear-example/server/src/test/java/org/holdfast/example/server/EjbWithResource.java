// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/**
 * An EJB that has the factory from the server itself. Where that does not work, {@link InjectedFactory} is for EJBs.
 */
@Stateless
public class EjbWithResource {

    @Resource(name = "eis/holdfast")
    private LockConnectionFactory locks;

    public long token(String name) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            return connection.acquire(name).token();
        }
    }
}
