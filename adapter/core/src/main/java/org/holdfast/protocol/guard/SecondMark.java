// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.concurrent.TimeUnit;

/** Looks at a node on which clients have kept a second birth mark. */
public final class SecondMark {

    /** Clients look once a second. What began and ended since the last look may have been seen elsewhere only. */
    private static final long FRESH_MICROS = TimeUnit.SECONDS.toMicros(2);

    private static final String REASON = "clients have noted what they saw of it in another of its slots, which the"
            + " clients that look here do not know";

    private SecondMark() {}

    /**
     * Looks at the node, as {@link NodeGuard#admit} does. What is noted with the second mark may not be noted with the
     * first: the node is in quarantine, unless clients have looked at the first one all the time since the second is
     * there.
     *
     * @param secondText what stands there; empty for none
     */
    public static NodeGuard.Admission admit(NodeGuard guard, NodeProbe probe, String secondText) {
        boolean lacks = BirthMark.parse(secondText)
                .filter(second -> !isWatchedSince(probe.look(), second))
                .isPresent();
        NodeGuard.Admission admission = guard.admit(probe);
        if (!lacks || !(admission instanceof NodeGuard.Admission.Admitted)) {
            return admission;
        }
        if (!guard.quarantine(probe, REASON)) {
            return new NodeGuard.Admission.Unsettled();
        }
        NodeGuard.Admission begun = guard.admit(probe);
        return begun instanceof NodeGuard.Admission.Admitted now
                ? new NodeGuard.Admission.Admitted(now.runId(), now.quarantineMicros(), REASON)
                : begun;
    }

    private static boolean isWatchedSince(NodeProbe.Sight sight, BirthMark second) {
        return BirthMark.parse(sight.markText())
                .filter(first -> first.process().equals(second.process()))
                .filter(first -> first.steadyMicros() <= second.sinceMicros())
                .filter(first -> Math.abs(sight.facts().nowMicros() - first.seenMicros()) <= FRESH_MICROS)
                .isPresent();
    }
}
