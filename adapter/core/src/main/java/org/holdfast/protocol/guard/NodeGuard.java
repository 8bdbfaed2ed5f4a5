// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.SharedSettings;
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
 * <p>Beside the mark stands a heartbeat: a key that lasts a little longer than a quarantine, renewed by whichever process looks when
 * the last look is half a second old. If it is gone too early, the clock went ahead and came back, or keys were evicted
 * or deleted. The moment of the last look stands in the mark too: one that is older than a process remembers shows old
 * memory that was put back.
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

    /** Redis expires with a resolution of 1 ms, by a clock that it reads a little earlier. */
    private static final long GRAIN_MICROS = 20_000;

    /** A look that is so much later than the node's clock was made before that was set back: it may have been ahead. */
    private static final long FUTURE_MICROS = micros(SharedSettings.FUTURE);

    /** A process that looked so recently has seen one Redis process replaced by another, wherever the address leads. */
    private static final long IN_TOUCH_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Other processes may set the mark at the same time; if it changes more often than this it is something else. */
    private static final int MOST_ROUNDS = 5;

    private static final String REPLACED = "another Redis process than before answers at this address";

    private final int node;
    private final AcceptedSettings acceptedSettings;
    private final boolean durable;
    private final ClockWatch clockMonitor;
    private final Time time;
    private volatile @Nullable Memory memory;

    /** Settings of other processes that were seen here last; null if there were none. */
    private volatile @Nullable Others others;

    /** What the clocks of nodes look like from this process. */
    public interface ClockWatch {

        /** Returns whether the node's clock seems to have jumped. */
        boolean isDoubted(int node);

        /** Returns since when this process has watched the node's clock without a gap or jump, in its microseconds. */
        long steadyMicros(int node);

        /**
         * Receives what a look found.
         *
         * @param wholeFromMicros from when on the node may grant locks, in its microseconds
         * @param steadyMicros since when processes have watched its clock without a gap or jump, likewise
         */
        void admitted(int node, long wholeFromMicros, long steadyMicros);
    }

    /** Settings of other processes, and when they were seen. */
    private record Others(AcceptedSettings acceptedSettings, long at) {}

    /** What was seen at the last look. */
    private record Memory(String runId, long seenMicros, long at) {}

    /** What is to be done with a node. */
    sealed interface Verdict {

        /** The mark is right as it is. */
        record Trusted(BirthMark mark) implements Verdict {}

        /** The mark must be set before the node is asked for anything. */
        record SetMark(MarkChange change) implements Verdict {}

        /**
         * The node is not to be used.
         *
         * @param forgets whether it must be in quarantine too, for processes that have not looked at it lately
         */
        record Refused(String reason, boolean forgets) implements Verdict {}
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

        /** The node is not to be used. */
        record Refused(String reason) implements Admission {}

        /** Other processes changed the mark again and again. */
        record Unsettled() implements Admission {}
    }

    /**
     * @param node which node
     * @param durable whether the operator vouches that an acknowledged write survives a restart and a failover
     */
    public NodeGuard(int node, AcceptedSettings acceptedSettings, boolean durable, ClockWatch clockMonitor, Time time) {
        this.node = node;
        this.acceptedSettings = acceptedSettings;
        this.durable = durable;
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
            Memory before = memory; // as of before the look: one that ends earlier may have seen more
            long askedAt = time.nanoTime();
            NodeProbe.Sight sight = probe.look();
            Verdict verdict = judge(sight, before, askedAt);
            if (verdict instanceof Verdict.Refused refused) {
                if (refused.forgets()) {
                    probe.write(quarantine(sight, refused.reason()));
                }
                return new Admission.Refused(refused.reason());
            }
            if (verdict instanceof Verdict.Trusted trusted) {
                return admitted(sight, trusted.mark(), trusted.mark().seenMicros(), askedAt, begun);
            }
            MarkChange change = ((Verdict.SetMark) verdict).change();
            Optional<Long> seen = probe.write(change);
            if (seen.isPresent()) {
                memory = new Memory(change.process().runId(), seen.get(), askedAt);
                if (change.reason().isEmpty()) {
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
        memory = new Memory(runId, seenMicros, askedAt);
        long until = mark.sinceMicros() + micros(acceptedSettings.widest().quarantine());
        clockMonitor.admitted(node, until, steadyMicros(mark, sight.facts().nowMicros() - mark.seenMicros()));
        return new Admission.Admitted(runId, Math.max(0, until - sight.facts().nowMicros()), begun);
    }

    /**
     * Begins a quarantine, whatever the mark is.
     *
     * @return false if other processes changed the mark again and again
     */
    public boolean quarantine(NodeProbe probe, String reason) {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            if (probe.write(quarantine(probe.look(), reason)).isPresent()) {
                return true;
            }
        }
        return false;
    }

    private Verdict judge(NodeProbe.Sight sight, @Nullable Memory before, long askedAt) {
        NodeFacts facts = sight.facts();
        Optional<Verdict> refused = refuse(facts);
        if (refused.isPresent()) {
            return refused.get();
        }
        Optional<BirthMark> mark = BirthMark.parse(sight.markText());
        if (mark.isEmpty()) {
            return unmarked(sight, before, askedAt);
        }
        Optional<AcceptedSettings> resolved = resolve(mark.get(), facts);
        if (resolved.isEmpty()) {
            others = new Others(mark.get().acceptedSettings(), askedAt);
            return new Verdict.Refused(describeDifference(mark.get().acceptedSettings()), false);
        }
        Optional<String> doubt = whyForgotten(sight, mark.get(), before, askedAt);
        return doubt.<Verdict>map(reason -> new Verdict.SetMark(quarantine(sight, reason)))
                .orElseGet(() -> keep(sight, mark.get(), resolved.get()));
    }

    private static Optional<Verdict> refuse(NodeFacts facts) {
        if (!facts.primary()) {
            return refused("it is a replica: a node must be an independent primary", false);
        }
        if (facts.clustered()) {
            return refused(
                    "it is part of a Redis Cluster, which fails over to replicas that may lag: a node must be"
                            + " independent. With guard OFF one that has all slots can be used",
                    false);
        }
        if (facts.mayEvict()) {
            return refused(
                    "it may evict locks when memory is short: set maxmemory-policy noeviction, or maxmemory 0", true);
        }
        return facts.durabilityFault().flatMap(fault -> refused("it is said to be durable, but " + fault, true));
    }

    private static Optional<Verdict> refused(String reason, boolean forgets) {
        return Optional.of(new Verdict.Refused(reason, forgets));
    }

    /**
     * A process that was refused for its settings leaves the node to the processes whose settings it saw: they know for
     * how long locks may be forgotten.
     */
    private Verdict unmarked(NodeProbe.Sight sight, @Nullable Memory before, long askedAt) {
        Others seen = others;
        if (seen != null
                && askedAt - seen.at()
                        < seen.acceptedSettings().widest().quarantine().toNanos()) {
            return new Verdict.Refused(describeDifference(seen.acceptedSettings()), false);
        }
        return new Verdict.SetMark(quarantine(sight, whyUnmarked(sight, before)));
    }

    private static String whyUnmarked(NodeProbe.Sight sight, @Nullable Memory before) {
        if (before != null && !before.runId().equals(sight.facts().process().runId())) {
            return REPLACED;
        }
        return sight.markText().isEmpty()
                ? "it has no birth mark: it is used for the first time, or its memory was flushed"
                : "its birth mark is not one of this version";
    }

    private String describeDifference(AcceptedSettings theirs) {
        return "its locks are kept with other settings than those of this process: there " + theirs
                + ", here " + acceptedSettings
                + ". All processes must share them; to change them while processes run, set the"
                + " previous... settings first";
    }

    /** Returns why the node may have forgotten locks; empty if there is no sign of it. */
    private Optional<String> whyForgotten(
            NodeProbe.Sight sight, BirthMark mark, @Nullable Memory before, long askedAt) {
        NodeFacts facts = sight.facts();
        BirthMark.Process process = facts.process();
        boolean sameProcess = mark.process().runId().equals(process.runId());
        if (mark.sinceMicros() > facts.nowMicros() || mark.seenMicros() - facts.nowMicros() > FUTURE_MICROS) {
            return Optional.of("its clock was set back");
        }
        if (before != null && !mark.goesBackTo(before.seenMicros()) && isSameMemory(mark, process, before)) {
            return Optional.of("its memory is older than what was seen before: it was restored or reverted");
        }
        if (!durable && before != null && isReplaced(mark, process, before, facts.nowMicros(), askedAt)) {
            return Optional.of(REPLACED);
        }
        if (!durable && !sameProcess) {
            return Optional.of("another Redis process than before answers: it was restarted or replaced");
        }
        if (sameProcess && process.evictions() != mark.process().evictions()) {
            return Optional.of("it has evicted keys");
        }
        if (sameProcess && !process.loaded().equals(mark.process().loaded())) {
            return Optional.of("it has loaded a file in the place of its memory");
        }
        if (sameProcess && isPromotedSince(mark, process)) {
            return Optional.of("it was a replica in the meantime, which may have missed the last writes");
        }
        boolean early = facts.nowMicros() - mark.seenMicros() < earlyMicros(mark.acceptedSettings());
        if (!sight.heartbeat() && early) {
            return Optional.of(
                    "its heartbeat is gone too early: its clock went ahead and came back, or keys were evicted"
                            + " or deleted");
        }
        return Optional.empty();
    }

    /**
     * Two processes have looks of their own: only where the operator vouches that writes survive can the mark be
     * compared.
     */
    private boolean isSameMemory(BirthMark mark, BirthMark.Process process, Memory before) {
        return durable
                || mark.process().runId().equals(before.runId())
                        && process.runId().equals(before.runId());
    }

    /**
     * Returns whether a process took the place of the one that was here at the last look, and the mark does not allow
     * for it. A process that was not in touch until just now relies on the processes that were: they have set the mark.
     */
    private static boolean isReplaced(
            BirthMark mark, BirthMark.Process process, Memory before, long nowMicros, long askedAt) {
        if (before.runId().equals(process.runId())) {
            return false;
        }
        long ago = askedAt - before.at();
        return ago < IN_TOUCH_NANOS || mark.sinceMicros() < nowMicros - TimeUnit.NANOSECONDS.toMicros(ago);
    }

    private static boolean isPromotedSince(BirthMark mark, BirthMark.Process process) {
        String promotion = process.promotion();
        return !promotion.equals(BirthMark.Process.NEVER_PROMOTED)
                && !promotion.equals(mark.process().promotion());
    }

    /**
     * Memory is as whole as the mark shows: writes down that a process looked, if that is due or something else has
     * changed.
     */
    private Verdict keep(NodeProbe.Sight sight, BirthMark mark, AcceptedSettings resolved) {
        NodeFacts facts = sight.facts();
        long age = facts.nowMicros() - mark.seenMicros();
        boolean outdated = acceptedSettings.isOutdatedBy(resolved);
        boolean changed = !facts.process().equals(mark.process())
                || !resolved.equals(mark.acceptedSettings())
                || outdated && facts.nowMicros() - mark.outdatedMicros() > BEAT_MICROS;
        boolean interrupts = clockMonitor.steadyMicros(node) > mark.seenMicros();
        boolean due = age > (interrupts ? INTERRUPTING_BEAT_MICROS : BEAT_MICROS) || age < 0 || !sight.heartbeat();
        if (!changed && (!due || clockMonitor.isDoubted(node))) {
            return new Verdict.Trusted(mark);
        }
        return new Verdict.SetMark(change(sight, mark.sinceMicros(), steadyMicros(mark, age), resolved, ""));
    }

    /** The watch over the clock continues if this process had begun its own before the last look of another. */
    private long steadyMicros(BirthMark mark, long age) {
        if (age < 0) {
            return MarkChange.NOW; // the clock was set back: what was watched before cannot be compared
        }
        long ours = clockMonitor.steadyMicros(node);
        return ours <= mark.seenMicros() ? mark.steadyMicros() : ours;
    }

    /** Leaves the settings of other processes there, whatever those of this one are. */
    private MarkChange quarantine(NodeProbe.Sight sight, String reason) {
        AcceptedSettings kept = BirthMark.parse(sight.markText())
                .map(mark -> resolve(mark, sight.facts()).orElse(mark.acceptedSettings()))
                .orElse(acceptedSettings);
        return change(sight, MarkChange.NOW, MarkChange.NOW, kept, reason);
    }

    private MarkChange change(
            NodeProbe.Sight sight, long since, long steady, AcceptedSettings resolved, String reason) {
        return new MarkChange(
                sight.markText(),
                since,
                steady,
                sight.facts().process(),
                outdatedMicros(sight, resolved),
                resolved,
                resolved.heartbeat().toMillis(),
                earlyMicros(BirthMark.parse(sight.markText())
                        .map(BirthMark::acceptedSettings)
                        .orElse(resolved)),
                reason);
    }

    private Optional<AcceptedSettings> resolve(BirthMark mark, NodeFacts facts) {
        return acceptedSettings.resolve(
                mark.acceptedSettings(),
                facts.nowMicros() - mark.seenMicros(),
                facts.nowMicros() - mark.outdatedMicros());
    }

    /**
     * While a change is rolled out: when a process looked last that does not know the new settings. This one may be
     * such.
     */
    private long outdatedMicros(NodeProbe.Sight sight, AcceptedSettings resolved) {
        if (resolved.previous().isEmpty()) {
            return 0;
        }
        return acceptedSettings.isOutdatedBy(resolved)
                ? sight.facts().nowMicros()
                : BirthMark.parse(sight.markText())
                        .filter(mark -> mark.acceptedSettings().equals(resolved))
                        .map(BirthMark::outdatedMicros)
                        .orElse(sight.facts().nowMicros()); // as the change begins, there may be others
    }

    /** Returns how old the last look must be at the least for its heartbeat to have ended by itself. */
    private static long earlyMicros(AcceptedSettings marked) {
        return micros(marked.heartbeat()) - FUTURE_MICROS - GRAIN_MICROS;
    }

    private static long micros(Duration duration) {
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    }
}
