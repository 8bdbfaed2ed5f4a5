// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether one node may vote: takes the vote of a node that may have forgotten locks, until each lock that it
 * may have forgotten has expired.
 *
 * <p>Redlock's page asks operators to keep a crashed node away for longer than the longest TTL ("delayed restart").
 * Here the node does it itself: it keeps a {@link BirthMark}, and its scripts grant nothing new before the mark's
 * moment and the longest TTL have passed. So the quarantine is the same for every client, and as atomic as a grant.
 *
 * <p>The guard believes only what processes saw, and what the operator vouches for. A node without a mark, or another
 * process than the one that the mark names, remembers everything since now: how the process before it persisted its
 * writes cannot be asked of the present one. Where the operator vouches that writes survive ({@code durable}), the
 * mark's moment stays.
 *
 * <p>Beside the mark stands a heartbeat: a key that lasts a little longer than a quarantine, renewed by whichever
 * process looks when the last look is half a second old. If it is gone too early, the clock went ahead and came back,
 * or keys were evicted or deleted. The moment of the last look stands in the mark too: one that is older than a process
 * remembers shows old memory that was put back.
 *
 * <p>One guard serves one node in one process. Safe for use by any number of threads.
 */
public final class NodeGuard {

    /**
     * So old the last look must be before another is written down: two small writes a second, however many processes
     * look.
     */
    private static final long BEAT_MICROS = 500_000;

    /**
     * And so old if that would interrupt the watch over the node's clock: processes that have watched it for longer go
     * first.
     */
    private static final long INTERRUPTING_BEAT_MICROS = 2_500_000;

    /**
     * While processes watch a node, looks are noted more often. So much the clock may have gone ahead before the first
     * look of a process without that being noted yet.
     */
    private static final long UNWATCHED_MICROS = 3_500_000;

    /** Other processes may set the mark at the same time; if it changes more often than this it is something else. */
    private static final int MOST_ROUNDS = 5;

    private static final String PROMOTED =
            "it has become the primary, and may have missed the last writes of the one before";

    private static final String OTHERS_FIRST = "it is used for the first time: other nodes are looked at before";
    private static final String UNWATCHED = "no process has watched its clock for a part of its quarantine";

    private final int node;
    private final AcceptedSettings acceptedSettings;
    private final MemoryCheck memoryCheck;
    private final MarkChanges changes;
    private final ClockWatch clockMonitor;
    private final Time time;
    private final Newcomer newcomer = new Newcomer();
    private volatile MemoryCheck.@Nullable LastLook lastLook;

    private final AcceptedSettings.OfOthers others;

    /** What the clocks of nodes look like from this process. */
    public interface ClockWatch {

        /** Returns whether the node's clock seems to have jumped. */
        boolean isDoubted(int node);

        /** Returns whether the clock of the process before seemed to have jumped, and the doubt was not settled. */
        boolean wasDoubted(int node);

        /** Returns since when this process has watched the node's clock without a gap or jump, in its microseconds. */
        long steadyMicros(int node);

        /**
         * Returns for how long after a moment this process has not watched the node's clock, or has seen it jump, in
         * its microseconds. Gaps of half a minute count as watched: the drift hides no large jump in them.
         */
        long unwatchedMicros(int node, long fromMicros);

        /**
         * Receives what a look found.
         *
         * @param term in which the node was looked at, see {@link org.holdfast.protocol.term.Terms}
         * @param wholeFromMicros from when on the node may grant locks, in its microseconds
         * @param steadyMicros since when processes have watched its clock without a gap or jump, likewise
         */
        void admitted(int node, int term, long wholeFromMicros, long steadyMicros);
    }

    /** What came of a look. */
    public sealed interface Admission {

        /**
         * The node may be asked.
         *
         * @param runId which process it is
         * @param quarantineMicros how long it grants nothing new; 0 if it votes
         * @param reason why a quarantine was begun by this look; empty if it was not
         */
        record Admitted(String runId, long quarantineMicros, String reason) implements Admission {}

