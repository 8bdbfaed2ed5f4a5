// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;

/**
 * What one node has granted, and what of it is in force. Until then the node grants nothing that conflicts with it:
 * whatever its clock shows, and whichever attempts are undone meanwhile.
 *
 * <p>This finds at one node what does harm only where a majority is wrong at the same time.
 */
final class NodeGrants {

    private static final long MILLI = 1_000_000L;

    /** Clocks of nodes run at different rates, the largest drift is a tenth; and nodes count in milliseconds. */
    private static final double SLOWEST = 0.9;

    private static final long GRAIN = 2 * MILLI;

    /** For so long after a clock was set back clients do not count what its node grants: it may be set right again. */
    private static final long SETTLING = 3_500 * MILLI;

    private static final long NEVER = Long.MIN_VALUE / 2;

    private final World world;
    private final long longestLeaseNanos;
    private final Map<String, List<Grant>> grants = new HashMap<>();

    private long errorMicros;
    private long setBackAt = NEVER;

    private record Grant(Owner owner, boolean reads, long token, long until) {

        Grant reading(boolean now) {
            return new Grant(owner, now, token, until);
        }

        boolean conflicts(Owner other, boolean otherReads) {
            return !owner.equals(other) && !(reads && otherReads);
        }
    }

    NodeGrants(World world, long longestLeaseNanos) {
        this.world = world;
        this.longestLeaseNanos = longestLeaseNanos;
    }

    /** The node's clock is ahead by so much now. */
    void clockSet(long micros) {
        setBackAt = micros < errorMicros ? world.now() : NEVER;
        errorMicros = micros;
    }

    /** The node has forgotten locks. */
    void forgot() {
        grants.clear();
    }

    /** The node has all that another one had. */
    void inherit(NodeGrants former) {
        grants.clear();
        former.grants.forEach((name, known) -> grants.put(name, new ArrayList<>(known)));
    }

    /**
     * The node has run a command.
     *
     * @param uncounted whether clients count nothing that it grants now
     */
    void done(Command command, Answer answer, boolean uncounted) {
        if (command instanceof Command.OfClaim of) {
            for (String name : keys(of.claim().target())) {
                done(of, answer.reply(), grants.computeIfAbsent(name, any -> new ArrayList<>()), uncounted);
            }
        } else if (command instanceof Command.ForceRelease force && answer.reply() instanceof Reply.Seen) {
            for (Target target : force.locks()) {
                keys(target).forEach(name -> grants.computeIfAbsent(name, any -> new ArrayList<>())
                        .removeIf(grant -> grant.token() < force.token()));
            }
        }
    }

    private static List<String> keys(Target target) {
        return target instanceof Target.Permit permit
                ? List.of(permit.semaphore() + " " + permit.number())
                : target.names();
    }

    private void done(Command.OfClaim command, Reply reply, List<Grant> known, boolean uncounted) {
        Claim claim = command.claim();
        if (command instanceof Command.Release release) {
            if (release.held() && reply instanceof Reply.Released) {
                dropBefore(claim, known);
            }
            known.removeIf(grant -> grant.owner().equals(claim.owner()));
        } else if (reply instanceof Reply.Granted) {
            granted(command, known, uncounted);
        }
    }

    private void granted(Command.OfClaim command, List<Grant> known, boolean uncounted) {
        Claim claim = command.claim();
        boolean extended = command instanceof Command.Renew
                && known.stream().anyMatch(grant -> grant.owner().equals(claim.owner()));
        if (extended) {
            dropBefore(claim, known);
        }
        boolean reads = claim.target() instanceof Target.Shared;
        if (command instanceof Command.Renew) { // a majority has granted it, so what has a smaller token was over
            known.removeIf(grant -> grant.token() < claim.token() && grant.conflicts(claim.owner(), reads));
        }
        for (Grant grant : known) {
            if (!uncounted && grant.until() > world.now() && grant.conflicts(claim.owner(), reads)) {
                throw new Violation("1: " + command + " was granted by a node that has granted " + grant + " until "
                        + (grant.until() - world.now()) / MILLI + " ms from now");
            }
        }
        long ttl =
                Math.min(claim.ttlMillis() * MILLI, longestLeaseNanos); // a node may cut what is longer than any lease
        long until = world.now() + (long) (ttl * SLOWEST) - GRAIN;
        Grant grant = new Grant(claim.owner(), reads, claim.lastToken(), until);
        if (!uncounted && world.now() - setBackAt >= SETTLING) {
            known.removeIf(former -> former.owner().equals(claim.owner()));
            known.add(grant);
        } else { // it counts for nothing, and what was granted before stands
            boolean last = command instanceof Command.Renew renewal && renewal.last();
            known.removeIf(former -> last && former.owner().equals(claim.owner())); // ends early by that clock
            known.replaceAll(former -> former.owner().equals(claim.owner()) ? former.reading(reads) : former);
        }
    }

    /** A lease that is renewed or ended was one, so what the node had granted before it was over. */
    private static void dropBefore(Claim claim, List<Grant> known) {
        boolean reads = claim.target() instanceof Target.Shared;
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).owner().equals(claim.owner())) {
                known.subList(0, i).removeIf(grant -> grant.conflicts(claim.owner(), reads));
                return;
            }
        }
    }
}
