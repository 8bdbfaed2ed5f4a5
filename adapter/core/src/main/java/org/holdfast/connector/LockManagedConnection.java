// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.LocalTransaction;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionMetaData;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.security.auth.Subject;
import javax.transaction.xa.XAResource;
import org.holdfast.DistributedLatch;
import org.holdfast.protocol.latch.LatchCaller;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.redis.NodeChannel;
import org.holdfast.runtime.LockService;
import org.holdfast.runtime.Settings;
import org.jspecify.annotations.Nullable;

/** One connection to each node, opened when first needed, and the handles that use it now. */
final class LockManagedConnection implements ManagedConnection {

    static final String GONE =
            "HF0416: the connection cannot be used any more: it was destroyed, or its resource adapter stopped";

    private static final System.Logger LOG = System.getLogger(LockManagedConnection.class.getName());

    private static final String NO_TRANSACTION =
            "HF0417: locks are no part of a transaction's work and cannot be rolled"
                    + " back: transaction support is NoTransaction";

    private final LockService service;
    private final Settings settings;
    private final NodeChannel connections;
    private final Set<LockConnectionHandle> handles = ConcurrentHashMap.newKeySet();
    private final List<ConnectionEventListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean reported = new AtomicBoolean();
    private volatile @Nullable PrintWriter logWriter;

    /** @param settings of the connection factory; its prefix is the service's */
    LockManagedConnection(LockService service, Settings settings, @Nullable PrintWriter logWriter) {
        this.service = service;
        this.settings = settings;
        this.connections = service.openConnections();
        this.logWriter = logWriter;
    }

    @Override
    public Object getConnection(Subject subject, ConnectionRequestInfo info) throws ResourceException {
        requireNone(info);
        requireOpen();
        LockConnectionHandle handle = new LockConnectionHandle(this, service.newSession(settings));
        handles.add(handle);
        return handle;
    }

    /** Refuses request properties: this adapter defines none, and would ignore them. */
    static void requireNone(@Nullable ConnectionRequestInfo info) throws NotSupportedException {
        if (info != null) {
            throw new NotSupportedException("HF0413: lock connections are all alike: there is nothing that a "
                    + info.getClass().getName() + " could ask for");
        }
    }

    private void requireOpen() throws ResourceException {
        if (!isOpen()) {
            throw new jakarta.resource.spi.IllegalStateException(GONE);
        }
    }

    /** The handle's leases stay where they are, in the service: a connection of another one would not do. */
    @Override
    public void associateConnection(Object connection) throws ResourceException {
        requireOpen();
        if (!(connection instanceof LockConnectionHandle handle)) {
            throw new ResourceException("HF0414: only a LockConnectionHandle can be associated, not " + connection);
        }
        if (!handle.moveTo(this)) {
            throw new jakarta.resource.spi.IllegalStateException(
                    "HF0415: the handle is closed, or belongs to another key prefix or resource adapter");
        }
    }

    void attach(LockConnectionHandle handle) {
        handles.add(handle);
    }

    void detach(LockConnectionHandle handle) {
        handles.remove(handle);
    }

    /** The application has closed a handle. */
    void handleClosed(LockConnectionHandle handle) {
        detach(handle);
        ConnectionEvent event = new ConnectionEvent(this, ConnectionEvent.CONNECTION_CLOSED);
        event.setConnectionHandle(handle);
        listeners.forEach(listener -> listener.connectionClosed(event));
    }

    /**
     * A call has failed. If that is because this connection cannot be used any more, this is reported to the container,
     * once, so that no application gets it again. Nodes that do not answer are no reason: new sockets are opened to
     * them when they are back.
     */
    void failed(RuntimeException failure) {
        if (failure instanceof UncheckedIOException) {
            connections.close(); // its selector is broken: it will read no answer any more
        }
        if (!isOpen() && reported.compareAndSet(false, true)) {
            ConnectionEvent event = new ConnectionEvent(this, ConnectionEvent.CONNECTION_ERROR_OCCURRED, failure);
            listeners.forEach(listener -> listener.connectionErrorOccurred(event));
        }
    }

    /**
     * Keeps the sockets for the next user. Handles that are still open end, and what is bound to them is lost; a
     * transaction keeps what it has.
     */
    @Override
    public void cleanup() {
        takeHandlesAway("the container took its connection away, and it was in use", false);
    }

    /**
     * Closes the sockets. What open handles have taken is lost, also where a transaction keeps it, which cannot commit
     * then.
     */
    @Override
    public void destroy() {
        try {
            takeHandlesAway("the container destroyed its connection, and it was in use", true);
        } finally {
            connections.close();
        }
    }

    /**
     * To release their locks would be wrong: the application has not given them back, and may be working under them.
     */
    private void takeHandlesAway(String reason, boolean ofTransactions) {
        int lost = 0;
        RuntimeException failure = null;
        for (LockConnectionHandle handle : handles) {
            handles.remove(handle);
            try {
                lost += handle.takeAway(reason, ofTransactions);
            } catch (RuntimeException e) { // the leases of the others must end all the same
                failure = e;
            }
        }
        if (lost > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0421: " + lost + " leases are lost: " + reason
                            + " (was the pool flushed, changed or stopped, or does it reclaim connections?); nodes keep their locks until the TTL ends");
        }
        if (failure != null) {
            throw failure;
        }
    }

    Nodes nodes() {
        return connections;
    }

    boolean belongsTo(LockService other) {
        return service == other;
    }

    DistributedLatch latch(Latch latch, LatchCaller caller) {
        return service.latch(latch, settings, caller);
    }

    LockService service() {
        return service;
    }

    boolean matches(LockService otherService, Settings otherSettings) {
        return belongsTo(otherService) && settings.equals(otherSettings) && connections.isOpen();
    }

    /** Returns whether this connection can still be used, without a check of its sockets. */
    boolean isOpen() {
        return service.isOpen() && connections.isOpen();
    }

    /** Checks the sockets: those that their nodes have closed are dropped, and opened again when they are needed. */
    boolean isUsable() {
        return service.isOpen() && connections.isUsable();
    }

    @Override
    public void addConnectionEventListener(ConnectionEventListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeConnectionEventListener(ConnectionEventListener listener) {
        listeners.remove(listener);
    }

    @Override
    public XAResource getXAResource() throws ResourceException {
        throw new NotSupportedException(NO_TRANSACTION);
    }

    @Override
    public LocalTransaction getLocalTransaction() throws ResourceException {
        throw new NotSupportedException(NO_TRANSACTION);
    }

    @Override
    public ManagedConnectionMetaData getMetaData() throws ResourceException {
        requireOpen();
        return new LockConnectionMetaData();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {
        logWriter = out;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return logWriter;
    }
}
