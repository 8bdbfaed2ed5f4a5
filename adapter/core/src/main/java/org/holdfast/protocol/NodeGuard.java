// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.Optional;

/**
 * Decides whether a node may vote: takes the votes of a node that may have forgotten locks, until each lock that it may have
 * forgotten has expired.
 *
 * <p>Redlock's page asks operators to keep a crashed node away for longer than the longest TTL ("delayed restart"). Here the
 * node does it itself: it keeps a {@link BirthMark}, and its scripts grant nothing new before the mark's moment and the
 * longest TTL have passed. So the quarantine is the same for every client, and as atomic as a grant.
 */
public final class NodeGuard {

    private NodeGuard() {}

    /** What is to be done with a node. */
    public sealed interface Verdict {

        /** The mark is right as it is. */
        record Trusted(BirthMark mark) implements Verdict {}

        /** The mark must be set before the node is asked for anything. */
        record SetMark(BirthMark mark, String reason) implements Verdict {}

        /**
         * The node is not to be used.
         *
         * @param forgets whether it must be in quarantine too, for clients that have not looked at it lately
         */
        record Refused(String reason, boolean forgets) implements Verdict {}
    }

    /** Judges a node by what it tells and by the mark it has, if it has one. */
    public static Verdict judge(NodeFacts facts, Optional<BirthMark> mark) {
        if (!facts.primary()) {
            return new Verdict.Refused("it is a replica: a node must be an independent primary", false);
        }
        if (facts.clustered()) {
            return new Verdict.Refused(
                    "it is part of a Redis Cluster, which fails over to replicas that may lag: a node must be"
                            + " independent. With guard OFF one that has all slots can be used",
                    false);
        }
        if (facts.mayEvict()) {
            return new Verdict.Refused(
                    "it may evict locks when memory is short: set maxmemory-policy noeviction, or maxmemory 0", true);
        }
        return mark.map(known -> judgeMarked(facts, known)).orElseGet(() -> judgeUnmarked(facts));
    }

    private static Verdict judgeMarked(NodeFacts facts, BirthMark mark) {
        if (mark.sinceMicros() > facts.nowMicros()) {
            return set(facts, facts.nowMicros(), "its clock was set back");
        }
        boolean sameProcess = mark.runId().equals(facts.runId());
        boolean sameData = mark.replicationId().equals(facts.replicationId());
        if (sameProcess && !sameData) {
            return set(facts, facts.nowMicros(), "another data set took the place of its own");
        }
        if (sameProcess) {
            return facts.evictions() == mark.evictions()
                    ? new Verdict.Trusted(mark)
                    : set(facts, facts.nowMicros(), "it has evicted keys");
        }
        if (facts.persistsEveryWrite()) {
            return set(facts, mark.sinceMicros(), "it was restarted, and persists every write");
        }
        return set(facts, facts.startedMicros(), "it was restarted, and may have lost its last writes");
    }

    private static Verdict judgeUnmarked(NodeFacts facts) {
        if (facts.evictions() + facts.flushes() > 0) {
            return set(facts, facts.nowMicros(), "it has no birth mark, and has flushed or evicted keys");
        }
        if (facts.scripts()
                > 0) { // perhaps ours: then there was a mark, and somebody has deleted it, with locks perhaps
            return set(facts, facts.nowMicros(), "it has no birth mark, and has run scripts");
        }
        return set(facts, facts.startedMicros(), "it is used for the first time since its process was started");
    }

    private static Verdict set(NodeFacts facts, long since, String reason) {
        return new Verdict.SetMark(
                new BirthMark(since, facts.runId(), facts.replicationId(), facts.evictions()), reason);
    }
}