        /**
         * The node is not to be used.
         *
         * @param settlingNanos for how long that is so, where time alone ends it; else 0
         */
        record Refused(String reason, long settlingNanos) implements Admission {}

        /** Other processes changed the mark again and again. */
        record Unsettled() implements Admission {}
    }

    /**
     * @param node which node
     * @param others what this process has seen of others, on all nodes of the voter
     * @param durable whether the operator vouches that an acknowledged write survives a restart and a failover
     */
    public NodeGuard(
            int node,
            AcceptedSettings acceptedSettings,
            AcceptedSettings.OfOthers others,
            boolean durable,
            ClockWatch clockMonitor,
            Time time) {
        this.node = node;
        this.acceptedSettings = acceptedSettings;
        this.others = others;
        this.memoryCheck = new MemoryCheck(durable);
        this.changes = new MarkChanges(acceptedSettings);
        this.clockMonitor = clockMonitor;
        this.time = time;
    }

    /**
     * Looks at the node, and sets its mark right if need be. One round trip where only a look is due, two where it is
     * noted.
     */
    public Admission admit(NodeProbe probe) {
        String begun = "";
        for (int round = 0; round < MOST_ROUNDS; round++) {
            MemoryCheck.LastLook last = lastLook; // as of before the look: one that ends earlier may have seen more
            long askedAt = time.nanoTime();
            NodeProbe.Sight sight = probe.look();
            MemoryCheck.LastLook before = inTerm(last, sight);
            Verdict verdict = judge(probe, sight, before, askedAt);
            if (verdict instanceof Verdict.Refused refused) {
                if (refused.forgets()) {
                    probe.write(changes.quarantine(sight, inTerm(lastLook, sight), refused.reason()));
                }
                return new Admission.Refused(refused.reason(), refused.settlingNanos());
            }
            if (verdict instanceof Verdict.Trusted trusted) {
                return admitted(sight, trusted.mark(), trusted.mark().seenMicros(), askedAt, begun);
            }
            if (verdict instanceof Verdict.OthersFirst first) {
                probe.letOthersGoFirst();
                return new Admission.Admitted(sight.facts().process().runId(), first.nanos() / 1_000, begun);
            }
            MarkChange change = ((Verdict.SetMark) verdict).change();
            boolean isNote = change.reason().isEmpty() && !change.isAnotherClocks();
            if (isNote && !probe.mayNote()) {
                BirthMark mark = BirthMark.parse(change.seenText()).orElseThrow();
                return admitted(sight, mark, mark.seenMicros(), askedAt, begun);
            }
            Optional<Long> seen = probe.write(change);
            if (seen.isPresent()) {
                lastLook = MemoryCheck.LastLook.of(sight, seen.get(), askedAt);
                if (isNote) {
                    BirthMark mark = BirthMark.parse(change.seenText()).orElseThrow();
                    return admitted(sight, mark, seen.get(), askedAt, begun);
                }
                begun = change.reason();
            }
        }
        return new Admission.Unsettled();
    }

    private Admission admitted(NodeProbe.Sight sight, BirthMark mark, long seenMicros, long askedAt, String begun) {
        String runId = sight.facts().process().runId();
        lastLook = MemoryCheck.LastLook.of(sight, seenMicros, askedAt);
        long until = mark.sinceMicros() + quarantineMicros();
        if (clockMonitor.unwatchedMicros(node, mark.sinceMicros()) > 0) {
            until = Math.min(until + UNWATCHED_MICROS, mark.firstBegunMicros() + 2 * quarantineMicros());
        }
        long steady = steadyMicros(mark, sight.facts().nowMicros() - mark.seenMicros());
        clockMonitor.admitted(node, sight.facts().term(), until, steady);
        return new Admission.Admitted(runId, Math.max(0, until - sight.facts().nowMicros()), begun);
    }

