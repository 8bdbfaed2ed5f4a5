// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.protocol.VirtualTime;
import org.junit.jupiter.api.Test;

class AskingOrderTest {

    private static final QueueKey LINE = QueueKey.of("a", QueueKey.Kind.FAIR);

    /** For so long a node may take to answer. */
    private static final long ANSWER = 200;

    private final VirtualTime time = new VirtualTime();
    private final WaitQueues room = new WaitQueues();

    private WaitQueues.Turn enter() {
        return room.enter(LINE, () -> {});
    }

    private AskingOrder order(WaitQueues.Turn turn) {
        AskingOrder order = new AskingOrder(time, ANSWER);
        order.joined(turn);
        return order;
    }

    private boolean mayAskAfter(long passed, AskingOrder order) {
        time.pass(passed);
        return order.mayAsk(0);
    }

    @Test
    void waiter_whoseTurnItIs_asksOnce() {
        AskingOrder order = order(enter());
        assertThat(order.isWaiting()).isTrue();
        assertThat(order.mayAsk(0)).isTrue();
        order.asks();
        assertThat(order.isWaiting()).isFalse();
    }

    @Test
    void waiter_behindOneThatDoesNotAsk_goesAheadAfterTwoLooks() {
        enter();
        AskingOrder order = order(enter());
        assertThat(mayAskAfter(ANSWER - 1, order)).isFalse();
        assertThat(mayAskAfter(1, order)).as("the first look").isFalse();
        assertThat(mayAskAfter(ANSWER - 1, order)).isFalse();
        assertThat(mayAskAfter(1, order)).as("the second").isTrue();
    }

    /** It was no look at those before it. */
    @Test
    void waiter_thatHasStoodStill_goesAheadOfNone() {
        enter();
        AskingOrder order = order(enter());
        assertThat(mayAskAfter(100 * ANSWER, order)).isFalse();
        assertThat(mayAskAfter(ANSWER, order)).isTrue();
    }

    @Test
    void change_beforeAWaiter_hasItLookTwiceOnceMore() {
        WaitQueues.Turn first = enter();
        enter();
        AskingOrder order = order(enter());
        assertThat(mayAskAfter(ANSWER, order)).isFalse();
        first.asked();
        assertThat(mayAskAfter(ANSWER, order)).as("one has asked").isFalse();
        assertThat(mayAskAfter(ANSWER, order)).isFalse();
        assertThat(mayAskAfter(ANSWER, order)).isTrue();
    }

    /** The next one may ask now, and is given the time for it. */
    @Test
    void waiterThatMightAsk_andLeaves_isAChange() {
        WaitQueues.Turn first = enter();
        enter();
        AskingOrder order = order(enter());
        assertThat(mayAskAfter(ANSWER, order)).isFalse();
        first.leave();
        assertThat(mayAskAfter(ANSWER, order)).isFalse();
        assertThat(mayAskAfter(ANSWER, order)).isFalse();
        assertThat(mayAskAfter(ANSWER, order)).isTrue();
    }

    @Test
    void waiters_thatLeaveAndWereNotWaitedFor_areNoChange() {
        WaitQueues.Turn asked = enter();
        asked.asked();
        enter();
        WaitQueues.Turn behind = enter();
        AskingOrder order = order(enter());
        assertThat(mayAskAfter(ANSWER, order)).isFalse();
        asked.leave();
        behind.leave();
        assertThat(mayAskAfter(ANSWER, order)).isTrue();
    }

    @Test
    void waitersBeforeOneThatGoesAhead_areWaitedForByNoneAnyMore() {
        enter();
        WaitQueues.Turn second = enter();
        AskingOrder third = order(enter());
        assertThat(second.mayAsk()).isFalse();
        third.asks();
        assertThat(second.mayAsk()).isTrue();
    }

    @Test
    void pause_lastsUntilTheNextLook() {
        AskingOrder order = order(enter());
        assertThat(order.pause(50)).as("it has not asked yet").isEqualTo(ANSWER);
        time.pass(ANSWER - 1);
        assertThat(order.pause(0)).isEqualTo(1);
        time.pass(2);
        assertThat(order.pause(0)).as("it is due").isZero();
    }

    @Test
    void pause_ofAWaiterWithoutAnAnswer_lastsUntilItsNextAttemptOrLook() {
        WaitQueues.Turn turn = enter();
        AskingOrder order = order(turn);
        order.asks();
        turn.asked();
        order.hasAskedInVain(turn);
        assertThat(order.isWaiting()).isTrue();
        assertThat(order.mayAsk(1)).isFalse();
        assertThat(order.mayAsk(0)).isTrue();
        assertThat(order.pause(ANSWER - 1)).isEqualTo(ANSWER - 1);
        assertThat(order.pause(ANSWER + 1)).isEqualTo(ANSWER);
        assertThat(order.pause(0)).isEqualTo(ANSWER);
        time.pass(ANSWER);
        assertThat(order.pause(ANSWER + 1)).as("no look is due before it").isEqualTo(ANSWER + 1);
        assertThat(order.pause(0)).isZero();
    }

    @Test
    void waiter_thatJoinsOnceMore_doesNotPause() {
        WaitQueues.Turn turn = enter();
        AskingOrder order = order(turn);
        order.hasAskedInVain(turn);
        order.joined(turn);
        assertThat(order.mayAsk(ANSWER)).isTrue();
    }
}
