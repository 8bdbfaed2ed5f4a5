// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Describes a lock to be taken. Immutable; each method returns a changed copy.
 *
 * @param names the lock's name, or several that are taken all or none, each 1 to 1,024 bytes of UTF-8 and each
 *     different
 * @param mode how the lock is held
 * @param permits how many may hold the lock at once in the mode {@link LockMode#PERMIT}; 0 in any other
 * @param fair whether waiters get the lock in the order in which they came
 * @param waitTimeout how long to wait for a lock that another holder has, zero or more; empty: the factory's default,
 *     and no time with {@link LockConnection#tryAcquire(LockRequest)}
 * @param ttl for how long a node keeps the lock of a holder that does not renew it any more, at least 100 ms and at
 *     most the {@code maxLeaseTtlMillis} of the factory; empty: the factory's default. It ends the lease only if that
 *     is not renewed
 * @param renewed whether the lease is renewed until it is released; if not it ends with its TTL, which must be set
 * @param maxHold how long the lease lasts at the most, renewed or not, at least 100 ms; empty: until it is released
 * @param atLeast for how long no other holder gets the lock, even if it is released before; empty: it is free when it
 *     is released
 * @param interruptOnLoss whether the thread that takes the lease is interrupted if the lease is lost
 * @param scope what ends a lease that is not released
 * @param release whether the caller waits for the nodes when it releases the lease
 */
public record LockRequest(
        List<String> names,
        LockMode mode,
        int permits,
        boolean fair,
        Optional<Duration> waitTimeout,
        Optional<Duration> ttl,
        boolean renewed,
        Optional<Duration> maxHold,
        Optional<Duration> atLeast,
        boolean interruptOnLoss,
        LeaseScope scope,
        Release release) {

    /** The longest name, in bytes of UTF-8. */
    public static final int MAX_NAME_BYTES = 1024;

    /** So many names may be taken at once. */
    public static final int MAX_NAMES = 100;

    /** So many permits may a lock have. */
    public static final int MAX_PERMITS = 1000;

    /** The shortest TTL. Less would leave no room for a network and a clock. */
    public static final Duration MIN_TTL = Duration.ofMillis(100);

    /**
     * Checks what can be checked without knowing the factory.
     *
     * @param names the lock's name
     * @param mode how the lock is held
     * @param permits how many may hold the lock at once in the mode {@link LockMode#PERMIT}
     * @param fair whether waiters get the lock in the order in which they came
     * @param waitTimeout how long to wait for a lock that another holder has
     * @param ttl for how long a node keeps the lock of a holder that does not renew it any more
     * @param renewed whether the lease is renewed until it is released
     * @param maxHold how long the lease lasts at the most
     * @param atLeast for how long no other holder gets the lock
     * @param interruptOnLoss whether the thread that takes the lease is interrupted if the lease is lost
     * @param scope what ends a lease that is not released
     * @param release whether the caller waits for the nodes when it releases the lease
     * @throws InvalidLockRequestException if a part is missing or out of its range
     */
    public LockRequest {
        names = RequestRules.names(names);
        String name = names.get(0);
        Objects.requireNonNull(mode, "mode");
        RequestRules.checkShape(names, mode, permits, fair);
        Objects.requireNonNull(waitTimeout, "waitTimeout");
        Objects.requireNonNull(ttl, "ttl");
        Objects.requireNonNull(maxHold, "maxHold");
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(release, "release");
        if (waitTimeout.isPresent() && waitTimeout.get().isNegative()) {
            throw new InvalidLockRequestException(
                    "waitTimeout must be zero or more, was " + waitTimeout.get() + " (lock '" + name + "')");
        }
        RequestRules.checkTimes(
                name, mode, renewed ? "ttl" : "fixedTtl", ttl, maxHold, Objects.requireNonNull(atLeast, "atLeast"));
        if (!renewed && ttl.isEmpty()) {
            throw new InvalidLockRequestException(
                    "a lease that is not renewed must have a fixedTtl, had none (lock '" + name + "')");
        }
        if (interruptOnLoss && scope == LeaseScope.DETACHED) {
            throw new InvalidLockRequestException("interruptOnLoss needs a lease of the thread, the scope was " + scope
                    + ": the interrupt must end with what the thread does (lock '" + name + "')");
        }
    }

    /**
     * {@return a request for an exclusive lock with the defaults of the factory}
     *
     * @param name the lock's name: 1 to 1,024 bytes of UTF-8; equal names are the same lock for all processes that use
     *     the same nodes and key prefix
     * @throws InvalidLockRequestException if the name is null, empty, too long, or not well-formed Unicode
     */
    public static LockRequest of(String name) {
        return of(RequestRules.names(name), LockMode.EXCLUSIVE, 0);
    }

    /**
     * {@return a request for several exclusive locks, all or none, in one lease: it is held as long as all of them are,
     * and has one fencing token, larger than any before on each of the names}
     *
     * <p>They are requested together, whatever their order: callers that ask for some of the same names never wait for
     * each other in a circle. A caller that waits for several names is not served before callers that ask for one of
     * them, and keeps none of these from a name that is free.
     *
     * @param names 1 to {@link #MAX_NAMES}, each different
     * @throws InvalidLockRequestException if a name is not valid or given twice, or there are too many
     */
    public static LockRequest allOf(String... names) {
        return of(Arrays.asList(names), LockMode.EXCLUSIVE, 0);
    }

    /**
     * {@return a request for one permit of a semaphore that has so many, one for each of its holders}
     *
     * <p>All callers that use the name must agree on the number: the largest that any of them gives is how many holders
     * there may be. There is no re-entry: a holder that asks again gets another permit. A lock of the same name is
     * independent of the semaphore.
     *
     * @param name the semaphore's name, see {@link #of(String)}
     * @param permits 1 to {@link #MAX_PERMITS}
     * @throws InvalidLockRequestException if the name is not valid or the number out of its range
     */
    public static LockRequest semaphore(String name, int permits) {
        return of(RequestRules.names(name), LockMode.PERMIT, permits);
    }

    private static LockRequest of(List<String> names, LockMode mode, int permits) {
        return new LockRequest(
                names,
                mode,
                permits,
                false,
                Optional.empty(),
                Optional.empty(),
                true,
                Optional.empty(),
                Optional.empty(),
                false,
                LeaseScope.CONNECTION,
                Release.AS_CONFIGURED);
    }

    /** Returns a copy with other times. */
    private LockRequest times(
            Optional<Duration> wait,
            Optional<Duration> lifetime,
            boolean isRenewed,
            Optional<Duration> most,
            Optional<Duration> least) {
        return new LockRequest(
                names, mode, permits, fair, wait, lifetime, isRenewed, most, least, interruptOnLoss, scope, release);
    }

    /** Returns a copy that is held in another way. */
    private LockRequest held(LockMode how, boolean inOrder, boolean interrupt, LeaseScope end, Release given) {
        return new LockRequest(
                names, how, permits, inOrder, waitTimeout, ttl, renewed, maxHold, atLeast, interrupt, end, given);
    }

    /** {@return the lock's name; of several the first} */
    public String name() {
        return names.get(0);
    }

    /**
     * Sets how the lock is held. Default: {@link LockMode#EXCLUSIVE}.
     *
     * @param lockMode any but {@link LockMode#PERMIT}
     * @return a changed copy
     * @throws InvalidLockRequestException if it is {@link LockMode#PERMIT}, which {@link #semaphore} is for, or the
     *     request has several names or permits
     */
    @CheckReturnValue
    public LockRequest mode(LockMode lockMode) {
        return held(lockMode, fair, interruptOnLoss, scope, release);
    }

    /**
     * Serves waiters in the order in which they came, across all processes (true), or in no certain order, which is
     * faster (false, the default). {@link LockMode#READ} and {@link LockMode#WRITE} are always served in order.
     *
     * <p>A request with the wait timeout zero gets the lock only if no waiter is in line. A request that is not fair
     * ignores the line. A process that dies while it waits delays the waiters behind it by the {@code ticketTtlMillis}
     * of the factory, 1 s by default; one that pauses for longer may find that others have overtaken it.
     *
     * @param inOrder whether waiters are served in order
     * @return a changed copy
     * @throws InvalidLockRequestException if the request has several names or permits
     */
    @CheckReturnValue
    public LockRequest fair(boolean inOrder) {
        return held(mode, inOrder, interruptOnLoss, scope, release);
    }

    /**
     * Waits this long for a lock that another holder has. Default: the {@code waitTimeoutMillis} of the factory, and no
     * time with {@link LockConnection#tryAcquire(LockRequest)}.
     *
     * @param timeout zero (one attempt) or more; more than {@link Long#MAX_VALUE} ns counts as that
     * @return a changed copy
     * @throws InvalidLockRequestException if it is negative
     */
    @CheckReturnValue
    public LockRequest waitTimeout(Duration timeout) {
        return times(Optional.of(timeout), ttl, renewed, maxHold, atLeast);
    }

    /**
     * Sets how long nodes keep the lock of a holder that has died. It does not end the lease: that is renewed, at each
     * third of the TTL, until it is released. What ends a lease after some time is {@link #maxHold}, or {@link
     * #fixedTtl}.
     *
     * <p>A long TTL survives long pauses of the process; with a short one, others get the lock soon after its process
     * has died. Takes the place of a {@code fixedTtl} that was set before.
     *
     * @param duration at least {@link #MIN_TTL}, at most the {@code maxLeaseTtlMillis} of the factory; fractions of a
     *     millisecond are cut off. Default: the {@code ttlMillis} of the factory
     * @return a changed copy
     * @throws InvalidLockRequestException if it is too short
     */
    @CheckReturnValue
    public LockRequest ttl(Duration duration) {
        return times(waitTimeout, Optional.of(duration), true, maxHold, atLeast);
    }

    /**
     * Ends the lease after this long: it is not renewed, unless the application calls {@link Lease#renew()}. A holder
     * that has not released it by then is notified of the loss, and others get the lock.
     *
     * <p>{@link #maxHold} ends a lease too, and is to be preferred: it may be longer than the factory allows as a TTL,
     * and when the holder dies, others need not wait for its end. With a fixed TTL, nodes keep the lock until its end
     * also if the holder dies, and are asked nothing between acquisition and release. Takes the place of a {@code ttl}
     * that was set before.
     *
     * <p>A lock that is handed off to the next caller in this process keeps its end: that lease is shorter than this by
     * a hundredth at the most.
     *
     * @param duration at least {@link #MIN_TTL}, at most the {@code maxLeaseTtlMillis} of the factory; fractions of a
     *     millisecond are cut off
     * @return a changed copy
     * @throws InvalidLockRequestException if it is too short
     */
    @CheckReturnValue
    public LockRequest fixedTtl(Duration duration) {
        return times(waitTimeout, Optional.of(duration), false, maxHold, atLeast);
    }

    /**
     * Ends the lease after this long, even if its renewals succeed: renewals stop, the loss is reported to the holder,
     * and others get the lock. It bounds what a holder that hangs can do. This is the lease time of other libraries.
     * Re-entry does not restart it.
     *
     * @param duration at least {@link #MIN_TTL}, counted from the attempt that got the lock
     * @return a changed copy
     * @throws InvalidLockRequestException if it is too short
     */
    @CheckReturnValue
    public LockRequest maxHold(Duration duration) {
        return times(waitTimeout, ttl, renewed, Optional.of(duration), atLeast);
    }

    /**
     * Keeps all other holders from the lock for this long, counted from the attempt that got it. If the lock is
     * released before, the nodes keep it for the rest. For jobs that several servers start at the same time, by clocks
     * that do not quite agree: a job that one server finishes at once must not be run again by a server that is late.
     *
     * <p>The TTL is at least as long, so the nodes keep the lock without the holder: no thread waits, and the process
     * may end, or die in the middle of its work. The lease itself ends when it is released. A holder that has the lock
     * already, without this minimum, is refused it.
     *
     * @param duration at least {@link #MIN_TTL}, by the clocks of the nodes; at most what the factory allows as a TTL,
     *     and what this request has as TTL and {@code maxHold}
     * @return a changed copy
     * @throws InvalidLockRequestException if it is too short or too long, or the mode is not {@link LockMode#EXCLUSIVE}
     */
    @CheckReturnValue
    public LockRequest atLeast(Duration duration) {
        return times(waitTimeout, ttl, renewed, maxHold, Optional.of(duration));
    }

    /**
     * Interrupts the thread that takes the lease if the lease is lost before that thread has released it (true), or
     * leaves it alone (false, the default). An interrupt that the thread has not noticed by then is taken back when it
     * releases the lease or closes the connection, so that it does not leak into the next work of a pooled thread. An
     * interrupt by other code that came after the loss is taken back with it: the two cannot be distinguished.
     *
     * <p>With another scope than {@link LeaseScope#CONNECTION} that very thread has to release the lease.
     *
     * @param interrupt whether the thread is interrupted
     * @return a changed copy
     * @throws InvalidLockRequestException if the scope is {@link LeaseScope#DETACHED}
     */
    @CheckReturnValue
    public LockRequest interruptOnLoss(boolean interrupt) {
        return held(mode, fair, interrupt, scope, release);
    }

    /**
     * Sets what ends a lease that is not released. Default: {@link LeaseScope#CONNECTION}.
     *
     * @param leaseScope what ends it
     * @return a changed copy
     */
    @CheckReturnValue
    public LockRequest scope(LeaseScope leaseScope) {
        return held(mode, fair, interruptOnLoss, leaseScope, release);
    }

    /**
     * Sets whether the caller waits for the nodes when it releases the lease. Default: {@link Release#AS_CONFIGURED},
     * which is {@link Release#CONFIRMED} unless the factory says otherwise.
     *
     * @param how whether it waits
     * @return a changed copy
     */
    @CheckReturnValue
    public LockRequest release(Release how) {
        return held(mode, fair, interruptOnLoss, scope, how);
    }

    /**
     * Binds the lease to nothing but itself: short for {@code scope(LeaseScope.DETACHED)}.
     *
     * @return a changed copy
     */
    @CheckReturnValue
    public LockRequest detached() {
        return scope(LeaseScope.DETACHED);
    }
}
