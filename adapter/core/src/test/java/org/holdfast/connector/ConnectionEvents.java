// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import java.util.ArrayList;
import java.util.List;

/** Keeps the events that a container receives. */
class ConnectionEvents implements ConnectionEventListener {

    final List<Object> closed = new ArrayList<>();
    final List<ConnectionEvent> errors = new ArrayList<>();

    @Override
    public void connectionClosed(ConnectionEvent event) {
        closed.add(event.getConnectionHandle());
    }

    @Override
    public void connectionErrorOccurred(ConnectionEvent event) {
        errors.add(event);
    }

    @Override
    public void localTransactionStarted(ConnectionEvent event) {
        throw new AssertionError("there are no local transactions");
    }

    @Override
    public void localTransactionCommitted(ConnectionEvent event) {
        throw new AssertionError("there are no local transactions");
    }

    @Override
    public void localTransactionRolledback(ConnectionEvent event) {
        throw new AssertionError("there are no local transactions");
    }
}
