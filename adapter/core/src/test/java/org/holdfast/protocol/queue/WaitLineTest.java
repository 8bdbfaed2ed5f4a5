// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A line whose order the nodes know. */
class WaitLineTest {

    private final WaitQueues room = new WaitQueues();
    private final List<String> woken = new ArrayList<>();

    private WaitQueues.Turn enter(String waiter) {
        return room.enter(QueueKey.of("a", QueueKey.Kind.FAIR), () -> woken.add(waiter));
    }

    private List<String> wokenBy(Runnable change) {
        woken.clear();
        change.run();
        return List.copyOf(woken);
    }

    @Test
    void waiter_behindOneThatAsks_isWokenOnce() {
        WaitQueues.Turn first = enter("first");
        enter("second");
        enter("third");
        assertThat(wokenBy(first::asked)).containsExactly("second");
        assertThat(wokenBy(first::asked)).as("it knows").isEmpty();
    }

    @Test
    void waiter_thatHasAskedBeforeThoseBeforeIt_isNotWoken() {
        WaitQueues.Turn first = enter("first");
        WaitQueues.Turn second = enter("second");
        second.asked();
        assertThat(wokenBy(first::asked)).isEmpty();
    }

    @Test
    void waiterWithoutAnAnswer_asksAgainWhenTheOneBeforeItHasItsPlace() {
        WaitQueues.Turn first = enter("first");
        WaitQueues.Turn second = enter("second");
        first.asked();
        second.asked();
        second.hasAskedInVain();
        assertThat(second.mayAsk()).isFalse();
        assertThat(wokenBy(first::asked)).as("asked once more").isEmpty();
        assertThat(wokenBy(() -> first.placed(1))).containsExactly("second");
        assertThat(second.mayAsk()).isTrue();
    }

    @Test
    void waiterWithAPlace_isNotWokenToAskAgain() {
        WaitQueues.Turn first = enter("first");
        WaitQueues.Turn second = enter("second");
        first.asked();
        second.hasAskedInVain();
        second.asked();
        second.placed(2);
        assertThat(second.isFirst()).isTrue();
        assertThat(wokenBy(() -> first.placed(1))).isEmpty();
        assertThat(first.isFirst()).isTrue();
    }

    @Test
    void waiterThatStandsBehindOnesThatHaveNoPlace_passesThem() {
        enter("first");
        enter("second");
        WaitQueues.Turn third = enter("third");
        third.placed(5);
        assertThat(third.isFirst()).isTrue();
    }

    @Test
    void waiterThatStandsInFrontOfOnesWithSmallerNumbers_isPassedByThem() {
        WaitQueues.Turn first = enter("first");
        WaitQueues.Turn second = enter("second");
        WaitQueues.Turn third = enter("third");
        first.placed(9);
        assertThat(wokenBy(() -> second.placed(4))).as("it knows itself").isEmpty();
        assertThat(second.isFirst()).isTrue();
        third.placed(7);
        assertThat(second.isFirst()).isTrue();
        assertThat(wokenBy(second::leave)).containsExactly("third");
        assertThat(wokenBy(third::leave)).containsExactly("first");
    }

    @Test
    void waiterBehindOneThatLeaves_isWokenIfItMayAskNow() {
        WaitQueues.Turn first = enter("first");
        WaitQueues.Turn second = enter("second");
        WaitQueues.Turn third = enter("third");
        first.asked();
        assertThat(wokenBy(second::leave)).containsExactly("third");
        third.asked();
        enter("fourth");
        assertThat(wokenBy(first::leave)).as("the head").containsExactly("third");
    }
}
