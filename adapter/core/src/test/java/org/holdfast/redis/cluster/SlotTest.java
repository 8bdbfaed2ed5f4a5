// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlotTest {

    @Test
    void of_keysOfTheSpecification_isTheirSlot() {
        assertThat(Slot.of("123456789")).isEqualTo(0x31c3);
        assertThat(Slot.of("foo")).isEqualTo(12_182);
        assertThat(Slot.of("{user1000}.following")).isEqualTo(Slot.of("{user1000}.followers"));
        assertThat(Slot.of("foo{}{bar}")).as("an empty tag is none").isNotEqualTo(Slot.of("bar"));
        assertThat(Slot.of("foo{{bar}}zap")).isEqualTo(Slot.of("{bar"));
        assertThat(Slot.of("foo{bar}{zap}")).isEqualTo(Slot.of("bar"));
    }

    @Test
    void tag_ofAnySlot_isInIt() {
        assertThat(IntStream.iterate(0, slot -> slot < Slot.COUNT, slot -> slot + 331))
                .allMatch(slot -> Slot.of("x:{" + Slot.tag(slot) + "}:y") == slot);
    }
}
