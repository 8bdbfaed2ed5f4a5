// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Describes a lock to be taken. Immutable; each method returns a changed copy.
 *
 * @param name the lock's name: 1 to 1,024 bytes of UTF-8
 * @param waitTimeout how long to wait for a lock that somebody else holds, zero or more; empty: the factory's default
 * @param ttl for how long a node keeps the lock of a holder that does not renew it any more, at least 100 ms and at most
 *     the {@code maxLeaseTtlMillis} of the factory; empty: the factory's default
 * @param renewal whether the lease is renewed until it is released; if not it ends with its TTL
 * @param maxHold how long the lease lasts at the most, renewed or not, at least 100 ms; empty: until it is released
 * @param interruptOnLoss whether the thread that takes the lease is interrupted if the lease is lost
 * @param scope what ends a lease that nobody releases
 */
public record LockRequest(
        String name,
        Optional<Duration> waitTimeout,
        Optional<Duration> ttl,
        boolean renewal,
        Optional<Duration> maxHold,
        boolean interruptOnLoss,
        LeaseScope scope) {

    /** The longest name, in bytes of UTF-8. */
    public static final int MAX_NAME_BYTES = 1024;

    /** The shortest TTL. Less would leave no room for a network and a clock. */
    public static final Duration MIN_TTL = Duration.ofMillis(100);

    /**
     * Checks what can be checked without knowing the factory.
     *
     * @throws InvalidLockRequestException if a part is missing or out of its range
     */
    public LockRequest {
        checkName(name);
        Objects.requireNonNull(waitTimeout, "waitTimeout");
        Objects.requireNonNull(ttl, "ttl");
        Objects.requireNonNull(maxHold, "maxHold");
        Objects.requireNonNull(scope, "scope");
        if (waitTimeout.isPresent() && waitTimeout.get().isNegative()) {
            throw new InvalidLockRequestException(
                    "waitTimeout must be zero or more, was " + waitTimeout.get() + " (lock '" + name + "')");
        }
        checkAtLeastMinimum("ttl", ttl, name);
        checkAtLeastMinimum("maxHold", maxHold, name);
        if (interruptOnLoss && scope != LeaseScope.CONNECTION) {
            throw new InvalidLockRequestException("interruptOnLoss needs the scope CONNECTION, was " + scope
                    + ": the interrupt must end with what the thread does (lock '" + name + "')");
        }
    }

    private static void checkAtLeastMinimum(String part, Optional<Duration> duration, String name) {
        if (duration.isPresent() && duration.get().compareTo(MIN_TTL) < 0) {
            throw new InvalidLockRequestException(part + " must be at least " + MIN_TTL.toMillis() + " ms, was "
                    + duration.get() + " (lock '" + name + "')");
        }
    }

    /**
     * Returns a request for an exclusive lock with the defaults of the factory.
     *
     * @param name the lock's name: 1 to 1,024 bytes of UTF-8; equal names are the same lock for all processes that use
     *     the same nodes and key prefix
     * @throws InvalidLockRequestException if the name is null, empty, too long, or not well-formed Unicode
     */
    public static LockRequest of(String name) {
        return new LockRequest(
                name, Optional.empty(), Optional.empty(), true, Optional.empty(), false, LeaseScope.CONNECTION);
    }

    /**
     * Waits this long for a lock that somebody else holds.
     *
     * @param timeout zero (one attempt) or more; more than {@link Long#MAX_VALUE} ns counts as that
     * @throws InvalidLockRequestException if it is negative
     */
    public LockRequest waitTimeout(Duration timeout) {
        return new LockRequest(name, Optional.of(timeout), ttl, renewal, maxHold, interruptOnLoss, scope);
    }

    /**
     * Lets nodes keep the lock this long after the last sign of life of its holder.
     *
     * @param duration at least {@link #MIN_TTL}, at most what the factory allows; fractions of a millisecond are cut off
     * @throws InvalidLockRequestException if it is too short
     */
    public LockRequest ttl(Duration duration) {
        return new LockRequest(name, waitTimeout, Optional.of(duration), renewal, maxHold, interruptOnLoss, scope);
    }

    /** Renews the lease until it is released (true, the default), or lets it end with its TTL (false). */
    public LockRequest renewal(boolean renew) {
        return new LockRequest(name, waitTimeout, ttl, renew, maxHold, interruptOnLoss, scope);
    }

    /**
     * Ends the lease after this long, however well it is: renewals stop, the holder is told of the loss, and others get the
     * lock. It bounds what a holder that hangs can do. Re-entry does not begin it anew.
     *
     * @param duration at least {@link #MIN_TTL}, counted from the attempt that got the lock
     * @throws InvalidLockRequestException if it is too short
     */
    public LockRequest maxHold(Duration duration) {
        return new LockRequest(name, waitTimeout, ttl, renewal, Optional.of(duration), interruptOnLoss, scope);
    }

    /**
     * Interrupts the thread that takes the lease if the lease is lost before that thread has released it (true), or leaves it
     * alone (false, the default). An interrupt that the thread has not noticed by then is taken back when it releases the lease
     * or closes the connection, so that it does not leak into the next work of a pooled thread. With it goes an interrupt by
     * anybody else that came after the loss: the two cannot be told apart.
     *
     * @throws InvalidLockRequestException if the scope is not {@link LeaseScope#CONNECTION}
     */
    public LockRequest interruptOnLoss(boolean interrupt) {
        return new LockRequest(name, waitTimeout, ttl, renewal, maxHold, interrupt, scope);
    }

    /** Sets what ends a lease that nobody releases. Default: {@link LeaseScope#CONNECTION}. */
    public LockRequest scope(LeaseScope leaseScope) {
        return new LockRequest(name, waitTimeout, ttl, renewal, maxHold, interruptOnLoss, leaseScope);
    }

    /** Binds the lease to nothing but itself: short for {@code scope(LeaseScope.DETACHED)}. */
    public LockRequest detached() {
        return scope(LeaseScope.DETACHED);
    }

    private static void checkName(String name) {
        if (name == null || name.isEmpty()) {
            throw new InvalidLockRequestException("the lock's name must be 1 to " + MAX_NAME_BYTES
                    + " bytes of UTF-8, was " + (name == null ? "null" : "empty"));
        }
        int bytes = utf8Length(name);
        if (bytes > MAX_NAME_BYTES) {
            throw new InvalidLockRequestException("the lock's name must be 1 to " + MAX_NAME_BYTES
                    + " bytes of UTF-8, was " + bytes + " bytes ('" + name.substring(0, 32) + "…')");
        }
    }

    /** Half a surrogate pair would become a question mark on the wire: two names, one lock. */
    private static int utf8Length(String name) {
        if (name.length() <= MAX_NAME_BYTES / 3 && isAscii(name)) {
            return name.length();
        }
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
            return encoded.remaining();
        } catch (CharacterCodingException e) {
            throw new InvalidLockRequestException(
                    "the lock's name must be well-formed Unicode, was '" + name + "' with half a surrogate pair");
        }
    }

    private static boolean isAscii(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
