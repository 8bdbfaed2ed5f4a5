// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * Takes leases. A cheap handle, opened for a piece of work and closed after it.
 *
 * <p>Leases belong to a <em>holder</em>: the JTA transaction of the calling thread if one is active, else the thread.
 * A holder that asks for a lock it holds gets it at once, with the same token; each lease it was given is released
 * separately, and the lock is free when the last one is.
 *
 * <p>A transaction keeps its leases until it has completed. When transactions meet, these rules apply:
 *
 * <ul>
 *   <li>A lock that the thread took before its transaction began, it may take once more in that one, and in one that
 *       suspends that one; it outlives them all.
 *   <li>A transaction that suspends another ({@code REQUIRES_NEW}) is a holder of its own. It cannot get what the
 *       suspended one holds: waiting for that ends with the wait timeout.
 *   <li>A transaction that is marked for rollback, or has been rolled back by its timeout, keeps no new lease: some
 *       servers would not report its end. What it holds already it may take once more. A lease taken now belongs to the
 *       thread and ends as one that was taken outside a transaction.
 * </ul>
 *
 * <p>What becomes of a lease when the connection is closed is decided by its {@linkplain LockRequest#scope(LeaseScope)
 * scope}. A connection may be used by several threads. Its methods block the calling thread; one that waits when the
 * connection is closed fails with {@link IllegalStateException} at once.
 */
public interface LockConnection extends AutoCloseable {

    /**
     * Takes the lock and waits for it as long as the factory's default says.
     *
     * @param name the lock's name, see {@link LockRequest#of(String)}
     * @return the lease
     * @throws LockTimeoutException if another holder had the lock during all that time
     * @throws QuorumUnavailableException if too few nodes could be asked until the time was over
     * @throws InvalidLockRequestException if the name is not valid
     * @throws InterruptedException if the thread is interrupted before or while waiting; no lock is held then
     * @throws IllegalStateException if this connection is closed, or if the holder would wait for itself: it reads and
     *     wants to write, or it has some of several names
     */
    default Lease acquire(String name) throws InterruptedException {
        return acquire(LockRequest.of(name));
    }

    /**
     * Takes the lock and waits for it as long as the request says.
     *
     * <p>In a container, no connection of the pool is kept while the thread waits. A lease that ends with this
     * connection needs one again when the wait is over.
     *
     * <p>An attempt that is under way is not cut short: at the end of the wait timeout, and after an interrupt, the
     * call returns when the nodes have answered. That takes a node timeout at most, and for permits up to three of
     * them.
     *
     * @param request which lock, and how
     * @return the lease
     * @throws LockException if it does not get one; the lock is not held then
     * @throws LockTimeoutException if another holder had the lock during all that time
     * @throws QuorumUnavailableException if too few nodes could be asked until the time was over
     * @throws InvalidLockRequestException if the request asks for what the factory does not allow
     * @throws InterruptedException if the thread is interrupted before or while waiting; no lock is held then
     * @throws IllegalStateException if this connection is closed, or the service is stopped, or if the holder would
     *     wait for itself: it reads and wants to write, or it has some of several names; or if it has the lock already
     *     with another {@code ttl}, renewed where a {@code fixedTtl} is asked for, without {@code maxHold} or with a
     *     longer one
     */
    Lease acquire(LockRequest request) throws InterruptedException;

    /**
     * Takes the lock if it is free now, and does not wait for it: as {@link #tryAcquire(LockRequest)}.
     *
     * @param name the lock's name, see {@link LockRequest#of(String)}
     * @return the lease, or nothing if another holder has the lock
     * @throws QuorumUnavailableException if too few nodes could be asked: nothing is known of the lock then
     * @throws InvalidLockRequestException if the name is not valid
     * @throws InterruptedException if the thread was interrupted before; no lock is held then
     * @throws IllegalStateException as with {@link #acquire(String)}
     */
    default Optional<Lease> tryAcquire(String name) throws InterruptedException {
        return tryAcquire(LockRequest.of(name));
    }

