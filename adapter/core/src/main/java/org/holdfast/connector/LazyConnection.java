// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Closed;
import org.holdfast.protocol.latch.LatchCaller;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.session.AbstractLockConnection;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.PendingLease;

/**
 * The connection that the factory gives to applications. It has a connection of the container's pool, but not while its
 * caller waits for a lock.
 *
 * <p>A waiting caller returns its pooled connection. Else the waiters for one lock could exhaust the pool, and the
 * holder of that lock could take no other one. A connection that has leases of its own always has one of the container:
 * so the container can end the leases when the application forgets to. Safe for use by any number of threads.
 */
final class LazyConnection extends AbstractLockConnection {

    private final Supplier<ContainerConnection> container;
    private final LockSession session;

    /** Null while there is none, because a caller waits or has waited. */
    private final AtomicReference<ContainerConnection> current;

    private final LatchCaller latchCaller;

    private volatile boolean closed;

    /** @param container gives a connection of the pool */
    LazyConnection(Supplier<ContainerConnection> container) {
        this.container = container;
        ContainerConnection first = container.get();
        this.session = first.session();
        this.current = new AtomicReference<>(first);
        this.latchCaller = new LatchCaller(() -> !closed, this::giveBack);
    }

    @Override
    protected LockSession session() {
        return session;
    }

    @Override
    protected boolean attempt(PendingLease pending) throws InterruptedException {
        while (true) {
            ContainerConnection connection = connection();
            boolean isKnown;
            try {
                isKnown = connection.attempt(pending);
            } catch (IllegalStateException e) {
                requireReturned(connection, e);
                continue;
            }
            if (!isKnown) {
                giveBack(connection);
            }
            return isKnown;
        }
    }

    /**
     * A call is repeated if another thread, which has to wait, returned the connection before this one could use it.
     */
    private void requireReturned(ContainerConnection connection, IllegalStateException failure) {
        if (closed || current.get() == connection) {
            throw failure;
        }
    }

    /**
     * A session with leases keeps its connection: after the wait there may be no other one, and the container must be
     * able to end the leases.
     */
    private void giveBack(ContainerConnection connection) {
        if (!session.hasLeases() && current.compareAndSet(connection, null)) {
            connection.giveBack();
            if (session.hasLeases()) { // another thread has taken one just now
                connection();
            }
        }
    }

    private void giveBack() {
        ContainerConnection known = current.get();
        if (known != null) {
            giveBack(known);
        }
    }

    /** A lease of this connection needs one of the container to end with. */
    @Override
    protected void taken(LeaseScope scope) {
        if (scope == LeaseScope.CONNECTION) {
            connection();
        }
    }

    private ContainerConnection connection() {
        while (true) {
            requireOpen();
            ContainerConnection known = current.get();
            if (known != null) {
                return known;
            }
            ContainerConnection fresh = container.get();
            fresh.adopt(session);
            if (current.compareAndSet(null, fresh)) {
                endIfClosed(fresh);
                return fresh;
            }
            fresh.giveBack(); // another thread was faster
        }
    }

    private void requireOpen() {
        if (closed) {
            throw Closed.connection();
        }
    }

    /** Another thread may have closed this before it could see the connection. */
    private void endIfClosed(ContainerConnection fresh) {
        if (closed && current.compareAndSet(fresh, null)) {
            fresh.close();
        }
    }

    @Override
    protected boolean isLocked(LockRequest request) {
        return call(connection -> connection.isLocked(request));
    }

    @Override
    public DistributedLatch latch(String name, long generation, int count) {
        Latch latch = new Latch(name, generation, count);
        return call(connection -> connection.latch(latch, latchCaller));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        return call(connection -> connection.acquireAsync(request));
    }

    private <T> T call(Function<ContainerConnection, T> call) {
        while (true) {
            ContainerConnection connection = connection();
            try {
                return call.apply(connection);
            } catch (IllegalStateException e) {
                requireReturned(connection, e);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        latchCaller.wakeAll();
        ContainerConnection last = current.getAndSet(null);
        if (last != null) {
            last.close();
        } else {
            session.close();
        }
    }
}
