// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitingRoomTest {

    private final WaitingRoom room = new WaitingRoom(new VirtualTime());

    @Test
    void turns_areInOrderOfArrivalAndPerName() {
        WaitingRoom.Turn first = room.enter("a");
        WaitingRoom.Turn second = room.enter("a");
        WaitingRoom.Turn third = room.enter("a");
        WaitingRoom.Turn elsewhere = room.enter("b");
        assertThat(first.isFirst()).isTrue();
        assertThat(second.isFirst()).isFalse();
        assertThat(elsewhere.isFirst()).isTrue();

        second.close(); // gave up
        assertThat(third.isFirst()).isFalse();
        first.close();
        assertThat(third.isFirst()).isTrue();
    }

    @Test
    void name_thatNobodyWaitsForAnyMore_isForgotten() {
        WaitingRoom.Turn turn = room.enter("a");
        assertThat(room.isWaitedFor("a")).isTrue();
        turn.close();
        turn.close();
        assertThat(room.isWaitedFor("a")).isFalse();
        room.wake("a");
    }
}
