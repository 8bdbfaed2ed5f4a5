// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;
import java.util.Optional;

/**
 * What the cluster says of the node.
 *
 * @param node its id
 * @param slots that it has, as a majority says
 * @param doubts those whose keys may have gone
 * @param own what the node itself has said last
 */
record Seen(String node, BitSet slots, SlotDoubts doubts, Seen.OwnWord own) {

    /**
     * What a node says of itself, which it does not learn later than others.
     *
     * @param epoch of its slots
     * @param since when it has said that for the first time
     * @param slots that it has
     * @param at when it was asked last what it has answered
     */
    record OwnWord(long epoch, long since, BitSet slots, long at) {

        /** It has not answered yet. */
        static final OwnWord UNKNOWN = new OwnWord(-1, 0, new BitSet(), 0);

        /** Returns what it has said by now. */
        OwnWord next(NodeView.Primary said, long askedAt, long now) {
            return new OwnWord(said.epoch(), epoch == said.epoch() ? since : now, said.slots(), askedAt);
        }

        /** Returns whether it was asked so lately before a moment. */
        boolean isOf(long moment, long nanos) {
            return !equals(UNKNOWN) && moment - at <= nanos;
        }
    }

    /**
     * What is said of a node now.
     *
     * @param owned the slots that it has, as a majority says
     * @param view what it says itself; empty if it has not answered now
     * @param movedBefore slots that the node in whose place it is was moving away, as others say
     */
    record Word(String node, BitSet owned, Optional<NodeView> view, BitSet movedBefore) {}

    Seen noted() {
        return new Seen(node, slots, doubts.noted(), own);
    }
}
