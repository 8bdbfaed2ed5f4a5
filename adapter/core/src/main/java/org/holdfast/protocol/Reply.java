// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

/** What came of a command at one node. */
public sealed interface Reply {

    /** The owner has the lock now, for a full TTL. */
    record Granted() implements Reply {}

    /** Somebody else has the lock, for so long if not renewed. Also the answer to a release of what is another's. */
    record Held(long remainingMillis) implements Reply {}

    /** A token as large or larger was granted already. */
    record TokenTooSmall(long last) implements Reply {}

    /** The node has lost its birth mark, and with it perhaps locks. Nothing has changed there. */
    record Forgotten() implements Reply {}

    /** The node may have forgotten locks, and grants nothing new for so long. Nothing has changed there. */
    record Quarantined(long remainingMillis) implements Reply {}

    /** The owner had the lock, and has it no more. */
    record Released() implements Reply {}

    /** There was nothing to release. */
    record Gone() implements Reply {}

    /** The node answered with an error; nothing has changed there. */
    record Refused(String reason) implements Reply {}

    /** The command was never sent: nothing has changed at the node. */
    record NotSent(String reason) implements Reply {}

    /** The command was sent and no answer came: it may take effect still. */
    record NoAnswer(String reason) implements Reply {}
}
