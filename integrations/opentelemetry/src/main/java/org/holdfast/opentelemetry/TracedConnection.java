// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseReadWriteLock;
import org.holdfast.LeaseScope;
import org.holdfast.LeaseSemaphore;
import org.holdfast.LockConnection;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;

/** A connection whose leases have spans. */
final class TracedConnection implements LockConnection {

    private final LockConnection connection;
    private final Tracing tracing;
    private final TracedHolds holds;

    /** Of leases that end with this connection, if they are not released before. */
    private final Set<HoldSpan> open = ConcurrentHashMap.newKeySet();

    TracedConnection(LockConnection connection, Tracing tracing) {
        this.connection = connection;
        this.tracing = tracing;
        this.holds = new TracedHolds(tracing);
    }

    @Override
    public Lease acquire(LockRequest request) throws InterruptedException {
        Tracing.Asking asking = tracing.begin(request);
        Lease lease;
        try {
            lease = connection.acquire(request);
        } catch (Throwable e) {
            tracing.failed(asking, e);
            throw e;
        }
        return granted(asking, lease);
    }

    @Override
    public Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException {
        Tracing.Asking asking = tracing.begin(request);
        Optional<Lease> lease;
        try {
            lease = connection.tryAcquire(request);
        } catch (Throwable e) {
            tracing.failed(asking, e);
            throw e;
        }
        if (lease.isEmpty()) {
            tracing.busy(asking);
        }
        return lease.map(it -> granted(asking, it));
    }

    private Lease granted(Tracing.Asking asking, Lease lease) {
        HoldSpan span = tracing.granted(asking, lease);
        if (asking.request().scope() != LeaseScope.CONNECTION) {
            return new TracedLease(lease, span, () -> {});
        }
        open.add(span);
        return new TracedLease(lease, span, () -> open.remove(span));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        Tracing.Asking asking = tracing.begin(request);
        CompletableFuture<Lease> asked;
        try {
            asked = connection.acquireAsync(request);
        } catch (Throwable e) {
            tracing.failed(asking, e);
            throw e;
        }
        CompletableFuture<Lease> traced =
                TracedFuture.of(asked, lease -> new TracedLease(lease, tracing.granted(asking, lease), () -> {}));
        asked.whenComplete((lease, failure) -> {
            if (failure != null) {
                tracing.failed(asking, failure);
            }
        });
        return traced;
    }

    @Override
    public LeaseLock lock(LockRequest request) {
        return new TracedLock(connection.lock(request), request, holds);
    }

    @Override
    public LeaseReadWriteLock readWriteLock(String name) {
        LeaseReadWriteLock both = connection.readWriteLock(name);
        LeaseLock read = traced(both.readLock(), name, LockMode.READ);
        LeaseLock write = traced(both.writeLock(), name, LockMode.WRITE);
        return new LeaseReadWriteLock() {
            @Override
            public LeaseLock readLock() {
                return read;
            }

            @Override
            public LeaseLock writeLock() {
                return write;
            }
        };
    }

    @Override
    public LeaseSemaphore semaphore(LockRequest request) {
        return new TracedSemaphore(connection.semaphore(request), request, holds);
    }

    private LeaseLock traced(LeaseLock lock, String name, LockMode mode) {
        return new TracedLock(lock, LockRequest.of(name).mode(mode), holds);
    }

    @Override
    public DistributedLatch latch(String name, long generation, int count) {
        return connection.latch(name, generation, count);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } finally {
            open.forEach(HoldSpan::end);
            open.clear();
            holds.endAll();
        }
    }
}
