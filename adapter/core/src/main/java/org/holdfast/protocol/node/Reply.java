// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.util.List;
import java.util.Set;

/** The result of a command at one node. */
public sealed interface Reply {

    /**
     * The owner has the lock now, for a full TTL.
     *
     * @param behind the numbers of the first tickets behind that of the owner, in their order; empty where it has none
     */
    record Granted(List<Long> behind) implements Reply {

        public Granted {
            behind = List.copyOf(behind);
        }

        /** To an owner without a ticket. */
        public Granted() {
            this(List.of());
        }
    }

    /**
     * Another owner has the lock, for so long if it is not renewed. Also the answer to a release of another owner's
     * lock.
     */
    record Held(long remainingMillis) implements Reply {}

    /**
     * The lease of another owner has ended, if the node's clock is right. Nothing has changed there: the command is
     * sent again if that clock is believed.
     *
     * @param atMillis when it has ended, by the node's clock
     */
    record Ended(long atMillis) implements Reply {}

    /** A token as large or larger was granted already. */
    record TokenTooSmall(long last) implements Reply {}

    /** The token is so far from the node's clock: ahead of it, or behind if negative. Nothing has changed there. */
    record TokenSkewed(long aheadMillis) implements Reply {}

    /** The node has no birth mark of its own: it may have forgotten locks. Nothing has changed there. */
    record Forgotten() implements Reply {}

    /** The node may have forgotten locks, and grants nothing new for so long. Nothing has changed there. */
    record Quarantined(long remainingMillis) implements Reply {}

    /**
     * It is not the caller's turn; its ticket has its place, and a ticket before it expires after so long if it is not
     * refreshed.
     */
    record Queued(long remainingMillis) implements Reply {}

    /** The ticket has no place: one with a number as large or larger came first. */
    record TicketTooSmall(long largest) implements Reply {}

    /**
     * The owner had the lock, and has it no more.
     *
     * @param listeners how many connections were notified, if the lock has become free by that
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
    record Seen(long lastToken, List<HolderEntry> holderEntries) implements Reply {

        public Seen {
            holderEntries = List.copyOf(holderEntries);
        }
    }

    /** These calls have counted the latch down, as far as the node knows; as many as open it, or fewer. */
    record Counted(Set<String> ids) implements Reply {

        public Counted {
            ids = Set.copyOf(ids);
        }
    }

    /** The latch was reset: it has this generation, which is higher. Nothing has changed there. */
    record LatchReset(long generation) implements Reply {}

    /** This generation of the latch has another count. Nothing has changed there. */
    record LatchDiffers(long count) implements Reply {}

    /** There was nothing to release. */
    record Gone() implements Reply {}

    /**
     * The node answered with an error; nothing has changed there.
     *
     * @param byKeys whether a key of the lock is of a type that none of ours has: another client has written it
     */
    record Refused(String reason, boolean byKeys) implements Reply {

        /** For a reason that has nothing to do with what is asked about. */
        public Refused(String reason) {
            this(reason, false);
        }
    }

    /** The command was never sent: nothing has changed at the node. */
    record NotSent(String reason) implements Reply {}

    /** The command was sent and no answer came: it may take effect still. */
    record NoAnswer(String reason) implements Reply {}
}
