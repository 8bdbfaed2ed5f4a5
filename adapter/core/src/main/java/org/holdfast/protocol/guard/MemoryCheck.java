// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.SharedSettings;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a node shows with its birth mark, and with what this process saw there: may it have forgotten locks?
 */
final class MemoryCheck {

    static final String REPLACED = "another Redis process than before answers at this address";

    /** Redis expires with a resolution of 1 ms, by a clock that it reads a little earlier. */
    private static final long GRAIN_MICROS = 20_000;

    /** A look that is so much later than the node's clock was made before that was set back: it may have been ahead. */
    private static final long FUTURE_MICROS = TimeUnit.NANOSECONDS.toMicros(SharedSettings.FUTURE.toNanos());

    /** A process that looked so recently has seen one Redis process replaced by another, wherever the address leads. */
    private static final long IN_TOUCH_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** So late a client may learn that the node has got the slot in which others look first, and note its look. */
    private static final long LATE_MICROS = TimeUnit.SECONDS.toMicros(7);

    private final boolean durable;

    /**
     * What this process saw at its last look.
     *
     * @param seenMicros the moment of that look by the node's clock, as it stood in the mark
     * @param at when this process asked
     * @param term in which it was, see {@link org.holdfast.protocol.term.Terms}
     */
    record LastLook(String runId, long seenMicros, long at, int term) {

        static LastLook of(NodeProbe.Sight sight, long seenMicros, long askedAt) {
            NodeFacts facts = sight.facts();
            return new LastLook(facts.process().runId(), seenMicros, askedAt, facts.term());
        }
    }

    /** @param durable whether the operator vouches that an acknowledged write survives a restart and a failover */
    MemoryCheck(boolean durable) {
        this.durable = durable;
    }

    /** Returns whether a process that is not the one which the mark names may have all that this one had. */
    boolean isNext(BirthMark.Process process, BirthMark mark) {
        return process.isPromotedSince(mark.process())
                || durable && !process.runId().equals(mark.process().runId());
    }

    /**
     * Returns whether it has all of that: the operator vouches for it, and nothing speaks against it. Its clock may be
     * any other one. A heartbeat that is there by this clock too shows that no lock in force has ended here early, see
     * {@link SharedSettings#linger}. It shows that of locks whose end the clock of the former process has set. So that
     * one must have been in its place for longer than a lock lasts that was granted by the clock before.
     *
     * @param before what this process saw before, of whichever process; null if it has not looked yet
     */
    boolean isInherited(NodeProbe.Sight sight, BirthMark mark, @Nullable LastLook before) {
        boolean lacksLook = before != null
                && before.runId().equals(mark.process().runId())
                && !mark.goesBackTo(before.seenMicros());
        return durable
                && !lacksLook
                && sight.heartbeat()
                && mark.behindUntilMicros() == 0
                && mark.watchedMicros() - mark.steadyMicros() >= quarantineMicros(mark)
                && sight.facts().process().evictions() == 0;
    }

    /**
     * Returns why the node may have forgotten locks; empty if there is no sign of it.
     *
     * @param before what this process saw before; null if it has not looked yet
     */
    Optional<String> whyForgotten(NodeProbe.Sight sight, BirthMark mark, @Nullable LastLook before, long askedAt) {
        NodeFacts facts = sight.facts();
        return clockFault(facts.nowMicros(), mark)
                .or(() -> replacement(facts, mark, before, askedAt))
                .or(() -> changeOfProcess(facts.process(), mark.process()))
                .or(() -> longUnwatched(facts, mark))
                .or(() -> earlyHeartbeat(sight, mark));
    }

    /** Returns why nothing is known of its memory. */
    static String whyUnmarked(NodeProbe.Sight sight, @Nullable LastLook before) {
        if (before != null && !before.runId().equals(sight.facts().process().runId())) {
            return REPLACED;
        }
        return sight.markText().isEmpty()
                ? "it has no birth mark: it is used for the first time, or its memory was flushed"
                : "its birth mark is not one of this version";
    }

    private static Optional<String> clockFault(long nowMicros, BirthMark mark) {
        if (mark.sinceMicros() > nowMicros || isOfTheFuture(mark.seenMicros(), nowMicros)) {
            return Optional.of("its clock was set back");
        }
        if (mark.behindUntilMicros() != 0 && mark.behindUntilMicros() <= nowMicros) {
            return Optional.of("its clock may have been behind when its quarantine began");
        }
        return Optional.empty();
    }

