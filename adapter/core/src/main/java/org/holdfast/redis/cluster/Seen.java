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
 * @param before the node before it, which may have been moving slots away; empty if it is known which
 */
record Seen(String node, BitSet slots, SlotDoubts doubts, Seen.OwnWord own, Optional<Seen.Before> before) {

    /** Nothing is said of it yet. */
    static final Seen NOTHING = new Seen("", new BitSet(), SlotDoubts.NONE, OwnWord.UNKNOWN, Optional.empty());

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

        /** Returns whether it has slots now that it did not have then. */
        boolean hasSlotsBeyond(OwnWord then) {
            BitSet come = (BitSet) slots.clone();
            come.andNot(then.slots());
            return !come.isEmpty();
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
     * @param coming those of its slots that are being moved to other nodes, as these say; empty if they were not asked
     */
    record Word(String node, BitSet owned, Optional<NodeView> view, BitSet coming) {}

    /**
     * The node before this one, as long as it is not known what that was moving away when it was replaced.
     *
     * @param own what it has said last
     * @param replacedAt when a majority was asked that has named another one for the first time
     */
    record Before(String node, OwnWord own, long replacedAt) {}

    /** Returns the node before the one that is named now; empty if none is known, or all is known of it. */
    Optional<Before> before(Word said, long askedAt) {
        boolean replaced = !node.isEmpty() && !node.equals(said.node());
        return replaced ? Optional.of(new Before(node, own, askedAt)) : before;
    }

    /** Returns what is seen when all is known that the node before was moving away. */
    Seen whole() {
        return new Seen(node, slots, doubts, own, Optional.empty());
    }

    /** Returns what is seen when it is written down. */
    Seen noted() {
        return new Seen(node, slots, doubts.noted(), own, before);
    }
}
