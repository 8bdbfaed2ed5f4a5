// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Draws up what is to be written to the birth mark of a node, and with which settings of those that processes share.
 */
final class MarkChanges {

    private final AcceptedSettings acceptedSettings;

    /** @param acceptedSettings the settings of this process */
    MarkChanges(AcceptedSettings acceptedSettings) {
        this.acceptedSettings = acceptedSettings;
    }

    /**
     * Begins a quarantine. Leaves the settings of other processes there, whatever those of this one are.
     *
     * @param before what this process saw before; null if it has not looked yet
     */
    MarkChange quarantine(NodeProbe.Sight sight, MemoryCheck.@Nullable LastLook before, String reason) {
        Optional<BirthMark> mark = BirthMark.parse(sight.markText());
        AcceptedSettings kept = mark.map(it -> resolve(it, sight.facts()).orElse(it.acceptedSettings()))
                .orElse(acceptedSettings);
        long behindUntil =
                Math.max(mark.map(BirthMark::behindUntilMicros).orElse(0L), before == null ? 0 : before.seenMicros());
        return note(sight, MarkChange.NOW, 0, behindUntil, MarkChange.NOW, kept, reason);
    }

    /** Begins a quarantine of a process that has become the voter. What another has written is by another clock. */
    MarkChange quarantineOfPromoted(NodeProbe.Sight sight, BirthMark mark, String reason) {
        MarkChange change = quarantine(sight, null, reason);
        return mark.process().runId().equals(change.process().runId()) ? change : change.ofAnotherClock();
    }

    /**
     * Gives the mark to a process that has the memory of another, by a clock of its own. That memory was whole for some
     * time until the last look; so long it was before now, at the least. What the clock of the other one showed is
     * forgotten: so no lock is believed to have ended before clients have watched the present one.
     */
    MarkChange takeOver(NodeProbe.Sight sight, BirthMark mark, AcceptedSettings resolved) {
        long now = sight.facts().nowMicros();
        long whole = Math.max(0, mark.seenMicros() - mark.sinceMicros());
        return note(sight, Math.max(1, now - whole), 0, 0, MarkChange.NOW, resolved, "")
                .byAnotherClock();
    }

    /**
     * Notes a look.
     *
     * @param since since when the node's memory is whole
     * @param begun when the quarantine began that was made longer; 0 if it was not
     * @param behindUntil the latest moment that the clock has shown before it was behind; 0 if it was not
     * @param steady since when processes have watched the clock
     * @param reason why a quarantine begins or is longer; empty if neither
     */
    MarkChange note(
            NodeProbe.Sight sight,
            long since,
            long begun,
            long behindUntil,
            long steady,
            AcceptedSettings resolved,
            String reason) {
        return new MarkChange(
                sight.markText(),
                since,
                behindUntil,
                steady,
                sight.facts().process(),
                outdatedMicros(sight, resolved),
                begun,
                resolved,
                resolved.heartbeat().toMillis(),
                MemoryCheck.earlyMicros(BirthMark.parse(sight.markText())
                        .map(BirthMark::acceptedSettings)
                        .orElse(resolved)),
                sight.facts().nowMicros(),
                reason);
    }

    /** Returns the settings that hold for this process and those that set the mark; empty if they contradict. */
    Optional<AcceptedSettings> resolve(BirthMark mark, NodeFacts facts) {
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
}
