// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;

/**
 * What one node has granted on one name, and what counts of it, by a clock that is always right. Moments are in
 * milliseconds.
 */
final class GrantedLeases {

    /** Clients count nothing that a clock grants which was set back so short a time ago. */
    private static final long UNCOUNTED_MILLIS = 3_500;

    /** How much of its TTL a lease lasts at the least, in percent. */
    private static final long SLOWEST = 99;

    private record Lease(boolean reads, long until) {

        Lease downgradedBy(boolean reading) {
            return new Lease(reads || reading, until);
        }
    }

    private final Map<Owner, Lease> inForce = new HashMap<>();
    private final Set<Owner> granted = new HashSet<>();
    private final Set<Owner> ended = new HashSet<>();
    private long setBackAt = Long.MIN_VALUE / 2;

    void clockWasSetBack(long now) {
        setBackAt = now;
    }

    /**
     * The node has granted it.
     *
     * @param asked when its client asked
     * @param now when its client had the answer
     * @param isTrusted whether the node's clock is not behind
     */
    void granted(Claim claim, long asked, long now, boolean isTrusted) {
        assertThat(ended).as("released before it is granted").doesNotContain(claim.owner());
        boolean reads = claim.target() instanceof Target.Shared;
        boolean counts = isTrusted && now - setBackAt >= UNCOUNTED_MILLIS;
        if (counts) {
            inForce.forEach((owner, lease) -> assertThat(
                            owner.equals(claim.owner()) || lease.until() <= now || reads && lease.reads())
                    .as("granted " + claim + " while " + owner + " has " + lease + " until " + (lease.until() - now)
                            + " ms from now")
                    .isTrue());
            inForce.put(claim.owner(), new Lease(reads, asked + claim.ttlMillis() * SLOWEST / 100));
        } else {
            inForce.computeIfPresent(claim.owner(), (owner, lease) -> lease.downgradedBy(reads));
        }
        granted.add(claim.owner());
    }

    /** The node has made it end earlier, or later, by a clock that its client knows. */
    void shortened(Claim claim, long asked, long now, boolean isTrusted) {
        inForce.remove(claim.owner());
        granted(claim, asked, now, isTrusted);
    }

    void ended(Owner owner) {
        inForce.remove(owner);
        ended.add(owner);
    }

    /** A later lease may have the same owner. */
    void forget(Owner owner) {
        inForce.remove(owner);
        granted.remove(owner);
    }

    boolean wasGranted(Owner owner) {
        return granted.contains(owner);
    }

    boolean isEnded(Owner owner) {
        return ended.contains(owner);
    }

    boolean isInForce(Owner owner, long now) {
        return inForce.containsKey(owner) && inForce.get(owner).until() > now;
    }
}
