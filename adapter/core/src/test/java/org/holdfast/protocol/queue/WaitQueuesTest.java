// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaitQueuesTest {

    private final WaitQueues room = new WaitQueues();
    private final AtomicInteger woken = new AtomicInteger();

    private static QueueKey line(String lock) {
        return QueueKey.of(lock, QueueKey.Kind.BARGING);
    }

    private static QueueKey line(String first, String... others) {
        return new QueueKey(first, List.of(others), QueueKey.Kind.BARGING, 0);
    }

    private static QueueKey permits(int permits) {
        return new QueueKey("a", List.of(), QueueKey.Kind.PERMIT, permits);
    }

    private WaitQueues.Turn enter(String lock) {
        return room.enter(line(lock), woken::incrementAndGet);
    }

    @Test
    void caller_thatFailsAsItJoins_isNotInLine() {
        WaitQueues.Turn first = enter("a");
        assertThatThrownBy(() -> room.enter(line("a"), new WaitQueues.Waiter() {
                    @Override
                    public void wake() {}

                    @Override
                    public void joined() {
                        throw new OutOfMemoryError("on purpose");
                    }
                }))
                .isInstanceOf(OutOfMemoryError.class);
        WaitQueues.Turn third = enter("a");
        first.leave();
        assertThat(third.isFirst()).isTrue();
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

    /** The answers of the nodes come in any order. */
    @Test
    void waiters_thatGetTheirPlaces_standByTheirNumbers() {
        QueueKey fair = QueueKey.of("a", QueueKey.Kind.FAIR);
        WaitQueues.Turn none = room.enter(fair, woken::incrementAndGet);
        WaitQueues.Turn first = room.enter(fair, woken::incrementAndGet);
        WaitQueues.Turn second = room.enter(fair, woken::incrementAndGet);
        WaitQueues.Turn third = room.enter(fair, woken::incrementAndGet);
        second.placed(8);
        assertThat(second.isFirst()).isTrue();
        third.placed(9);
        first.placed(7);
        assertThat(first.isFirst()).isTrue();
        assertThat(second.isFirst()).isFalse();
        first.leave();
        assertThat(second.isFirst()).isTrue();
        second.leave();
        assertThat(third.isFirst()).isTrue();
        third.leave();
        assertThat(none.isFirst()).isTrue();
    }

    /** Else it would wait until its own time ends: the caller that left may have been woken for a release. */
    @Test
    void waiter_thatBecomesTheHead_isWoken() {
        WaitQueues.Turn first = enter("a");
        WaitQueues.Turn second = enter("a");
        enter("a");
        second.leave();
        assertThat(woken).hasValue(0);
        first.leave();
        assertThat(woken).hasValue(1);
    }

    @Test
    void name_thatNobodyWaitsForAnyMore_isForgotten() {
        WaitQueues.Turn turn = room.enter(line("a", "b"), woken::incrementAndGet);
        assertThat(room.isWaitedFor(line("a", "b"))).isTrue();
        assertThat(room.size()).as("the line, and its two names").isEqualTo(3);
        turn.leave();
        turn.leave();
        assertThat(room.isWaitedFor(line("a", "b"))).isFalse();
        assertThat(room.size()).isZero();
        room.wake("a");
        assertThat(woken).hasValue(0);
    }

    @Test
    void head_thatWaitsForSeveralNames_isWokenByEach() {
        room.enter(line("a", "b", "c"), woken::incrementAndGet);
        room.wake("c");
        room.wake("a");
        room.wake("d");
        assertThat(woken).hasValue(2);
    }

    @Test
    void othersInTheLine_thatWaitForSeveralNames_areLeftInPeace() {
        room.enter(line("a", "b"), woken::incrementAndGet);
        room.enter(line("a", "b"), woken::incrementAndGet);
        room.wake("b");
        assertThat(woken).hasValue(1);
    }

    @Test
    void callers_thatAskForDifferentThings_doNotWaitBehindEachOther() {
        List<QueueKey> all = List.of(line("a", "b"), line("a", "c"), line("a"), permits(2), permits(3));
        for (QueueKey each : all) {
            assertThat(room.isWaitedFor(each)).isFalse();
            assertThat(room.enter(each, woken::incrementAndGet).isFirst()).isTrue();
        }
        room.wake("a");
        assertThat(woken).hasValue(all.size());
    }

    @Test
    void line_thatEmptiesAndFillsAgain_isWoken() {
        room.enter(permits(2), woken::incrementAndGet).leave();
        assertThat(room.size()).isZero();
        room.enter(permits(2), woken::incrementAndGet);
        room.wake("a");
        assertThat(woken).hasValue(1);
    }
}