    /**
     * Begins a quarantine, whatever the mark is.
     *
     * @return false if other processes changed the mark again and again
     */
    public boolean quarantine(NodeProbe probe, String reason) {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            NodeProbe.Sight sight = probe.look();
            if (probe.write(changes.quarantine(sight, inTerm(lastLook, sight), reason))
                    .isPresent()) {
                return true;
            }
        }
        return false;
    }

    /** What was seen of the process of another term says nothing of this one, which has another clock. */
    private static MemoryCheck.@Nullable LastLook inTerm(MemoryCheck.@Nullable LastLook look, NodeProbe.Sight sight) {
        return look != null && look.term() == sight.facts().term() ? look : null;
    }

    private Verdict judge(NodeProbe probe, NodeProbe.Sight sight, MemoryCheck.@Nullable LastLook before, long askedAt) {
        NodeFacts facts = sight.facts();
        Optional<BirthMark> mark = BirthMark.parse(sight.markText());
        Verdict.Refused refused = Eligibility.refusal(facts, mark.orElse(null));
        if (refused != null) {
            return refused;
        }
        others.looked(askedAt);
        if (mark.isEmpty()) {
            return unmarked(sight, before, askedAt);
        }
        Optional<AcceptedSettings> resolved = changes.resolve(mark.get(), facts);
        if (resolved.isEmpty()) {
            others.saw(mark.get().acceptedSettings(), askedAt);
            return new Verdict.Refused(describeDifference(mark.get().acceptedSettings()), false, 0);
        }
        if (facts.appointment().isPresent() && memoryCheck.isNext(facts.process(), mark.get())) {
            return ofNext(probe, sight, mark.get(), resolved.get(), askedAt);
        }
        Optional<String> doubt = memoryCheck.whyForgotten(sight, mark.get(), before, askedAt);
        if (doubt.isPresent()) {
            return new Verdict.SetMark(changes.quarantine(sight, inTerm(lastLook, sight), doubt.get()));
        }
        long waits = newcomer.waitsNanos(facts, mark.get(), lastLook, probe.heardSince(), askedAt);
        return waits > 0 ? new Verdict.OthersFirst(mark.get(), waits) : keep(sight, mark.get(), before, resolved.get());
    }

    private Verdict ofNext(
            NodeProbe probe, NodeProbe.Sight sight, BirthMark mark, AcceptedSettings resolved, long askedAt) {
        if (!memoryCheck.isInherited(sight, mark, lastLook) || clockMonitor.wasDoubted(node)) {
            return new Verdict.SetMark(changes.quarantineOfPromoted(sight, mark, PROMOTED));
        }
        if (Newcomer.hasWatched(probe, lastLook)) {
            return probe.mayNote()
                    ? new Verdict.SetMark(changes.takeOver(sight, mark, resolved))
                    : new Verdict.Refused(Newcomer.UNLED, false, BEAT_MICROS * 1_000);
        }
        long waits = newcomer.takesOverInNanos(askedAt);
        return waits > 0
                ? new Verdict.Refused(Newcomer.REASON, false, waits)
                : new Verdict.SetMark(changes.quarantineOfPromoted(sight, mark, Newcomer.MISSED));
    }

    /**
     * A process that was refused for its settings, on any node, leaves this one to the processes whose settings it saw:
     * they know for how long locks may be forgotten. Of many nodes, as those of a cluster are, it sees others first.
     */
    private Verdict unmarked(NodeProbe.Sight sight, MemoryCheck.@Nullable LastLook before, long askedAt) {
        Optional<AcceptedSettings> theirs = others.inForce(askedAt);
        if (theirs.isPresent()) {
            return new Verdict.Refused(describeDifference(theirs.get()), false, 0);
        }
        long rest = others.restNanos(askedAt);
        return sight.facts().appointment().isPresent() && rest > 0
                ? new Verdict.Refused(OTHERS_FIRST, false, rest)
                : new Verdict.SetMark(
                        changes.quarantine(sight, inTerm(lastLook, sight), MemoryCheck.whyUnmarked(sight, before)));
    }

    private String describeDifference(AcceptedSettings theirs) {
        return "its locks are kept with other settings than those of this process: there " + theirs
                + ", here " + acceptedSettings
                + ". All processes must share them; to change them while processes run, set the"
                + " previous... settings first";
    }

    /**
     * Memory is as whole as the mark shows: writes down that a process looked, if that is due or something else has
     * changed.
     */
    private Verdict keep(
            NodeProbe.Sight sight, BirthMark mark, MemoryCheck.@Nullable LastLook before, AcceptedSettings resolved) {
        NodeFacts facts = sight.facts();
        long age = facts.nowMicros() - mark.seenMicros();
        long steady = steadyMicros(mark, age);
        long behindUntil =
                isWatchedForAQuarantine(steady, facts.nowMicros()) ? 0 : MemoryCheck.behindUntil(mark, before, facts);
        boolean outdated = acceptedSettings.isOutdatedBy(resolved);
        boolean changed = !facts.process().equals(mark.process())
                || !resolved.equals(mark.acceptedSettings())
                || behindUntil != mark.behindUntilMicros()
                || outdated && facts.nowMicros() - mark.outdatedMicros() > BEAT_MICROS;
        boolean interrupts = clockMonitor.steadyMicros(node) > mark.watchedMicros();
        boolean due = age > (interrupts ? INTERRUPTING_BEAT_MICROS : BEAT_MICROS) || age < 0 || !sight.heartbeat();
        if (!changed && (!due || clockMonitor.isDoubted(node))) {
            return new Verdict.Trusted(mark);
        }
        long moved = mark.sinceMicros() + unwatchedMicros(mark);
        boolean longer =
                moved > mark.sinceMicros() && moved + quarantineMicros() > facts.nowMicros(); // else it is over
        long since = longer ? moved : mark.sinceMicros();
        long begun = longer ? mark.firstBegunMicros() : mark.begunMicros();
        return new Verdict.SetMark(
                changes.note(sight, since, begun, behindUntil, steady, resolved, longer ? UNWATCHED : ""));
    }

    /**
     * Returns by how much a quarantine is to be longer, as no process has watched the node's clock meanwhile: it may
     * have gone ahead. By one quarantine in all at the most: where processes live for a moment each, it would never
     * end.
     */
    private long unwatchedMicros(BirthMark mark) {
        if (mark.watchedMicros() >= mark.sinceMicros() + quarantineMicros()) {
            return 0; // it was over by then
        }
        long gap = clockMonitor.unwatchedMicros(node, Math.max(mark.watchedMicros(), mark.sinceMicros()));
        long most = mark.firstBegunMicros() + quarantineMicros() - mark.sinceMicros();
        return Math.min(gap, Math.max(0, most));
    }

    /** A clock that was watched for so long was not behind for a moment: it was set. */
    private boolean isWatchedForAQuarantine(long steadyMicros, long nowMicros) {
        return steadyMicros != MarkChange.NOW && nowMicros - steadyMicros >= quarantineMicros();
    }

    /**
     * The watch over the clock continues if this process had begun its own before the last look of another. That look
     * is meant, not the moment at which it was noted: the clock may have gone ahead in between.
     */
    private long steadyMicros(BirthMark mark, long age) {
        if (age < 0) {
            return MarkChange.NOW; // the clock was set back: what was watched before cannot be compared
        }
        long ours = clockMonitor.steadyMicros(node);
        return ours <= mark.watchedMicros() ? mark.steadyMicros() : ours;
    }

    private long quarantineMicros() {
        return TimeUnit.NANOSECONDS.toMicros(
                acceptedSettings.widest().quarantine().toNanos());
    }
}
