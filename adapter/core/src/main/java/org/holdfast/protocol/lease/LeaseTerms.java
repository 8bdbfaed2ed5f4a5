// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.time.Duration;
import java.util.Optional;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.jspecify.annotations.Nullable;

/**
 * How long a lock is to be held.
 *
 * @param renewed whether it is renewed until released
 * @param maxHold when it ends all the same
 * @param atLeast for how long no other holder is to have it, released or not
 * @param release whether the caller waits for the nodes when it releases it
 */
public record LeaseTerms(boolean renewed, Optional<Duration> maxHold, Optional<Duration> atLeast, Release release) {

    /** Longer than any process lives: half of what differences of the clock can express. */
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE / 2);

    /** One for all leases that ask for nothing of their own: a process may hold many. */
    private static final LeaseTerms USUAL = new LeaseTerms(true, Optional.empty(), Optional.empty(), Release.CONFIRMED);

    /** Returns for how long a request wants the lock to be held. */
    public static LeaseTerms of(LockRequest request) {
        LeaseTerms terms = new LeaseTerms(request.renewed(), request.maxHold(), request.atLeast(), request.release());
        return terms.equals(USUAL) ? USUAL : terms;
    }

    long maxHoldNanos() {
        return maxHold.filter(d -> d.compareTo(FOR_EVER) < 0).orElse(FOR_EVER).toNanos();
    }

    /** Returns whether other holders are kept from it for as long as is asked. */
    public boolean isKept(Optional<Duration> asked) {
        return asked.isEmpty() || asked.equals(atLeast);
    }

    /**
     * Returns why a lock of these terms has ended without a release.
     *
     * @param extensible whether a renewal would have made it last longer
     * @param failure of the last renewal; null for none
     */
    String endReason(boolean extensible, long ttlMillis, @Nullable String failure) {
        if (!extensible) {
            return "its maxHold of " + maxHold.orElseThrow().toMillis() + " ms is over";
        }
        if (!renewed) {
            return "its TTL of " + ttlMillis + " ms is over, and it was not to be renewed";
        }
        return failure == null ? "it could not be renewed before its validity ended (did the process pause?)" : failure;
    }

    /**
     * Returns in words what a request of the same holder asks for and does not have; null if there is nothing.
     *
     * @param ttlMillis the TTL of the lock
     */
    public @Nullable String difference(LockRequest asked, long ttlMillis) {
        Optional<Long> askedMillis = asked.ttl().map(Duration::toMillis);
        if (askedMillis.isPresent() && askedMillis.get() != ttlMillis) {
            return "a ttl of " + ttlMillis + " ms, and asks for " + askedMillis.get() + " ms";
        }
        if (!asked.renewed() && renewed) {
            return "renewal, and asks for a fixedTtl";
        }
        if (asked.maxHold().isPresent() && !isWithin(asked.maxHold().get())) {
            return maxHold.map(most -> "a maxHold of " + most).orElse("no maxHold") + ", and asks for "
                    + asked.maxHold().get();
        }
        return null;
    }

    /** A maxHold that is shorter than the one that is asked for fits, too. */
    private boolean isWithin(Duration most) {
        return maxHold.isPresent() && maxHold.get().compareTo(most) <= 0;
    }
}
