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

    /** Nodes tell how long they have run in whole seconds. */
    private static final long GRAIN_MICROS = 2_000_000;

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

    /**
     * Which process the node was when the same client looked at it before.
     *
     * @param agoMicros how long ago that was
     */
    public record Before(String runId, long agoMicros) {}

    /**
     * Judges a node by what it tells, by the mark it has, if it has one, and by what it was before, if that is known.
     *
     * <p>What cannot be told apart from a loss is one. So whatever comes in the place of a process has heard of no lock, unless
     * it has the mark, and every write with it: a standby that a name or an address was given to as well as a replica that was
     * promoted.
     */
    public static Verdict judge(NodeFacts facts, Optional<BirthMark> mark, Optional<Before> before) {
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
        if (before.isPresent() && isAnother(before.get(), facts, mark)) {
            return set(facts, facts.nowMicros(), "another process took its place");
        }
        return mark.map(known -> judgeMarked(facts, known)).orElseGet(() -> judgeUnmarked(facts));
    }

    /**
     * Returns whether a process took the place of another. One that has a mark may have been restarted, if it did not run yet
     * when the other was seen; or whoever came first has seen to it already.
     */
    private static boolean isAnother(Before before, NodeFacts facts, Optional<BirthMark> mark) {
        if (before.runId().equals(facts.runId())) {
            return false;
        }
        long seenAt = facts.nowMicros() - before.agoMicros() - GRAIN_MICROS;
        return mark.isEmpty() || facts.startedMicros() < seenAt && mark.get().sinceMicros() < seenAt;
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
        if (facts.promoted()) {
            return set(facts, facts.nowMicros(), "it was a replica, which may not have heard of the last writes");
        }
        if (facts.persistsEveryWrite()) {
            return set(facts, mark.sinceMicros(), "it was restarted, and persists every write");
        }
        return set(facts, facts.nowMicros(), "it was restarted, and may have lost its last writes");
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
