// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;

/**
 * Stands in for the container's connection manager where there is no container: no pool, each handle has a managed
 * connection of its own that ends with it.
 */
final class NonManagedConnectionManager implements ConnectionManager {

    private static final long serialVersionUID = 1L;
    private static final System.Logger LOG = System.getLogger(NonManagedConnectionManager.class.getName());

    @Override
    public Object allocateConnection(ManagedConnectionFactory factory, ConnectionRequestInfo info)
            throws ResourceException {
        ManagedConnection connection = factory.createManagedConnection(null, info);
        connection.addConnectionEventListener(new Ending());
        return connection.getConnection(null, info);
    }

    /** Locks take part in no local transaction, so only the end of a connection means anything. */
    private static final class Ending implements ConnectionEventListener {

        @Override
        public void connectionClosed(ConnectionEvent event) {
            end(event);
        }

        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {
            end(event);
        }

        private static void end(ConnectionEvent event) {
            try {
                ((ManagedConnection) event.getSource()).destroy();
            } catch (ResourceException e) {
                LOG.log(System.Logger.Level.WARNING, "HF0418: a lock connection could not be closed", e);
            }
        }

        @Override
        public void localTransactionStarted(ConnectionEvent event) {}

        @Override
        public void localTransactionCommitted(ConnectionEvent event) {}

        @Override
        public void localTransactionRolledback(ConnectionEvent event) {}
    }
}
