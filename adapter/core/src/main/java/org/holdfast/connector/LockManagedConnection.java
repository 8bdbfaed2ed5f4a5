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
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.security.auth.Subject;
import javax.transaction.xa.XAResource;
import org.holdfast.protocol.Nodes;
import org.holdfast.redis.Channel;
import org.holdfast.runtime.LockService;

/** One connection to each node, opened when first needed, and the handles that use it now. */
final class LockManagedConnection implements ManagedConnection {

    private final LockService service;
    private final Channel channel;
    private final Set<LockConnectionHandle> handles = ConcurrentHashMap.newKeySet();
    private final List<ConnectionEventListener> listeners = new CopyOnWriteArrayList<>();
    private volatile PrintWriter logWriter;

    LockManagedConnection(LockService service, PrintWriter logWriter) {
        this.service = service;
        this.channel = service.openChannel();
        this.logWriter = logWriter;
    }

    @Override
    public Object getConnection(Subject subject, ConnectionRequestInfo info) {
        LockConnectionHandle handle = new LockConnectionHandle(this, service.newSession());
        handles.add(handle);
        return handle;
    }

    @Override
    public void associateConnection(Object connection) throws ResourceException {
        if (!(connection instanceof LockConnectionHandle handle)) {
            throw new ResourceException("only a LockConnectionHandle can be associated, not " + connection);
        }
        handle.moveTo(this);
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

    /** Ends all handles, as if they were closed, and keeps the sockets for the next user. */
    @Override
    public void cleanup() {
        for (LockConnectionHandle handle : handles) {
            handles.remove(handle);
            handle.invalidate();
        }
    }

    @Override
    public void destroy() {
        cleanup();
        channel.close();
    }

    Nodes nodes() {
        return channel;
    }

    boolean belongsTo(LockService other) {
        return service == other;
    }

    boolean isUsable() {
        return channel.isUsable();
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
        throw new NotSupportedException(
                "locks are no part of a transaction's work and cannot be rolled back: transaction support is NoTransaction");
    }

    @Override
    public LocalTransaction getLocalTransaction() throws ResourceException {
        throw new NotSupportedException(
                "locks are no part of a transaction's work and cannot be rolled back: transaction support is NoTransaction");
    }

    @Override
    public ManagedConnectionMetaData getMetaData() {
        return new LockConnectionMetaData();
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        logWriter = out;
    }

    @Override
    public PrintWriter getLogWriter() {
        return logWriter;
    }
}
