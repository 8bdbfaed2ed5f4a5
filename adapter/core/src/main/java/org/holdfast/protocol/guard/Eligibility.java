// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Which nodes are none to keep locks on, whatever they remember. */
final class Eligibility {

    /** Witnesses are asked once a second. */
    private static final long WITNESSED_LATER_NANOS = TimeUnit.SECONDS.toNanos(1);

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
        if (appointment.isPresent() && !isMarked(facts, mark)) {
            Verdict.Refused tooEarly = tooEarly(appointment.get());
            if (tooEarly != null) {
                return tooEarly;
            }
        }
        if (facts.mayEvict()) {
            return refused(
                    "it may evict locks when memory is short: set maxmemory-policy noeviction, or maxmemory 0", true);
        }
        return facts.durabilityFault()
                .map(fault -> refused("it is said to be durable, but " + fault, true))
                .orElse(null);
    }

    /** Nothing is written there either: others would rely on it. */
    private static Verdict.@Nullable Refused tooEarly(NodeFacts.Appointment appointment) {
        if (appointment.lacksWitnesses().isPresent()) {
            return new Verdict.Refused(
                    appointment.namer() + " it as the primary, but fewer than "
                            + appointment.lacksWitnesses().getAsInt()
                            + " of the other primaries do so yet: a majority might still name the one before it",
                    false,
                    WITNESSED_LATER_NANOS);
        }
        long unsettled = appointment.unsettledNanos();
        return unsettled == 0
                ? null
                : new Verdict.Refused(
                        appointment.namer() + " it as the primary since a moment ago: it is asked in "
                                + unsettled / 1_000_000
                                + " ms, when no vote of the one before it counts any more",
                        false,
                        unsettled);
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
