// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.List;

/**
 * A change of the mark.
 *
 * @param seenText what the mark is now; empty for none
 * @param sinceMicros since when memory is whole; {@link #NOW} for the moment at which the node does it
 * @param behindUntilMicros see {@link BirthMark}. If a quarantine begins, the node adds the looks that are in
 *     its future, also the look of {@code lookedMicros}
 * @param steadyMicros since when the clock is watched without a gap; {@link #NOW} likewise
 * @param process which process the node is
 * @param outdatedMicros when a process looked last that knows only the settings that are being changed; 0 if none did
 * @param begunMicros see {@link BirthMark}
 * @param acceptedSettings the settings to keep there
 * @param heartbeatMillis how long the heartbeat lasts
 * @param earlyMicros a heartbeat that is gone before the last look is so old is gone too early: then nothing is
 *     changed, unless a quarantine begins
 * @param lookedMicros what the node's clock showed at the look: until then the clock is watched. If it has moved by
 *     more than a request takes, nothing is changed, unless a quarantine begins
 * @param reason why a quarantine begins, or why the mark is given to another process; empty if nothing but a look is
 *     noted
 * @param isAnotherClocks whether the moments in the mark are those of another clock, and are to be forgotten
 */
public record MarkChange(
        String seenText,
        long sinceMicros,
        long behindUntilMicros,
        long steadyMicros,
        BirthMark.Process process,
        long outdatedMicros,
        long begunMicros,
        AcceptedSettings acceptedSettings,
        long heartbeatMillis,
        long earlyMicros,
        long lookedMicros,
        String reason,
        boolean isAnotherClocks) {

    /** The moment at which the node runs the script. */
    public static final long NOW = 0;

    /** A change by which the moments in the mark count on, if a quarantine does not begin. */
    public MarkChange(
            String seenText,
            long sinceMicros,
            long behindUntilMicros,
            long steadyMicros,
            BirthMark.Process process,
            long outdatedMicros,
            long begunMicros,
            AcceptedSettings acceptedSettings,
            long heartbeatMillis,
            long earlyMicros,
            long lookedMicros,
            String reason) {
        this(
                seenText,
                sinceMicros,
                behindUntilMicros,
                steadyMicros,
                process,
                outdatedMicros,
                begunMicros,
                acceptedSettings,
                heartbeatMillis,
                earlyMicros,
                lookedMicros,
                reason,
                false);
    }

    /** Returns the same quarantine for a process that has its mark from another, whose clock is not its own. */
    MarkChange ofAnotherClock() {
        return byAnotherClock(NOW, 0, NOW, 0);
    }

    /** Returns the same for a mark whose moments are those of another clock. */
    MarkChange byAnotherClock() {
        return byAnotherClock(sinceMicros, behindUntilMicros, steadyMicros, begunMicros);
    }

    private MarkChange byAnotherClock(long since, long behindUntil, long steady, long begun) {
        return new MarkChange(
                seenText,
                since,
                behindUntil,
                steady,
                process,
                outdatedMicros,
                begun,
                acceptedSettings,
                heartbeatMillis,
                earlyMicros,
                lookedMicros,
                reason,
                true);
    }

    /** Returns what follows the moments in the mark. */
    public String rest() {
        return new BirthMark(0, 0, List.of(0L), 0, process, outdatedMicros, begunMicros, lookedMicros, acceptedSettings)
                .rest();
    }
}
