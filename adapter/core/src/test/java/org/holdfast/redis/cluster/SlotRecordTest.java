// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class SlotRecordTest {

    private static final String NODE = "a".repeat(40);
    private static final ReplicationIds IDS = new ReplicationIds("d1", "");

    private static BitSet slots(int first, int last) {
        BitSet slots = new BitSet();
        slots.set(first, last + 1);
        return slots;
    }

    @Test
    void next_slotsThatCome_areNewAndTheOthersStay() {
        SlotRecord first = SlotRecord.none(NODE, IDS).next(1, slots(0, 9), new BitSet(), slot -> 5);
        SlotRecord more = SlotRecord.parse(first.text(), NODE, IDS, 0).next(1, slots(0, 11), new BitSet(), slot -> 7);
        assertThat(more.text()).isEqualTo(NODE + "@d1 1 0-9:5 10-11:7");
        SlotRecord moving = more.next(1, slots(0, 11), slots(3, 3), slot -> 9);
        assertThat(moving.text()).isEqualTo(NODE + "@d1 1 0-2:5 3:9 4-9:5 10-11:7");
        assertThat(moving.sinceMicros(3)).isEqualTo(9);
        assertThat(moving.next(1, slots(0, 11), slots(3, 3), slot -> 8).sinceMicros(3))
                .as("never earlier than known")
                .isEqualTo(9);
        assertThat(moving.sinceMicros(12)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void next_slotThatGoesAndComesBack_isNew() {
        SlotRecord gone = SlotRecord.none(NODE, IDS)
                .next(1, slots(0, 9), new BitSet(), slot -> 5)
                .next(1, slots(0, 8), new BitSet(), slot -> 6);
        assertThat(gone.sinceMicros(9)).isEqualTo(Long.MAX_VALUE);
        assertThat(gone.next(1, slots(0, 9), new BitSet(), slot -> 7).sinceMicros(9))
                .isEqualTo(7);
    }

    @Test
    void parse_recordOfAnotherNodeOrNone_saysNothing() {
        String ours = SlotRecord.none(NODE, IDS)
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
            assertThat(SlotRecord.parse(text, NODE, IDS, 0).sinceMicros(4))
                    .as(text)
                    .isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void parse_recordOfTheNodeBefore_countsWhereItsDataIsContinuedAndDurable() {
        SlotRecord before = SlotRecord.none(NODE, IDS)
                .next(1, slots(0, 9), new BitSet(), slot -> 5)
                .next(1, slots(0, 11), new BitSet(), slot -> 70);
        String next = "b".repeat(40);
        ReplicationIds promoted = new ReplicationIds("d2", "d1");
        SlotRecord inherited = SlotRecord.parse(before.text(), next, promoted, 50);
        assertThat(inherited.isInherited()).isTrue();
        assertThat(inherited.sinceMicros(9)).isEqualTo(5);
        assertThat(inherited.sinceMicros(10)).as("too new by the other clock").isEqualTo(Long.MAX_VALUE);
        assertThat(inherited.next(2, slots(0, 11), new BitSet(), slot -> 90).text())
                .isEqualTo(next + "@d2 2 0-9:5 10-11:90");

        assertThat(SlotRecord.parse(before.text(), next, promoted, 0).isNone())
                .as("not durable")
                .isTrue();
        for (ReplicationIds other : new ReplicationIds[] {
            new ReplicationIds("d1", "d0"), new ReplicationIds("d2", ""), ReplicationIds.UNKNOWN
        }) {
            assertThat(SlotRecord.parse(before.text(), next, other, 50).isNone())
                    .as("the key came with a slot: " + other)
                    .isTrue();
        }
        String unknown = SlotRecord.none(NODE, ReplicationIds.UNKNOWN)
                .next(1, slots(0, 9), new BitSet(), slot -> 5)
                .text();
        assertThat(SlotRecord.parse(unknown, next, ReplicationIds.UNKNOWN, 50).isNone())
                .isTrue();
    }
}
