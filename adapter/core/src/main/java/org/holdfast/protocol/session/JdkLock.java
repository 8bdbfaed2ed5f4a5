// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.waiting.ReadByItselfException;

/** A lock in the shape of the JDK's: taken and released by the same thread, through one connection. */
public final class JdkLock implements Lock {

    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    private final AbstractLockConnection connection;
    private final LockRequest request;
    private final Leases leases;

    /**
     * What the views of one connection have taken, by thread: views of the same name are the same lock. Safe for use by
     * any number of threads.
     */
    public static final class Leases {

        private final Map<Key, Deque<Lease>> taken = new ConcurrentHashMap<>();

        private record Key(long thread, String name, LockMode mode) {
            static Key ofThisThread(LockRequest request) {
                return new Key(Thread.currentThread().getId(), request.name(), request.mode());
            }
        }

        private void push(LockRequest request, Lease lease) {
            taken.compute(Key.ofThisThread(request), (key, known) -> {
                Deque<Lease> stack = known == null ? new ArrayDeque<>(1) : known;
                stack.push(lease);
                return stack;
            });
        }

        /** Returns the lease that the calling thread took last, or null. */
        private Lease pop(LockRequest request) {
            Lease[] last = new Lease[1];
            taken.computeIfPresent(Key.ofThisThread(request), (key, stack) -> {
                last[0] = stack.pop();
                return stack.isEmpty() ? null : stack;
            });
            return last[0];
        }

        /** The connection is closed: a view can release nothing any more. */
        void clear() {
            taken.clear();
        }
    }

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
            leases.push(request, lease.orElseThrow());
        } finally {
            restore(interrupted);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        leases.push(request, connection.acquire(request.waitTimeout(FOR_EVER)));
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
        lease.ifPresent(got -> leases.push(request, got));
        return lease.isPresent();
    }

    private static void restore(boolean interrupted) {
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
        Lease lease = leases.pop(request);
        if (lease == null) {
            throw new IllegalMonitorStateException("lock '" + request.name() + "' is not held by thread '"
                    + Thread.currentThread().getName() + "' through this connection");
        }
        try {
            lease.requireHeld();
        } catch (LeaseLostException | IllegalStateException e) {
            lease.release();
            IllegalMonitorStateException lost = new IllegalMonitorStateException(e.getMessage());
            lost.initCause(e);
            throw lost;
        }
        if (lease.release() == ReleaseResult.NOT_HELD) {
            throw new IllegalMonitorStateException("lock '" + request.name() + "' was not held by thread '"
                    + Thread.currentThread().getName()
                    + "' any more when that gave it back, by what the nodes say: it was"
                    + " released by force, or they have lost it");
        }
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
