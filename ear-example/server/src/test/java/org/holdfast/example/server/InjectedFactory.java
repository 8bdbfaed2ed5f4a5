// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/**
 * The factory that the server injects. EJBs get it from here: in a web module of an EAR with the RAR, GlassFish and
 * Payara take the reference of an EJB for two that contradict each other.
 */
@ApplicationScoped
public class InjectedFactory {

    @Resource(name = "eis/holdfast")
    private LockConnectionFactory locks;

    public LockConnection getConnection() {
        return locks.getConnection();
    }
}
