// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LeaseSemaphore;
import org.holdfast.LockRequest;

/** A semaphore in the shape of the JDK's: its permits are taken and released through one connection, by any thread. */
final class JdkSemaphore implements LeaseSemaphore {

    private final AbstractLockConnection connection;
    private final LockRequest request;
    private final JdkLockLeases leases;

    JdkSemaphore(AbstractLockConnection connection, LockRequest request) {
        this.connection = connection;
        this.request = request;
        this.leases = connection.session().viewed();
    }

    @Override
    public void acquire() throws InterruptedException {
        keep(connection.acquire(request.waitTimeout(JdkLock.FOR_EVER)));
    }

    @Override
    public void acquireUninterruptibly() {
        boolean interrupted = Thread.interrupted();
        try {
            keep(connection
                    .tryAcquireUninterruptibly(request.waitTimeout(JdkLock.FOR_EVER))
                    .orElseThrow());
        } finally {
            JdkLock.restore(interrupted);
        }
    }

    @Override
    public boolean tryAcquire() {
        boolean interrupted = Thread.interrupted();
        try {
            return kept(connection.tryAcquireUninterruptibly(request.waitTimeout(Duration.ZERO)));
        } finally {
            JdkLock.restore(interrupted);
        }
    }

    @Override
    public boolean tryAcquire(long time, TimeUnit unit) throws InterruptedException {
        Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
        return kept(connection.tryAcquire(request.waitTimeout(wait)));
    }

    private boolean kept(Optional<Lease> lease) {
        if (lease.isEmpty()) {
            return false;
        }
        keep(lease.get());
        return true;
    }

    private void keep(Lease lease) {
        leases.push(JdkLockLeases.ANY_THREAD, request, lease);
    }

    @Override
    public void release() {
        Lease lease = leases.pop(JdkLockLeases.ANY_THREAD, request);
        if (lease == null) {
            throw notHeld();
        }
        JdkLock.giveBack(lease, request);
    }

    @Override
    public Lease lease() {
        Lease lease = leases.last(JdkLockLeases.ANY_THREAD, request);
        if (lease == null) {
            throw notHeld();
        }
        return lease;
    }

    private IllegalMonitorStateException notHeld() {
        return new IllegalMonitorStateException("HF0234: no permit of semaphore '" + request.name()
                + "' is held through this connection: a permit is released once, through the connection by which it was"
                + " acquired");
    }

    @Override
    public int availablePermits() {
        return connection.session().freePermits(request);
    }

    @Override
    public String toString() {
        return "semaphore '" + request.name() + "' of " + request.permits() + " permits";
    }
}
