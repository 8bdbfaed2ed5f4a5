// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Slots that follow one another.
 *
 * @param first the smallest, 0 or more
 * @param last the largest, 16383 or less
 */
record SlotRange(int first, int last) {

    /** @throws IllegalArgumentException if there are no such slots */
    SlotRange {
        if (first < 0 || last >= Slot.COUNT || first > last) {
            throw new IllegalArgumentException("there are no slots " + first + " to " + last);
        }
    }

    /**
     * Parses {@code 7} or {@code 7-9}.
     *
     * @throws IllegalArgumentException if it is neither
     */
    static SlotRange parse(String text) {
        int dash = text.indexOf('-');
        return dash < 0
                ? new SlotRange(Integer.parseInt(text), Integer.parseInt(text))
                : new SlotRange(Integer.parseInt(text.substring(0, dash)), Integer.parseInt(text.substring(dash + 1)));
    }

    /** Returns the ranges that a set consists of, in order. */
    static List<SlotRange> of(BitSet slots) {
        List<SlotRange> ranges = new ArrayList<>();
        int first = slots.nextSetBit(0);
        while (first >= 0) {
            int end = slots.nextClearBit(first);
            ranges.add(new SlotRange(first, end - 1));
            first = slots.nextSetBit(end);
        }
        return ranges;
    }

    /** Returns the slots that are in both; empty if none is. */
    Optional<SlotRange> intersection(SlotRange other) {
        int from = Math.max(first, other.first);
        int to = Math.min(last, other.last);
        return from <= to ? Optional.of(new SlotRange(from, to)) : Optional.empty();
    }

    @Override
    public String toString() {
        return first == last ? Integer.toString(first) : first + "-" + last;
    }
}
