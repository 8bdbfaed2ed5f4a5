// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which nodes are none to keep locks on, whatever they remember. */
final class Eligibility {

    private static final String PRIMARY = ": a node must be an independent primary";

    private Eligibility() {}

    /**
     * Returns why a node is not to be used; null if it may be.
     *
     * @param mark what stands on it; null for no mark
     */
    static Verdict.@Nullable Refused refusal(NodeFacts facts, @Nullable BirthMark mark) {
        Optional<NodeFacts.Appointment> appointment = facts.appointment();
        if (!facts.primary()) {
            return refused(
                    appointment.isPresent()
                            ? appointment.get().namer() + " it as the primary, and it is a replica: a failover has not"
                                    + " ended"
                            : "it is a replica" + PRIMARY,
                    false);
        }
        if (facts.clustered() && !facts.isShard()) {
            return refused(
                    "it is part of a Redis Cluster, which fails over to replicas that may lag" + PRIMARY
                            + "; a cluster as a whole is a node by the address redis+cluster://host,host,...",
                    false);
        }
        long unsettled = appointment.map(NodeFacts.Appointment::unsettledNanos).orElse(0L);
        if (unsettled > 0 && !isMarked(facts, mark)) { // nothing is written there either: others would rely on it
            return new Verdict.Refused(
                    appointment.get().namer() + " it as the primary since a moment ago: it is asked in "
                            + unsettled / 1_000_000
                            + " ms, when no vote of the one before it counts any more",
                    false,
                    unsettled);
        }
        if (facts.mayEvict()) {
            return refused(
                    "it may evict locks when memory is short: set maxmemory-policy noeviction, or maxmemory 0", true);
        }
        return facts.durabilityFault()
                .map(fault -> refused("it is said to be durable, but " + fault, true))
                .orElse(null);
    }

    /**
     * Returns whether the mark is that of this process in its present term: then a client has waited before it wrote
     * that, and no other need wait.
     */
    static boolean isMarked(NodeFacts facts, @Nullable BirthMark mark) {
        return mark != null
                && mark.process().runId().equals(facts.process().runId())
                && !facts.process().isPromotedSince(mark.process());
    }

    private static Verdict.Refused refused(String reason, boolean forgets) {
        return new Verdict.Refused(reason, forgets, 0);
    }
}