    /** Returns whether a look shows that the clock was set back since. */
    static boolean isOfTheFuture(long seenMicros, long nowMicros) {
        return seenMicros - nowMicros > FUTURE_MICROS;
    }

    private Optional<String> replacement(NodeFacts facts, BirthMark mark, @Nullable LastLook before, long askedAt) {
        BirthMark.Process process = facts.process();
        if (before != null && !mark.goesBackTo(before.seenMicros()) && isSameMemory(mark, process, before)) {
            return Optional.of("its memory is older than what was seen before: it was restored or reverted");
        }
        if (durable) {
            return Optional.empty();
        }
        if (before != null && isReplaced(mark, process, before, facts.nowMicros(), askedAt)) {
            return Optional.of(REPLACED);
        }
        if (!mark.process().runId().equals(process.runId())) {
            return Optional.of("another Redis process than before answers: it was restarted or replaced");
        }
        return Optional.empty();
    }

    private static Optional<String> changeOfProcess(BirthMark.Process process, BirthMark.Process marked) {
        if (!marked.runId().equals(process.runId())) {
            return Optional.empty(); // where the operator vouches for it
        }
        if (process.evictions() != marked.evictions()) {
            return Optional.of("it has evicted keys");
        }
        if (!process.loaded().equals(marked.loaded())) {
            return Optional.of("it has loaded a file in the place of its memory");
        }
        if (process.isPromotedSince(marked)) {
            return Optional.of("it was a replica in the meantime, which may have missed the last writes");
        }
        return Optional.empty();
    }

    /**
     * A node of a cluster keeps its mark in one of its slots, and clients may have looked in another one meanwhile. A
     * mark that they begin there is in quarantine first: so none of what they are granted is missing here before this
     * one is so old. Clients learn a little late where others look.
     */
    private static Optional<String> longUnwatched(NodeFacts facts, BirthMark mark) {
        long quarantine = quarantineMicros(mark);
        boolean isLong = facts.nowMicros() - mark.seenMicros() >= quarantine - Math.min(LATE_MICROS, quarantine / 8);
        return facts.clustered() && isLong
                ? Optional.of("no client has looked at it for nearly the longest TTL, or these have looked elsewhere")
                : Optional.empty();
    }

    private static Optional<String> earlyHeartbeat(NodeProbe.Sight sight, BirthMark mark) {
        boolean early = sight.facts().nowMicros() - mark.seenMicros() < earlyMicros(mark.acceptedSettings());
        return !sight.heartbeat() && early
                ? Optional.of("its heartbeat is gone too early: its clock went ahead and came back, or keys were"
                        + " evicted or deleted")
                : Optional.empty();
    }

    /**
     * Two processes have looks of their own: only where the operator vouches that writes survive can the mark be
     * compared.
     */
    private boolean isSameMemory(BirthMark mark, BirthMark.Process process, LastLook before) {
        return durable
                || mark.process().runId().equals(before.runId())
                        && process.runId().equals(before.runId());
    }

    /**
     * Returns whether a process took the place of the one that was here at the last look, and the mark does not allow
     * for it. A process that was not in touch until just now relies on the processes that were: they have set the mark.
     */
    private static boolean isReplaced(
            BirthMark mark, BirthMark.Process process, LastLook before, long nowMicros, long askedAt) {
        if (before.runId().equals(process.runId())) {
            return false;
        }
        long ago = askedAt - before.at();
        return ago < IN_TOUCH_NANOS || mark.sinceMicros() < nowMicros - TimeUnit.NANOSECONDS.toMicros(ago);
    }

    private static long quarantineMicros(BirthMark mark) {
        return TimeUnit.NANOSECONDS.toMicros(
                mark.acceptedSettings().widest().quarantine().toNanos());
    }

    /** Returns how old the last look must be at the least for its heartbeat to have ended by itself. */
    static long earlyMicros(AcceptedSettings marked) {
        return TimeUnit.NANOSECONDS.toMicros(marked.heartbeat().toNanos()) - FUTURE_MICROS - GRAIN_MICROS;
    }

    /** Where another process has set the mark, it may not have known what this one knows of the clock. */
    static long behindUntil(BirthMark mark, @Nullable LastLook before, NodeFacts facts) {
        long known = mark.behindUntilMicros();
        return before != null && isOfTheFuture(before.seenMicros(), facts.nowMicros())
                ? Math.max(known, before.seenMicros())
                : known;
    }
}
