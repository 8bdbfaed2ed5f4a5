// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseReadWriteLock;
import org.holdfast.LeaseScope;
import org.holdfast.LeaseSemaphore;
import org.holdfast.LockConnection;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.KeptInterrupt;

/**
 * What all connections do in the same way with their sessions. They differ in how they come by connections to the
 * nodes.
 *
 * <p>Contention becomes an exception here, and nowhere else.
 */
public abstract class AbstractLockConnection implements LockConnection {

    /**
     * A thread that ignores interrupts asks an interrupted pool so often: more than an application interrupts it during
     * one call. It has an end for a pool that reports an interrupt which never came.
     */
    private static final int MOST_TRIES = 1_000;

    /** An exception of a pool may have so many causes. */
    private static final int DEEPEST = 10;

    /** Returns what the leases are bound to. */
    protected abstract LockSession session();

    /**
     * Attempts through the connections to the nodes that this connection has. If the caller has to wait, returns these
     * before: it keeps none meanwhile.
     *
     * @return whether the result is known
     */
    protected abstract boolean attempt(PendingLease pending) throws InterruptedException;

    /** As {@link LeaseLock#isLocked()}, through the connections to the nodes that this connection has. */
    protected abstract boolean isLocked(LockRequest request);

    /** A lease of this scope was taken; throws if it cannot end as the scope says. */
    protected void taken(LeaseScope scope) {}

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
        boolean waits = request.waitTimeout().isPresent();
        return take(session().begin(waits ? request : request.waitTimeout(Duration.ZERO), true));
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
        if (!throughPool(pending, () -> attempt(pending))) {
            pending.await();
        }
        Optional<Lease> lease = pending.lease();
        if (lease.isPresent()) {
            keep(lease.get(), pending);
        }
        return lease;
    }

    /** An interrupt is kept for later: a pool gives nothing to an interrupted thread. */
    private void keep(Lease lease, PendingLease pending) throws InterruptedException {
        KeptInterrupt aside = null;
        boolean kept = false;
        try {
            aside = KeptInterrupt.take(null);
            kept = throughPool(pending, () -> {
                taken(pending.scope());
                return true;
            });
        } finally {
            if (!kept) {
                lease.release();
            }
            KeptInterrupt.restore(aside);
        }
    }

    /** A step that may ask a pool for a connection. */
    private interface Step {
        boolean run() throws InterruptedException;
    }

    /** A pool that is interrupted fails in its own way: the caller receives the interrupt, or keeps it for later. */
    private static boolean throughPool(PendingLease pending, Step step) throws InterruptedException {
        KeptInterrupt aside = null;
        try {
            for (int tries = 1; true; tries++) {
                try {
                    return step.run();
                } catch (RuntimeException e) {
                    if (!isByInterrupt(e) || tries == MOST_TRIES) {
                        throw e;
                    }
                    if (pending.isInterruptible()) {
                        throw interrupted(e);
                    }
                    Thread.interrupted();
                    aside = KeptInterrupt.taken(aside);
                }
            }
        } finally {
            KeptInterrupt.restore(aside);
        }
    }

    private static boolean isByInterrupt(RuntimeException failure) {
        Throwable cause = failure.getCause();
        for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
            if (cause instanceof InterruptedException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private static InterruptedException interrupted(RuntimeException cause) {
        InterruptedException failure = new InterruptedException("interrupted while a connection was asked for");
        failure.initCause(cause);
        return failure;
    }

    @Override
    public LeaseLock lock(LockRequest request) {
        if (request.scope() == LeaseScope.DETACHED) {
            throw new InvalidLockRequestException("a lock in the shape of the JDK's belongs to its connection, so its"
                    + " scope must not be DETACHED: take the lease by acquire, or leave the scope out");
        }
        return new JdkLock(this, request);
    }

    @Override
    public LeaseSemaphore semaphore(LockRequest request) {
        if (request.mode() != LockMode.PERMIT) {
            throw new InvalidLockRequestException(
                    "a semaphore has permits: ask for LockRequest.semaphore(name, permits)," + " the mode was "
                            + request.mode() + " (lock '" + request.name() + "')");
        }
        if (request.scope() == LeaseScope.DETACHED) {
            throw new InvalidLockRequestException(
                    "a semaphore in the shape of the JDK's belongs to its connection, so its"
                            + " scope must not be DETACHED: take permits by acquire, or leave the scope out");
        }
        return new JdkSemaphore(this, request);
    }

    @Override
    public LeaseReadWriteLock readWriteLock(String name) {
        LockRequest request = LockRequest.of(name);
        return new JdkReadWriteLock(
                new JdkLock(this, request.mode(LockMode.READ)), new JdkLock(this, request.mode(LockMode.WRITE)));
    }
}
