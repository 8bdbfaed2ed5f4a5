// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.interleavings.Interleavings;
import org.holdfast.interleavings.SlowVariant;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.LeaseBridge;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One line has one head. The next waiter learns that it is the head, and what is handed off reaches exactly one waiter,
 * also one that leaves meanwhile.
 */
@Tag("nightly")
class WaitQueuesInterleavingsTest {

    private static final String QUEUES = "org/holdfast/protocol/queue/WaitQueues.java";
    private static final String LINE = "org/holdfast/protocol/queue/WaitLine.java";

    private static Interleavings stories() {
        return Interleavings.of(Operations.class, OneLine.class)
                .story("enter 0; leave 0 | enter 1; leave 1")
                .story("enter 0; leave 0 | enter 1; isFirst 1")
                .story("enter 0; leave 0 | handOff; handOff");
    }

    /** Waiters by their numbers. */
    @Param(name = "waiter", gen = IntGen.class)
    public static final class Operations {

        private final WaitQueues queues = new WaitQueues();
        private final HeldLock lock = LeaseBridge.heldLock();
        private final WaitQueues.Turn[] turns = new WaitQueues.Turn[2];
        private final boolean[] learnt = new boolean[2];
        private final AtomicInteger handed = new AtomicInteger();
        private final AtomicInteger received = new AtomicInteger();

        @Operation
        public boolean enter(int waiter) {
            turns[waiter] = queues.enter(QueueKey.of(lock.lock(), QueueKey.Kind.BARGING), new WaitQueues.Waiter() {
                @Override
                public void wake() {
                    learnt[waiter] = true;
                }

                @Override
                public HeldLock handOff(HeldLock old) {
                    return old;
                }
            });
            return turns[waiter].isFirst();
        }

        @Operation
        public boolean isFirst(int waiter) {
            return turns[waiter].isFirst();
        }

        @Operation
        public boolean leave(int waiter) {
            turns[waiter].leave();
            boolean got = turns[waiter].handed() != null;
            turns[waiter] = null;
            received.addAndGet(got ? 1 : 0);
            return got;
        }

        @Operation
        public boolean handOff() {
            boolean accepted = queues.handOff(lock);
            handed.addAndGet(accepted ? 1 : 0);
            return accepted;
        }

        @Validate
        public void nothingIsLost() {
            for (int waiter = 0; waiter < 2; waiter++) {
                if (turns[waiter] != null && !learnt[waiter] && !turns[waiter].isFirst()) {
                    throw new IllegalStateException("waiter " + waiter + " is alone, and not the head");
                }
            }
            if (handed.get() != received.get()) {
                throw new IllegalStateException("handed off " + handed + " times, received " + received + " times");
            }
            int standing = (turns[0] == null ? 0 : 1) + (turns[1] == null ? 0 : 1);
            if (queues.waiters() != standing || queues.size() != standing) {
                throw new IllegalStateException(standing + " stand in line, and not " + queues.waiters());
            }
        }
    }

    /** What it looks like to one thread. */
    public static final class OneLine {

        private final ArrayDeque<Integer> line = new ArrayDeque<>();
        private boolean handed;

        public boolean enter(int waiter) {
            line.add(waiter);
            return line.peek() == waiter;
        }

        public boolean isFirst(int waiter) {
            return line.peek() == waiter;
        }

        public boolean leave(int waiter) {
            line.remove(waiter);
            boolean got = handed;
            handed = false;
            return got;
        }

        public boolean handOff() {
            boolean accepted = !line.isEmpty() && !handed;
            handed |= accepted;
            return accepted;
        }
    }

    @Test
    void line_hasOneHeadAndLosesNothing() {
        stories().check();
    }

    @SlowVariant
    @Test
    void waiterThatIsNotPromoted_isFound() throws Exception {
        assertThat(stories().checkWith(LINE, "first.isFirst = true;", "first.isFirst = first.handed != null;"))
                .isNotNull();
    }

    @Test
    void lockThatIsHandedOffBesideTheLine_isFound() throws Exception {
        assertThat(
                        stories()
                                .checkWith(
                                        QUEUES,
                                        "taken[0] = head != null && head.accept(released) ? head : null;\n            return queue;\n        });",
                                        "taken[0] = head;\n            return queue;\n        });\n"
                                                + "        if (taken[0] != null && !taken[0].accept(released)) taken[0] = null;"))
                .isNotNull();
    }
}
