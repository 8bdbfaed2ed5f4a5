// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;

/**
 * Slots of a node of which one client has seen more than the record says: their keys may have gone since then. It asks
 * for no new lock there before it has written that down: scripts are told by clients since when a node has a slot.
 *
 * <p>Immutable.
 */
final class SlotDoubts {

    static final SlotDoubts NONE =
            new SlotDoubts(new BitSet(), new BitSet(), new BitSet(), new BitSet(), new BitSet(), 0, 0);

    /** A slot that is being moved away is uncertain until then; so often that is written down. */
    private static final long MOVING_MICROS = 500_000;

    /** They are being moved away. */
    private final BitSet moving;

    /** They were being moved away, and are still there: keys may have gone until the moment when that was seen. */
    private final BitSet stayed;

    /** The node did not have them for a moment. */
    private final BitSet left;

    /** Keys of these may have gone, and the record was neither written nor read since that was seen. */
    private final BitSet unnoted;

    /** All that were ever moving, or were away. */
    private final BitSet doubted;

    /** When one of them was so last. */
    private final long doubtedAt;

    /** When it was seen last that any may have been moving unseen. */
    private final long missedAt;

    private SlotDoubts(
            BitSet moving, BitSet stayed, BitSet left, BitSet unnoted, BitSet doubted, long doubtedAt, long missedAt) {
        this.moving = moving;
        this.stayed = stayed;
        this.left = left;
        this.unnoted = unnoted;
        this.doubted = doubted;
        this.doubtedAt = doubtedAt;
        this.missedAt = missedAt;
    }

    /**
     * Returns what is in doubt by now: this if nothing has changed.
     *
     * @param before the slots that the node had
     * @param said those that it has, and those that it or the node before it moves away
     * @param same whether it was the node then: one that has not answered yet moves none away, as far as is known
     * @param missed whether it has not answered for so long that slots may have been moving meanwhile
     */
    SlotDoubts seen(BitSet before, Seen.Word said, boolean same, boolean missed, long now) {
        BitSet owned = said.owned();
        BitSet movingAway = said.view().map(NodeView::moving).orElseGet(() -> same ? moving : new BitSet());
        BitSet movingNow = union(movingAway, said.coming());
        BitSet stay = without(union(stayed, moving), movingNow);
        stay.and(owned);
        BitSet away = without(before, owned);
        BitSet gone = union(movingNow, stay);
        gone.and(owned);
        BitSet fresh = union(gone, away);
        if (!missed && fresh.isEmpty() && movingNow.equals(moving) && stay.equals(stayed)) {
            return this;
        }
        return new SlotDoubts(
                movingNow,
                stay,
                union(left, away),
                union(unnoted, missed ? owned : gone),
                union(doubted, fresh),
                fresh.isEmpty() ? doubtedAt : now,
                missed ? now : missedAt);
    }

    /** Returns what is in doubt when this is written down. */
    SlotDoubts noted() {
        return new SlotDoubts(moving, new BitSet(), new BitSet(), new BitSet(), doubted, doubtedAt, missedAt);
    }

    /** Returns the slots whose entries in this record are out of date, or will be soon. */
    BitSet uncertain(SlotRecord record, long nowMicros) {
        BitSet uncertain = union(stayed, left);
        moving.stream()
                .filter(slot -> nowMicros - record.sinceMicros(slot) >= MOVING_MICROS)
                .forEach(uncertain::set);
        return uncertain;
    }

    /** Returns whether the node did not have a slot for a moment, which is not written down yet. */
    boolean hasLeft(int slot) {
        return left.get(slot);
    }

    /** Returns whether keys of a slot may have gone, which is not written down yet. */
    boolean isUnnoted(int slot) {
        return unnoted.get(slot);
    }

    /** Returns whether keys of a slot may have gone since a moment. */
    boolean isDoubtedSince(int slot, long moment) {
        return missedAt - moment >= 0 || doubted.get(slot) && doubtedAt - moment >= 0;
    }

    private static BitSet union(BitSet one, BitSet other) {
        BitSet both = (BitSet) one.clone();
        both.or(other);
        return both;
    }

    private static BitSet without(BitSet all, BitSet some) {
        BitSet others = (BitSet) all.clone();
        others.andNot(some);
        return others;
    }
}
