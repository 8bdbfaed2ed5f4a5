// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** The callers of one process that wait for latches of the same name: one of them asks for all. */
class WaitersTest {

    private static final Latch LATCH = new Latch("a", 0, 1);
    private static final Latch LATER = new Latch("a", 1, 1);

    private final Waiters waiters = new Waiters();
    private final List<String> woken = new ArrayList<>();

    private Waiters.Waiter enter(String name, Latch latch) {
        Time.Signal signal = new Time.Signal() {
            @Override
            public void raise() {
                woken.add(name);
            }

            @Override
            public boolean await(long nanos) {
                throw new AssertionError("no caller waits here");
            }
        };
        return waiters.enter(latch, signal, count());
    }

    private static Count count() {
        return new Count(new Command.UseLatch(LATCH, Set.of("id"), 1_000), 1, Set.of());
    }

    private static Count open() {
        Count count = count();
        count.count(new Answer(0, new Reply.Counted(Set.of("id")), 0));
        assertThat(count.isOpen()).isTrue();
        return count;
    }

    @Test
    void firstWaiter_thatLeaves_letsTheNextOneForTheSameLatchAsk() {
        Waiters.Waiter first = enter("first", LATCH);
        Waiters.Waiter other = enter("other", LATER);
        Waiters.Waiter second = enter("second", LATCH);
        Waiters.Waiter third = enter("third", LATCH);
        assertThat(first.isFirst()).isTrue();
        assertThat(other.isFirst()).as("of another generation").isTrue();
        assertThat(second.isFirst()).isFalse();
        waiters.leave(third);
        assertThat(second.isFirst()).isFalse();
        assertThat(woken).isEmpty();
        waiters.leave(first);
        assertThat(second.isFirst()).isTrue();
        assertThat(woken).containsExactly("second");
    }

    @Test
    void result_ofTheFirstWaiter_isTheResultOfAllForTheSameLatch_andWakesThemIfItIsOpen() {
        Waiters.Waiter first = enter("first", LATCH);
        Waiters.Waiter second = enter("second", LATCH);
        Waiters.Waiter other = enter("other", LATER);
        Count closed = count();
        waiters.publish(LATCH, closed);
        assertThat(second.found()).isSameAs(closed);
        assertThat(woken).isEmpty();
        Count open = open();
        waiters.publish(LATCH, open);
        assertThat(first.found()).isSameAs(open);
        assertThat(second.found()).isSameAs(open);
        assertThat(other.found()).isNotSameAs(open);
        assertThat(woken).containsExactly("first", "second");
    }
}
