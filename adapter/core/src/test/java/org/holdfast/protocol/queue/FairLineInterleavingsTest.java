// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Consumer;
import org.holdfast.interleavings.Interleavings;
import org.holdfast.interleavings.SlowVariant;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In a line whose order the nodes know, their first waiter is the head, and each waiter learns that it may ask. */
@Tag("nightly")
class FairLineInterleavingsTest {

    private static final String LINE = "org/holdfast/protocol/queue/WaitLine.java";

    private static Interleavings stories() {
        return Interleavings.of(Operations.class, Anything.class)
                .story("enter 0; enter 1", "ask 0; place 0 | ask 1; place 1")
                .story("enter 0; enter 1; pass 1; ask 1", "place 1; leave 1 | ask 0; place 0")
                .story("enter 0; enter 1; enter 2; ask 0", "failed 0; ask 0 | ask 1; place 1 | leave 2");
    }

    /** Waiters by their numbers. Each gets a place as soon as it has asked and the nodes have answered. */
    @Param(name = "waiter", gen = IntGen.class)
    public static final class Operations {

        private final WaitQueues queues = new WaitQueues();
        private final WaitQueues.Turn[] turns = new WaitQueues.Turn[3];
        private final boolean[] learnt = new boolean[3];
        private final boolean[] asked = new boolean[3];
        private final boolean[] placed = new boolean[3];

        @Operation
        public void enter(int waiter) {
            turns[waiter] = queues.enter(QueueKey.of("a", QueueKey.Kind.FAIR), () -> learnt[waiter] = true);
        }

        private void with(int waiter, Consumer<WaitQueues.Turn> call) {
            WaitQueues.Turn turn = turns[waiter];
            if (turn != null) {
                call.accept(turn);
            }
        }

        @Operation
        public void pass(int waiter) {
            with(waiter, WaitQueues.Turn::pass);
        }

        @Operation
        public void ask(int waiter) {
            with(waiter, turn -> {
                learnt[waiter] = false;
                if (turn.mayAsk()) {
                    asked[waiter] = true;
                    turn.asked();
                }
            });
        }

        @Operation
        public void place(int waiter) {
            with(waiter, turn -> {
                if (asked[waiter]) {
                    placed[waiter] = true;
                    turn.placed(10 - waiter);
                }
            });
        }

        @Operation
        public void failed(int waiter) {
            with(waiter, turn -> {
                asked[waiter] = false;
                turn.hasAskedInVain();
            });
        }

        @Operation
        public void leave(int waiter) {
            with(waiter, WaitQueues.Turn::leave);
            turns[waiter] = null;
        }

        @Validate
        public void theNodesFirstIsTheHead() {
            int first = -1;
            for (int waiter = 0; waiter < turns.length; waiter++) {
                if (turns[waiter] != null && placed[waiter]) {
                    first = waiter; // those that come later have smaller numbers
                }
                boolean waits = turns[waiter] != null && !asked[waiter] && !turns[waiter].isFirst();
                if (waits && turns[waiter].mayAsk() && !learnt[waiter]) {
                    throw new IllegalStateException("waiter " + waiter + " does not learn that it may ask");
                }
            }
            if (first >= 0 && !turns[first].isFirst()) {
                throw new IllegalStateException("waiter " + first + " is the first of the nodes, and not the head");
            }
        }
    }

    /** The operations return nothing: what counts is what they leave. */
    public static final class Anything {

        public void enter(int waiter) {}

        public void pass(int waiter) {}

        public void ask(int waiter) {}

        public void place(int waiter) {}

        public void failed(int waiter) {}

        public void leave(int waiter) {}
    }

    @Test
    void line_isInTheOrderOfTheNodes() {
        stories().check();
    }

    @Test
    void lineInTheOrderOfAnswers_isFound() throws Exception {
        assertThat(stories().checkWith(LINE, "(!before.placed || before.number > number)", "!before.placed"))
                .contains("is the first of the nodes, and not the head");
    }

    @SlowVariant
    @Test
    void waiterNotToldThatItMayAsk_isFound() throws Exception {
        assertThat(stories().checkWith(LINE, "return changed(mayAsk ? next : null);", "return changed(null);"))
                .contains("does not learn that it may ask");
    }
}
