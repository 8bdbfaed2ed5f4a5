// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class SlotRecordTest {

    private static final String NODE = "a".repeat(40);

    private static BitSet slots(int first, int last) {
        BitSet slots = new BitSet();
        slots.set(first, last + 1);
        return slots;
    }

    @Test
    void next_slotsThatCome_areNewAndTheOthersStay() {
        SlotRecord first = SlotRecord.none(NODE).next(1, slots(0, 9), new BitSet(), slot -> 5);
        SlotRecord more = SlotRecord.parse(first.text(), NODE).next(1, slots(0, 11), new BitSet(), slot -> 7);
        assertThat(more.text()).isEqualTo(NODE + " 1 0-9:5 10-11:7");
        SlotRecord moving = more.next(1, slots(0, 11), slots(3, 3), slot -> 9);
        assertThat(moving.text()).isEqualTo(NODE + " 1 0-2:5 3:9 4-9:5 10-11:7");
        assertThat(moving.sinceMicros(3)).isEqualTo(9);
        assertThat(moving.sinceMicros(12)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void next_slotThatGoesAndComesBack_isNew() {
        SlotRecord gone = SlotRecord.none(NODE)
                .next(1, slots(0, 9), new BitSet(), slot -> 5)
                .next(1, slots(0, 8), new BitSet(), slot -> 6);
        assertThat(gone.sinceMicros(9)).isEqualTo(Long.MAX_VALUE);
        assertThat(gone.next(1, slots(0, 9), new BitSet(), slot -> 7).sinceMicros(9))
                .isEqualTo(7);
    }

    @Test
    void parse_recordOfAnotherNodeOrNone_saysNothing() {
        String ours = SlotRecord.none(NODE)
                .next(1, slots(0, 9), new BitSet(), slot -> 5)
                .text();
        for (String text : new String[] {
            "",
            ours.replace('a', 'b'),
            ours + " 7",
            NODE,
            NODE + " x 0-9:5",
            NODE + " 0-9:5",
            ours + " 4-2:1",
            ours + " 1:x",
            "nonsense"
        }) {
            assertThat(SlotRecord.parse(text, NODE).sinceMicros(4)).as(text).isEqualTo(Long.MAX_VALUE);
        }
    }
}
