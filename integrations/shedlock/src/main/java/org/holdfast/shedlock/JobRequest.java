// SPDX-License-Identifier: Apache-2.0
package org.holdfast.shedlock;

import java.time.Duration;
import net.javacrumbs.shedlock.core.LockConfiguration;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/**
 * What ShedLock asks for, as a request for a lease.
 *
 * @param configuration what ShedLock asks for
 * @param lease the request; it has no {@code maxHold}, which no extension could lengthen
 * @param keptByNodes whether the nodes keep the lock for all of {@code lockAtLeastFor}, also if it is released
 */
record JobRequest(LockConfiguration configuration, LockRequest lease, boolean keptByNodes) {

    /** A lock for less has a TTL of its own. The TTL of the factory, which is not known here, is this by default. */
    private static final Duration LONG = Duration.ofSeconds(30);

    /** A term that the factory refuses, whose maxLeaseTtlMillis is less, leaves the other one as it is. */
    static JobRequest of(LockConfiguration configuration, LockConnectionFactory factory) {
        Duration atLeast = configuration.getLockAtLeastFor();
        LockRequest plain = LockRequest.of(configuration.getName()).detached();
        LockRequest ending = withTtl(plain, configuration.getLockAtMostFor());
        LockRequest allowed = isAllowed(ending, factory) ? ending : plain;
        LockRequest kept = withMinimum(allowed, atLeast);
        return isAllowed(kept, factory)
                ? new JobRequest(configuration, kept, isKeptByNodes(atLeast))
                : new JobRequest(configuration, allowed, false);
    }

    private static boolean isAllowed(LockRequest request, LockConnectionFactory factory) {
        try {
            factory.validate(request);
            return true;
        } catch (InvalidLockRequestException e) {
            return false;
        }
    }

    /** If the process dies, a lock for a short time is not kept for longer. */
    private static LockRequest withTtl(LockRequest request, Duration atMost) {
        return atMost.compareTo(LONG) < 0 ? request.ttl(longer(atMost, LockRequest.MIN_TTL)) : request;
    }

    private static LockRequest withMinimum(LockRequest request, Duration atLeast) {
        return atLeast.compareTo(LockRequest.MIN_TTL) < 0 ? request : request.atLeast(shorter(atLeast, LONG));
    }

    private static boolean isKeptByNodes(Duration atLeast) {
        boolean wholly = atLeast.compareTo(LockRequest.MIN_TTL) >= 0 && atLeast.compareTo(LONG) <= 0;
        return wholly || atLeast.isZero() || atLeast.isNegative();
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? b : a;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