    /**
     * Takes the lock if it is free now, or becomes free within the request's wait timeout if it sets one. The factory's
     * default has no effect here.
     *
     * <p>Without a wait timeout there is one attempt, which blocks for one round trip, a node timeout at the most; for
     * permits up to three of them. Callers that ask at the very same moment may take each other's votes, so that none
     * of them has the lock. Then each asks which of them has it, and again after some milliseconds, for half a second;
     * where nodes answer slowly for longer, 4 s at the most.
     *
     * @param request which lock, and how
     * @return the lease, or nothing if another holder has the lock, or had it during all that time
     * @throws QuorumUnavailableException if too few nodes could be asked until the time was over: nothing is known of
     *     the lock then
     * @throws InvalidLockRequestException if the request asks for what the factory does not allow
     * @throws InterruptedException if the thread is interrupted before or while waiting; no lock is held then
     * @throws IllegalStateException as with {@link #acquire(LockRequest)}
     */
    Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException;

    /**
     * As {@link #lock(LockRequest)}, of an exclusive lock with that name and the defaults of the factory. Takes
     * nothing.
     *
     * @param name the lock's name, see {@link LockRequest#of(String)}
     * @return a view, which {@link LeaseLock#lock()} takes
     * @throws InvalidLockRequestException if the name is not valid
     */
    @CheckReturnValue
    default LeaseLock lock(String name) {
        return lock(LockRequest.of(name));
    }

    /**
     * Returns the lock in the shape of the JDK's, with the contract of {@link java.util.concurrent.locks.Lock} and the
     * re-entry of {@link java.util.concurrent.locks.ReentrantLock}. Takes nothing and asks no node: the methods of what
     * is returned do.
     *
     * <p>What differs from the JDK's stands at {@link LeaseLock}. Above all, {@code tryLock} throws {@link
     * QuorumUnavailableException} if too few nodes could be asked: false means that another holder has the lock, and
     * nothing else. {@code lock()} waits for nodes too.
     *
     * @param request which lock, and how; its wait timeout has no effect, since the methods of the lock say how long to
     *     wait
     * @return a view that may be used by several threads at once, as long as the connection is open; views of equal
     *     names, modes and numbers of permits are one lock on one connection
     * @throws InvalidLockRequestException if the request's scope is {@link LeaseScope#DETACHED}: a view belongs to its
     *     connection
     */
    @CheckReturnValue
    LeaseLock lock(LockRequest request);

    /**
     * Returns a lock for many readers or one writer in the shape of the JDK's, with their leases: two views as {@link
     * #lock(LockRequest)} describes, in the modes {@link LockMode#READ} and {@link LockMode#WRITE}, with the re-entry
     * and the downgrading of {@link java.util.concurrent.locks.ReentrantReadWriteLock}. Takes nothing.
     *
     * <p>A thread that holds the lock to read and asks for it to write gets an {@link IllegalStateException} from
     * {@code lock()} at once, where the JDK's would wait for ever; {@code tryLock} returns false, as the JDK's does.
     * {@code tryLock()} without a time does not overtake waiters.
     *
     * @param name the lock's name, see {@link LockRequest#of(String)}
     * @return a view that may be used by several threads at once, as long as the connection is open
     * @throws InvalidLockRequestException if the name is not valid
     */
    @CheckReturnValue
    LeaseReadWriteLock readWriteLock(String name);

    /**
     * As {@link #semaphore(LockRequest)}, of a semaphore with that name and number of permits and the defaults of the
     * factory.
     *
     * @param name the semaphore's name, see {@link LockRequest#of(String)}
     * @param permits how many permits it has, the same in every request for it
     * @return a view that may be used by several threads at once, as long as the connection is open
     * @throws InvalidLockRequestException if the name or the number is not valid
     */
    @CheckReturnValue
    default LeaseSemaphore semaphore(String name, int permits) {
        return semaphore(LockRequest.semaphore(name, permits));
    }

    /**
     * Returns a semaphore in the shape of {@link java.util.concurrent.Semaphore}, with the leases of its permits. Takes
     * nothing and asks no node: the methods of what is returned do. What differs from the JDK's stands at {@link
     * LeaseSemaphore}.
     *
     * @param request of a {@linkplain LockRequest#semaphore semaphore}; its wait timeout has no effect
     * @return a view that may be used by several threads at once, as long as the connection is open; views of equal
     *     names and numbers of permits are one semaphore on one connection
     * @throws InvalidLockRequestException if the request is of no semaphore, or its scope is {@link
     *     LeaseScope#DETACHED}: a view belongs to its connection
     */
    @CheckReturnValue
    LeaseSemaphore semaphore(LockRequest request);

