// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.holdfast.interleavings.Interleavings;
import org.holdfast.interleavings.SlowVariant;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One place inside: waiters enter one at a time, in their order, and each that is let in later is told. */
@Tag("nightly")
class AttemptLimiterInterleavingsTest {

    private static final String LIMITER = "org/holdfast/protocol/waiting/AttemptLimiter.java";

    private static Interleavings stories() {
        return Interleavings.of(Operations.class, OnePlace.class)
                .story("enter 0; leave 0 | enter 1; leave 1")
                .story("enter 0; leave 0 | leave 1; enter 1")
                .story("enter 0; enter 0; leave 0 | enter 1; enter 1");
    }

    /** Waiters by their numbers. */
    @Param(name = "waiter", gen = IntGen.class)
    public static final class Operations {

        private final AttemptLimiter limiter = new AttemptLimiter(1);
        private final List<Integer> letIn = Collections.synchronizedList(new ArrayList<>());
        private final List<AttemptLimiter.Pass> passes = List.of(pass(0), pass(1));
        private final boolean[] refused = new boolean[2];

        private AttemptLimiter.Pass pass(int waiter) {
            return limiter.new Pass(() -> letIn.add(waiter));
        }

        @Operation
        public boolean enter(int waiter) {
            boolean inside = passes.get(waiter).enter();
            refused[waiter] = !inside;
            return inside;
        }

        @Operation
        public void leave(int waiter) {
            refused[waiter] = false;
            passes.get(waiter).leave();
        }

        /** A waiter that was refused and is inside now has been told so. */
        @Validate
        public void everyWaiterInsideKnowsIt() {
            for (int waiter = 0; waiter < 2; waiter++) {
                if (refused[waiter]
                        && !letIn.contains(waiter)
                        && passes.get(waiter).enter()) {
                    throw new IllegalStateException("waiter " + waiter + " waits outside of a place that it has");
                }
            }
        }
    }

    /** What it looks like to one thread. */
    public static final class OnePlace {

        private final ArrayDeque<Integer> line = new ArrayDeque<>();

        public boolean enter(int waiter) {
            if (!line.contains(waiter)) {
                line.add(waiter);
            }
            return line.peek() == waiter;
        }

        public void leave(int waiter) {
            line.remove(waiter);
        }
    }

    @Test
    void waiters_enterOneAtATimeInTheirOrder() {
        stories().check();
    }

    @Test
    void placeThatTwoThreadsSeeFree_isFound() throws Exception {
        assertThat(stories()
                        .checkWith(
                                LIMITER,
                                "boolean enter() {\n            synchronized (outside) {",
                                "boolean enter() {\n            synchronized (this) {"))
                .isNotNull();
    }

    @SlowVariant
    @Test
    void waiterThatIsNotToldOfItsPlace_isFound() throws Exception {
        assertThat(stories().checkWith(LIMITER, "next.whenLetIn.run();", ""))
                .contains("waits outside of a place that it has");
    }
}
