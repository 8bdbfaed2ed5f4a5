// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.holdfast.interleavings.Interleavings;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** A lock that threads move, hasten and take out at once is in the order once, or not at all. */
class DueOrderInterleavingsTest {

    private static final int NEVER = 99;

    private static Interleavings stories() {
        return Interleavings.of(Operations.class, Planned.class)
                .story("put 0 5", "hasten 0 3 | poll 9; put 0 7; poll 9")
                .story("put 0 5; put 1 6", "remove 0 | poll 9; poll 9; contains 0")
                .story("put 0 5; put 1 6", "put 0 7; poll 6 | put 1 4; poll 5");
    }

    /** Two locks, for which something is due at single moments. */
    @Param(name = "lock", gen = IntGen.class)
    @Param(name = "at", gen = IntGen.class)
    public static final class Operations {

        private final DueOrder order = new DueOrder();
        private final List<HeldLock> locks = Arrays.asList(LeaseBridge.heldLock(), LeaseBridge.heldLock());

        @Operation
        public void put(int lock, int at) {
            order.put(locks.get(lock), at);
        }

        @Operation
        public boolean hasten(int lock, int at) {
            return order.hasten(locks.get(lock), at);
        }

        @Operation
        public void remove(int lock) {
            order.remove(locks.get(lock));
        }

        @Operation
        public int poll(int at) {
            return locks.indexOf(order.poll(at));
        }

        @Operation
        public boolean contains(int lock) {
            return order.contains(locks.get(lock));
        }
    }

    /** What it looks like to one thread. */
    public static final class Planned {

        private final int[] moments = {NEVER, NEVER};

        public void put(int lock, int at) {
            moments[lock] = at;
        }

        public boolean hasten(int lock, int at) {
            boolean isEarlier = contains(lock) && at < moments[lock];
            if (isEarlier) {
                moments[lock] = at;
            }
            return isEarlier;
        }

        public void remove(int lock) {
            moments[lock] = NEVER;
        }

        public int poll(int at) {
            int first = moments[0] <= moments[1] ? 0 : 1;
            if (moments[first] > at) {
                return -1;
            }
            moments[first] = NEVER;
            return first;
        }

        public boolean contains(int lock) {
            return moments[lock] != NEVER;
        }

        @Override
        public String toString() {
            return Arrays.toString(moments);
        }
    }

    @Test
    void locks_thatThreadsMoveAtOnce_areEachThereOnce() {
        stories().check();
    }

    @Test
    void lockThatIsLostWhereTwoThreadsMoveIt_isFound() throws Exception {
        assertThat(stories()
                        .checkWith(
                                "org/holdfast/protocol/lease/DueOrder.java",
                                "synchronized boolean hasten",
                                "boolean hasten"))
                .isNotNull();
    }
}
