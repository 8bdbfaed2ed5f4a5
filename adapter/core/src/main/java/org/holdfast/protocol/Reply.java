// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.List;

/** What came of a command at one node. */
public sealed interface Reply {

    /** The owner has the lock now, for a full TTL. */
    record Granted() implements Reply {}

    /** Somebody else has the lock, for so long if not renewed. Also the answer to a release of what is another's. */
    record Held(long remainingMillis) implements Reply {}

    /** A token as large or larger was granted already. */
    record TokenTooSmall(long last) implements Reply {}

    /** The token is so far from the node's clock: ahead of it, or behind if negative. Nothing has changed there. */
    record TokenSkewed(long aheadMillis) implements Reply {}

    /** The node has lost its birth mark, and with it perhaps locks. Nothing has changed there. */
    record Forgotten() implements Reply {}

    /** The node may have forgotten locks, and grants nothing new for so long. Nothing has changed there. */
    record Quarantined(long remainingMillis) implements Reply {}

    /**
     * It is not the caller's turn; its ticket has its place, and one before it expires so late if it gives no sign of life.
     */
    record Queued(long remainingMillis) implements Reply {}

    /** The ticket has no place: one with a number as large or larger came first. */
    record TicketTooSmall(long largest) implements Reply {}

    /**
     * The owner had the lock, and has it no more.
     *
     * @param listeners how many connections were told, if it has become free by that
     */
    record Released(long listeners) implements Reply {}

    /** Done. */
    record Noted() implements Reply {}

    /** This permit is free. */
    record Free(int permit) implements Reply {}

    /**
     * These have the locks that were asked about, or had them until this command.
     *
     * @param lastToken the largest token on record for any of them
     */
    record Seen(long lastToken, List<Sighting> sightings) implements Reply {

        public Seen {
            sightings = List.copyOf(sightings);
        }
    }

    /** There was nothing to release. */
    record Gone() implements Reply {}

    /** The node answered with an error; nothing has changed there. */
    record Refused(String reason) implements Reply {}

    /** The command was never sent: nothing has changed at the node. */
    record NotSent(String reason) implements Reply {}

    /** The command was sent and no answer came: it may take effect still. */
    record NoAnswer(String reason) implements Reply {}
}
