// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.protocol.latch.Latches;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.session.LockSession;

/**
 * The connection that the factory gives to applications. It has a connection of the container's pool, but not while its
 * caller waits for a lock.
 *
 * <p>A waiting caller returns its pooled connection. Else the waiters for one lock could exhaust the pool, and the
 * holder of that lock could take no other one. A connection that has leases of its own always has one of the container:
 * so the container can end the leases when the application forgets to. Safe for use by any number of threads.
 */
final class LazyConnection implements LockConnection {

    private final Supplier<ContainerConnection> container;
    private final LockSession session;

    /** Null while there is none, because a caller waits or has waited. */
    private final AtomicReference<ContainerConnection> current;

    private volatile boolean closed;

    /** @param container gives a connection of the pool */
    LazyConnection(Supplier<ContainerConnection> container) {
        this.container = container;
        ContainerConnection first = container.get();
        this.session = first.session();
        this.current = new AtomicReference<>(first);
    }

    @Override
    public Lease acquire(LockRequest request) throws InterruptedException {
        return kept(call((connection, whenWaiting) -> connection.acquire(request, whenWaiting)), request);
    }

    @Override
    public Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException {
        Optional<Lease> lease = call((connection, whenWaiting) -> connection.tryAcquire(request, whenWaiting));
        return lease.map(taken -> kept(taken, request));
    }

    /** What is done with a connection of the container. */
    private interface Call<T, X extends Exception> {
        T on(ContainerConnection connection, Runnable whenWaiting) throws X;
    }

    /** Retries if another thread, which has to wait, returned the connection before this one could use it. */
    private <T, X extends Exception> T call(Call<T, X> call) throws X {
        while (true) {
            ContainerConnection connection = connection();
            boolean[] waited = new boolean[1];
            try {
                return call.on(connection, () -> {
                    waited[0] = true;
                    giveBack(connection);
                });
            } catch (IllegalStateException e) {
                if (waited[0] || closed || current.get() == connection) {
                    throw e;
                }
            }
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

    /** A lease of this connection needs one of the container to end with. */
    private Lease kept(Lease lease, LockRequest request) {
        if (request.scope() == LeaseScope.CONNECTION) {
            try {
                connection();
            } catch (RuntimeException e) {
                lease.release();
                throw e;
            }
        }
        return lease;
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
            throw new IllegalStateException("this lock connection is closed");
        }
    }

    /** Another thread may have closed this before it could see the connection. */
    private void endIfClosed(ContainerConnection fresh) {
        if (closed && current.compareAndSet(fresh, null)) {
            fresh.close();
        }
    }

    @Override
    public Lock lock(String name) {
        return session.view(this, name);
    }

    @Override
    public ReadWriteLock readWriteLock(String name) {
        return session.readWriteView(this, name);
    }

    @Override
    public DistributedLatch latch(String name, long generation, int count) {
        Latch latch = new Latch(name, generation, count);
        Latches.Caller caller = new Latches.Caller() {
            @Override
            public void requireOpen() {
                LazyConnection.this.requireOpen();
            }

            @Override
            public void waiting() {
                ContainerConnection known = current.get();
                if (known != null) {
                    giveBack(known);
                }
            }
        };
        return call((connection, whenWaiting) -> connection.latch(latch, caller));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        return call((connection, whenWaiting) -> connection.acquireAsync(request));
    }

    @Override
    public void close() {
        closed = true;
        ContainerConnection last = current.getAndSet(null);
        if (last != null) {
            last.close();
        } else {
            session.close();
        }
    }
}
