// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockConnection;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;

/**
 * What all connections do in the same way with their sessions. They differ in how they come by connections to the
 * nodes.
 *
 * <p>Contention becomes an exception here, and nowhere else.
 */
public abstract class AbstractLockConnection implements LockConnection {

    /** Returns what the leases are bound to. */
    protected abstract LockSession session();

    /**
     * Attempts through the connections to the nodes that this connection has. If the caller has to wait, returns these
     * before: it keeps none meanwhile.
     *
     * @return whether the result is known
     */
    protected abstract boolean attempt(PendingLease pending) throws InterruptedException;

    /** A lease was taken, of this scope; releases it and throws if it cannot end as the scope says. */
    protected void taken(Lease lease, LeaseScope scope) {}

    @Override
    public Lease acquire(LockRequest request) throws InterruptedException {
        PendingLease pending = session().begin(request, true);
        Optional<Lease> lease = take(pending);
        if (lease.isEmpty()) {
            throw pending.timedOut();
        }
        return lease.get();
    }

    @Override
    public Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException {
        return take(session().begin(request, true));
    }

    /** As {@link #tryAcquire}, and an interrupt is kept for later: {@link Lock#lock} must not lose its place by one. */
    final Optional<Lease> tryAcquireUninterruptibly(LockRequest request) {
        try {
            return take(session().begin(request, false));
        } catch (InterruptedException e) {
            throw new AssertionError("an interrupt must not end this wait", e);
        }
    }

    private Optional<Lease> take(PendingLease pending) throws InterruptedException {
        if (!attempt(pending)) {
            pending.await();
        }
        Optional<Lease> lease = pending.lease();
        if (lease.isPresent()) {
            taken(lease.get(), pending.scope());
        }
        return lease;
    }

    @Override
    public Lock lock(String name) {
        return new JdkLock(this, LockRequest.of(name));
    }

    @Override
    public ReadWriteLock readWriteLock(String name) {
        LockRequest request = LockRequest.of(name);
        return new JdkReadWriteLock(
                new JdkLock(this, request.mode(LockMode.READ)), new JdkLock(this, request.mode(LockMode.WRITE)));
    }
}
