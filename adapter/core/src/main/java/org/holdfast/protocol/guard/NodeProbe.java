// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Optional;

/** The node, as one connection reaches it. Every method may throw what the connection throws. */
public interface NodeProbe {

    /** Looks at the node. */
    Sight look();

    /**
     * Returns whether a look may be noted. Where it is not known that all clients have the same mark, a quarantine may
     * begin, and nothing else is written.
     */
    default boolean mayNote() {
        return true;
    }

    /** Returns since when this client has heard of the node without a gap, besides by looks, on its own clock. */
    default long heardSince() {
        return Long.MIN_VALUE / 2;
    }

    /** Returns whether this client has asked without a gap since a moment which process the node is. */
    default boolean hasWatchedSince(long moment) {
        return true;
    }

    /** This client may lack what others have seen and not noted yet: it asks for no new lock before its next look. */
    default void letOthersGoFirst() {}

    /**
     * Sets the mark and the heartbeat, if the mark still is what was seen.
     *
     * @return the moment of this look as it stands in the mark now; empty if the mark has changed
     */
    Optional<Long> write(MarkChange change);

    /**
     * What one look shows.
     *
     * @param markText the mark as it stands there; empty for none
     * @param heartbeat whether the heartbeat is there
     */
    public record Sight(NodeFacts facts, String markText, boolean heartbeat) {}
}
