// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaitQueuesTest {

    private final WaitQueues room = new WaitQueues();
    private final AtomicInteger woken = new AtomicInteger();

    private static WaitQueues.QueueKey line(String lock) {
        return new WaitQueues.QueueKey(lock, WaitQueues.Kind.BARGING);
    }

    private WaitQueues.Turn enter(String lock) {
        return room.enter(line(lock), List.of(lock), woken::incrementAndGet);
    }

    @Test
    void turns_areInOrderOfArrivalAndPerName() {
        WaitQueues.Turn first = enter("a");
        WaitQueues.Turn second = enter("a");
        WaitQueues.Turn third = enter("a");
        WaitQueues.Turn elsewhere = enter("b");
        assertThat(first.isFirst()).isTrue();
        assertThat(second.isFirst()).isFalse();
        assertThat(elsewhere.isFirst()).isTrue();

        second.leave(); // gave up
        assertThat(third.isFirst()).isFalse();
        first.leave();
        assertThat(third.isFirst()).isTrue();
    }

    @Test
    void name_thatNobodyWaitsForAnyMore_isForgotten() {
        WaitQueues.Turn turn = room.enter(line("a"), List.of("a", "b"), woken::incrementAndGet);
        assertThat(room.isWaitedFor(line("a"))).isTrue();
        turn.leave();
        turn.leave();
        assertThat(room.isWaitedFor(line("a"))).isFalse();
        assertThat(room.size()).isZero();
        room.wake("a");
        assertThat(woken).hasValue(0);
    }

    @Test
    void head_thatWaitsForSeveralNames_isWokenByEach() {
        room.enter(line("a"), List.of("a", "b", "c"), woken::incrementAndGet);
        room.wake("c");
        room.wake("a");
        room.wake("d");
        assertThat(woken).hasValue(2);
    }

    @Test
    void othersInTheLine_thatWaitForSeveralNames_areLeftInPeace() {
        room.enter(line("a"), List.of("a", "b"), woken::incrementAndGet);
        room.enter(line("a"), List.of("a", "b"), woken::incrementAndGet);
        room.wake("b");
        assertThat(woken).hasValue(1);
    }
}
