// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionDefinition;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterAssociation;
import jakarta.resource.spi.TransactionSupport;
import jakarta.resource.spi.ValidatingManagedConnectionFactory;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import javax.security.auth.Subject;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/**
 * Makes managed connections for the container's pool. Has no state but the resource adapter: servers create many of these,
 * some before the adapter is started.
 */
@ConnectionDefinition(
        connectionFactory = LockConnectionFactory.class,
        connectionFactoryImpl = LockConnectionFactoryImpl.class,
        connection = LockConnection.class,
        connectionImpl = LockConnectionHandle.class)
public class LockManagedConnectionFactory
        implements ManagedConnectionFactory,
                ResourceAdapterAssociation,
                ValidatingManagedConnectionFactory,
                TransactionSupport {

    private static final long serialVersionUID = 1L;

    private transient HoldfastResourceAdapter adapter;
    private transient PrintWriter logWriter;

    @Override
    public Object createConnectionFactory(ConnectionManager manager) {
        return new LockConnectionFactoryImpl(this, manager);
    }

    /** For use without a container. */
    @Override
    public Object createConnectionFactory() {
        return new LockConnectionFactoryImpl(this, new NonManagedConnectionManager());
    }

    @Override
    public ManagedConnection createManagedConnection(Subject subject, ConnectionRequestInfo info)
            throws ResourceException {
        if (adapter == null) {
            throw new ResourceException("no resource adapter is associated with this factory");
        }
        return new LockManagedConnection(adapter.service(), logWriter);
    }

    /** All managed connections of one adapter are alike. */
    @Override
    @SuppressWarnings("rawtypes")
    public ManagedConnection matchManagedConnections(Set candidates, Subject subject, ConnectionRequestInfo info)
            throws ResourceException {
        for (Object candidate : candidates) {
            if (candidate instanceof LockManagedConnection connection
                    && adapter != null
                    && connection.belongsTo(adapter.service())) {
                return connection;
            }
        }
        return null;
    }

    /** Returns those candidates that are of no use any more. A lost socket alone is replaced when it is needed. */
    @Override
    @SuppressWarnings("rawtypes")
    public Set getInvalidConnections(Set candidates) {
        Set<Object> invalid = new HashSet<>();
        for (Object candidate : candidates) {
            if (candidate instanceof LockManagedConnection connection && !connection.isUsable()) {
                invalid.add(connection);
            }
        }
        return invalid;
    }

    @Override
    public TransactionSupportLevel getTransactionSupport() {
        return TransactionSupportLevel.NoTransaction;
    }

    @Override
    public ResourceAdapter getResourceAdapter() {
        return adapter;
    }

    @Override
    public void setResourceAdapter(ResourceAdapter resourceAdapter) throws ResourceException {
        if (!(resourceAdapter instanceof HoldfastResourceAdapter holdfast)) {
            throw new ResourceException(
                    "the resource adapter must be a HoldfastResourceAdapter, was " + resourceAdapter);
        }
        adapter = holdfast;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        logWriter = out;
    }

    @Override
    public PrintWriter getLogWriter() {
        return logWriter;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LockManagedConnectionFactory that && Objects.equals(adapter, that.adapter);
    }

    /** The same for all: the adapter is associated later, and a hash code must not change. */
    @Override
    public int hashCode() {
        return LockManagedConnectionFactory.class.getName().hashCode();
    }
}
