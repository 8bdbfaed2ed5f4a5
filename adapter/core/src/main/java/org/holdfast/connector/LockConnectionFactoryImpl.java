// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.Referenceable;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionManager;
import java.io.Serializable;
import java.util.List;
import javax.naming.Reference;
import org.holdfast.CheckReport;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import org.jspecify.annotations.Nullable;

/** What is bound in JNDI: asks the container's connection manager for handles. */
public final class LockConnectionFactoryImpl implements LockConnectionFactory, Serializable, Referenceable {

    private static final long serialVersionUID = 1L;

    private final LockManagedConnectionFactory factory;
    private final ConnectionManager manager;
    private @Nullable Reference reference;

    LockConnectionFactoryImpl(LockManagedConnectionFactory factory, ConnectionManager manager) {
        this.factory = factory;
        this.manager = manager;
    }

    @Override
    public LockConnection getConnection() {
        return new LazyConnection(this::open);
    }

    private ContainerConnection open() {
        try {
            return (ContainerConnection) manager.allocateConnection(factory, null);
        } catch (ResourceException e) {
            throw new LockException("HF0409: the container gives no lock connection: " + e.getMessage(), e);
        }
    }

    @Override
    public int nodeCount() {
        return factory.nodeCount();
    }

    @Override
    public void validate(LockRequest request) {
        factory.validate(request);
    }

    @Override
    public CheckReport check() {
        return factory.operations().check();
    }

    @Override
    public CheckReport status() {
        return factory.status();
    }

    @Override
    public List<LockHolder> holders(LockRequest request) {
        return factory.operations().holders(request);
    }

    @Override
    public LockListing locks(int limit) {
        return factory.operations().locks(limit);
    }

    @Override
    public LockState state(LockRequest request) {
        return factory.operations().state(request);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, String reason) {
        return factory.operations().forceRelease(request, reason);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, long token, String reason) {
        return factory.operations().forceRelease(request, token, reason);
    }

    /** The service's life is the resource adapter's. */
    @Override
    public void close() {}

    @Override
    public void setReference(Reference newReference) {
        reference = newReference;
    }

    @Override
    public @Nullable Reference getReference() {
        return reference;
    }
}
