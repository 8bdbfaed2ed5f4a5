// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseLostException;
import org.holdfast.LockRequest;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.env.KeptInterrupt;
import org.holdfast.protocol.waiting.ReadByItselfException;

/** A lock in the shape of the JDK's: taken and released by the same thread, through one connection. */
final class JdkLock implements LeaseLock {

    static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    private final AbstractLockConnection connection;
    private final LockRequest request;
    private final JdkLockLeases leases;

    JdkLock(AbstractLockConnection connection, LockRequest request) {
        this.connection = connection;
        this.request = request;
        this.leases = connection.session().viewed();
    }

    @Override
    public void lock() {
        boolean interrupted = Thread.interrupted();
        try {
            Optional<Lease> lease = connection.tryAcquireUninterruptibly(request.waitTimeout(FOR_EVER));
            push(lease.orElseThrow());
        } finally {
            restore(interrupted);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        push(connection.acquire(request.waitTimeout(FOR_EVER)));
    }

    @Override
    public boolean tryLock() {
        boolean interrupted = Thread.interrupted();
        try {
            return pushed(connection.tryAcquireUninterruptibly(request.waitTimeout(Duration.ZERO)));
        } catch (ReadByItselfException e) { // as the JDK's: it is not free, and that is all
            return false;
        } finally {
            restore(interrupted);
        }
    }

    private boolean pushed(Optional<Lease> lease) {
        if (lease.isEmpty()) {
            return false;
        }
        push(lease.get()); // no lambda: in a full heap the lease would stay, unknown to its caller
        return true;
    }

    private void push(Lease lease) {
        leases.push(thisThread(), request, lease);
    }

    static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long wait = Math.max(0, unit.toNanos(time));
        try {
            return pushed(connection.tryAcquire(request.waitTimeout(Duration.ofNanos(wait))));
        } catch (ReadByItselfException e) { // as the JDK's: it is not free, and that is all
            connection.session().waitInVain(wait);
            return false;
        }
    }

    /**
     * Releases the lock.
     *
     * @throws IllegalMonitorStateException if the calling thread does not hold the lock through this connection: it
     *     never took it, or has released it, or has lost it; then the cause reports it. Also if the nodes report that
     *     it was not held any more, as after a forced release by another process
     */
    @Override
    public void unlock() {
        Lease lease = leases.pop(thisThread(), request);
        if (lease == null) {
            throw notHeld();
        }
        giveBack(lease, request);
    }

    /**
     * Releases what a view has taken.
     *
     * @throws IllegalMonitorStateException if it was not held any more
     */
    static void giveBack(Lease lease, LockRequest request) {
        try {
            lease.requireHeld();
        } catch (OutOfMemoryError e) { // it is kept no more
            lease.release();
            throw e;
        } catch (LeaseLostException | IllegalStateException e) {
            lease.release();
            IllegalMonitorStateException lost = new IllegalMonitorStateException(e.getMessage());
            lost.initCause(e);
            throw lost;
        }
        if (lease.release() == ReleaseResult.NOT_HELD) {
            throw new IllegalMonitorStateException("HF0232: lock '" + request.name() + "' was not held by thread '"
                    + Thread.currentThread().getName()
                    + "' any more when that gave it back, by what the nodes say: it was"
                    + " released by force, or they have lost it");
        }
    }

    private static long thisThread() {
        return Thread.currentThread().getId();
    }

    @Override
    public Lease lease() {
        Lease lease = leases.last(thisThread(), request);
        if (lease == null) {
            throw notHeld();
        }
        return lease;
    }

    @Override
    public boolean isLocked() {
        KeptInterrupt aside = KeptInterrupt.take(null); // a pool gives nothing to an interrupted thread
        try {
            return connection.isLocked(request);
        } finally {
            KeptInterrupt.restore(aside);
        }
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Lease lease = leases.last(thisThread(), request);
        return lease != null && lease.isHeld();
    }

    @Override
    public int getHoldCount() {
        return leases.count(thisThread(), request);
    }

    private IllegalMonitorStateException notHeld() {
        return new IllegalMonitorStateException("HF0231: lock '" + request.name() + "' is not held by thread '"
                + Thread.currentThread().getName()
                + "' through this connection: the thread that took it releases it, once for each time");
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(
                "a lock on several machines has no conditions: a thread that waits for one cannot be signalled");
    }

    @Override
    public String toString() {
        return "lock '" + request.name() + "'";
    }
}