    /**
     * Returns a latch, which opens when it was counted down so many times. Asks no node.
     *
     * @param name the latch's name, see {@link LockRequest#of(String)}; a lock of the same name is independent of it
     * @param generation which use of the name this is, from 0; a higher one resets the latch
     * @param count 1 to {@link DistributedLatch#MAX_COUNT}: the first use of a generation fixes it
     * @return a view that may be used by several threads at once, as long as the connection is open
     * @throws InvalidLockRequestException if the name is not valid, or a number out of its range
     * @throws IllegalStateException if this connection is closed
     */
    @CheckReturnValue
    DistributedLatch latch(String name, long generation, int count);

    /**
     * As {@link #acquireAsync(LockRequest)}, of an exclusive lock with that name and the defaults of the factory.
     *
     * @param name the lock's name, see {@link LockRequest#of(String)}
     * @return a stage that is completed with the lease, which the application releases
     * @throws InvalidLockRequestException if the name is not valid
     * @throws IllegalStateException if this connection is closed
     */
    default CompletableFuture<Lease> acquireAsync(String name) {
        return acquireAsync(LockRequest.of(name));
    }

    /**
     * Takes the lock as soon as it becomes free within the request's wait timeout; no thread waits for that.
     *
     * <p>The lease is bound to nothing but itself, whatever scope the request has: it is {@link LeaseScope#DETACHED},
     * and the application releases it. The stage continues if this connection is closed meanwhile. It ends within some
     * 20 ms of the wait timeout; {@linkplain CompletableFuture#cancel cancelling} its future withdraws the request,
     * also if the lock is granted just then.
     *
     * <p>What continues the stage runs on a thread of the container, or of the library where there is none; nothing of
     * the library depends on that thread. Up to 64 continuations may run at once for each key prefix. If that many
     * block, a lease that is granted meanwhile waits for one of them to return: until the wait timeout, at least 1 s
     * and at most its TTL. Then it is released and its stage fails with {@link LockException}. When none has returned
     * for a second, requests leave their lines and take no lock, until one returns or their wait timeout ends.
     *
     * @param request which lock, and how; its scope has no effect
     * @return a stage that is completed with the lease, or exceptionally with {@link LockTimeoutException}, {@link
     *     QuorumUnavailableException}, {@link LockException}, or {@link IllegalStateException} if the service is
     *     stopped
     * @throws InvalidLockRequestException if the request asks for what the factory does not allow, or to interrupt
     *     the thread that takes it
     * @throws IllegalStateException if this connection is closed
     */
    CompletableFuture<Lease> acquireAsync(LockRequest request);

    /**
     * Returns a publisher of the lease, as {@link #acquireAsync(LockRequest)} gets it: for Mutiny, Reactor and others
     * that adapt a {@link Flow.Publisher}.
     *
     * <p>Each subscriber that requests something causes one acquisition, and receives one lease or one failure. To
     * cancel the subscription before that withdraws the request: a lock that is granted just then is released. From
     * {@link Flow.Subscriber#onNext} on the lease is the subscriber's, which releases it; nothing else does, so an
     * operator that may drop what it received needs a way to release it.
     *
     * <p>If {@code onNext} throws, the lease is released, and the error goes to the uncaught exception handler of the
     * thread.
     *
     * @param request which lock, and how
     * @return a publisher, which has not asked for anything yet. It fails with what the stage of {@link #acquireAsync}
     *     fails with, and with {@link IllegalStateException} if this connection is closed when a subscriber requests
     */
    @CheckReturnValue
    default Flow.Publisher<Lease> acquirePublisher(LockRequest request) {
        return new LeasePublisher(() -> acquireAsync(request));
    }

    /**
     * Returns the connection and releases the leases of {@link LeaseScope#CONNECTION} that no transaction keeps.
     *
     * <p>Calling it again does nothing. Works on an interrupted thread, and leaves the interrupt status as it was.
     */
    @Override
    void close();
}
