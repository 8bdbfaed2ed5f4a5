// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What the cluster says of the node.
 *
 * @param node its id
 * @param slots that it has, as a majority says
 * @param doubts those whose keys may have gone
 * @param own what the node itself has said last
 * @param targets where slots may have gone from the node before it
 */
record Seen(String node, BitSet slots, SlotDoubts doubts, Seen.OwnWord own, Seen.Targets targets) {

    /** Nothing is said of it yet. */
    static final Seen NOTHING = new Seen("", new BitSet(), SlotDoubts.NONE, OwnWord.UNKNOWN, Targets.NONE);

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
     * @param others what others say; empty if they were not asked
     */
    record Word(String node, BitSet owned, Optional<NodeView> view, Optional<Others> others) {

        /** Returns slots that the node in whose place it is was moving away, as others say. */
        BitSet movedBefore() {
            return others.map(Others::movedBefore).orElseGet(BitSet::new);
        }
    }

    /**
     * What others say.
     *
     * @param movedBefore slots of the node that come to them from another one, in whose place it is: a replica up to
     *     Redis 8 does not know what its primary was moving when that failed
     * @param primaries all that are known, failed ones too
     * @param heard the nodes that have answered
     */
    record Others(BitSet movedBefore, Set<String> primaries, Set<String> heard) {}

    /**
     * The nodes to which slots may have been moved from the node before the present one. Only they know of that, so
     * each of them must be heard.
     *
     * @param open those to which the present node may move slots, as it has said last
     * @param failed those to which it cannot
     * @param before the same of the node before; empty once all were heard that it names, and all that are known but
     *     those to which it could not move slots
     */
    record Targets(Set<String> open, Set<String> failed, Optional<Before> before) {

        static final Targets NONE = new Targets(Set.of(), Set.of(), Optional.empty());

        /** The node before, and what it has said last. */
        record Before(String node, Set<String> open, Set<String> failed) {}

        /**
         * Returns what is known now. What others have answered until another node has become the shard does not count:
         * slots may have been moved since.
         *
         * @param node that the shard was until now; empty text if that is not known
         */
        Targets next(String node, Word said) {
            Optional<NodeView> view = said.view();
            return node.equals(said.node())
                    ? new Targets(
                            view.map(one -> one.targets(false)).orElse(open),
                            view.map(one -> one.targets(true)).orElse(failed),
                            before.filter(one -> !isHeard(one, said)))
                    : new Targets(
                            view.map(one -> one.targets(false)).orElse(Set.of()),
                            view.map(one -> one.targets(true)).orElse(Set.of()),
                            node.isEmpty() ? Optional.empty() : Optional.of(new Before(node, open, failed)));
        }

        private static boolean isHeard(Before before, Word said) {
            return said.others()
                    .filter(others -> isHeard(before, said.node(), others))
                    .isPresent();
        }

        private static boolean isHeard(Before before, String node, Others others) {
            Set<String> needed = new HashSet<>(before.open());
            needed.addAll(others.primaries());
            needed.removeAll(before.failed());
            needed.remove(before.node());
            needed.remove(node);
            return others.heard().containsAll(needed);
        }
    }

    Seen noted() {
        return new Seen(node, slots, doubts.noted(), own, targets);
    }
}
