// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of a registry. Has no state of its own: what threads hold is in a map of the registry.
 *
 * <p>Leases are detached, since re-entry is that of the registry: else a lease that the same thread took elsewhere
 * would let it in.
 */
final class RegistryLock implements DistributedLock {

    /** For so long nodes may be out of reach for a caller that waits for ever. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** A lock for less has a TTL of its own. The TTL of the factory, which is not known here, is this by default. */
    private static final Duration LONG = Duration.ofSeconds(30);

    private final LockConnectionFactory factory;
    private final Map<Hold.Of, Hold> holds;
    private final LockRequest request;

    RegistryLock(LockConnectionFactory factory, Map<Hold.Of, Hold> holds, String name) {
        this.factory = factory;
        this.holds = holds;
        this.request = LockRequest.of(name).detached();
    }

    @Override
    public void lock() {
        lock(request);
    }

    @Override
    public void lock(Duration ttl) {
        lock(endingAfter(ttl));
    }

    private void lock(LockRequest asked) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    lockInterruptibly(asked);
                    return;
                } catch (InterruptedException e) {
                    interrupted = true; // and once more: this wait cannot be interrupted
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lockInterruptibly(request);
    }

    private void lockInterruptibly(LockRequest asked) throws InterruptedException {
        LockRequest patient = asked.waitTimeout(PATIENCE);
        boolean taken = take(patient);
        while (!taken) { // another holder has it, so nodes can be reached
            taken = take(patient);
        }
    }

    @Override
    public boolean tryLock() {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return take(request);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return takeWithin(Duration.ofNanos(unit.toNanos(time)), request);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        return takeWithin(waitTime, endingAfter(ttl));
    }

    private boolean takeWithin(Duration time, LockRequest asked) throws InterruptedException {
        return take(time.isNegative() || time.isZero() ? asked : asked.waitTimeout(time));
    }

    /** If the process dies, the lock is not kept for much longer than was asked for. */
    private LockRequest endingAfter(Duration ttl) {
        LockRequest ending = request.maxHold(ttl);
        if (ttl.compareTo(LONG) >= 0) {
            return ending;
        }
        try {
            factory.validate(ending.ttl(ttl));
            return ending.ttl(ttl);
        } catch (InvalidLockRequestException e) { // its maxLeaseTtlMillis is less
            return ending;
        }
    }

    private boolean take(LockRequest asked) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("before lock '" + request.name() + "' was taken");
        }
        Hold.Of key = key();
        Hold mine = holds.get(key);
        if (mine != null) {
            if (!mine.isHeld()) { // to take it again would hide the loss, from the leader of an election too
                throw lost();
            }
            mine.enter();
            return true;
        }
        Optional<Lease> lease;
        try (LockConnection connection = factory.getConnection()) {
            lease = connection.tryAcquire(asked);
        }
        lease.ifPresent(taken -> holds.put(key, new Hold(taken)));
        return lease.isPresent();
    }

    private Hold.Of key() {
        return new Hold.Of(Thread.currentThread(), request.name());
    }

    @Override
    public void unlock() {
        Hold.Of key = key();
        Hold mine = holds.get(key);
        if (mine == null) {
            throw new IllegalStateException("HF0622: You do not own lock at '" + request.name()
                    + "': the thread that took it unlocks it, as often as it took it");
        }
        boolean isHeld = mine.isHeld();
        if (mine.leave()) {
            holds.remove(key);
            isHeld = mine.lease().release() != ReleaseResult.NOT_HELD;
        }
        if (!isHeld) {
            throw lost();
        }
    }

    private ConcurrentModificationException lost() {
        return new ConcurrentModificationException(
                "HF0623: lock '" + request.name() + "' was lost before it was unlocked: others may have had it"
                        + " meanwhile, and changed the same data. This thread can take it again after it has"
                        + " unlocked it as often as it took it");
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(
                "HF0624: there are no conditions: a thread on another machine cannot be signalled");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RegistryLock lock
                && holds == lock.holds
                && request.name().equals(lock.request.name());
    }

    @Override
    public int hashCode() {
        return Objects.hash(System.identityHashCode(holds), request.name());
    }

    @Override
    public String toString() {
        return "lock '" + request.name() + "'";
    }
}
