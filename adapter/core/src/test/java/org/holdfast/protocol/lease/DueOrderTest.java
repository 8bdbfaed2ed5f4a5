// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DueOrderTest {

    private static final int LOCKS = 40;
    private static final long SEED = 20_261_130;
    private static final int SHORT_STACK = 160 * 1024;

    private final DueOrder order = new DueOrder();
    private final List<HeldLock> locks = new ArrayList<>();

    /** When something is due for each of those that are to be in the order. */
    private final Map<HeldLock, Long> expected = new HashMap<>();

    private final Random random = new Random(SEED);

    DueOrderTest() {
        for (int i = 0; i < LOCKS; i++) {
            locks.add(LeaseBridge.heldLock());
        }
    }

    private HeldLock any() {
        return locks.get(random.nextInt(LOCKS));
    }

    /** The clock's numbers overflow between them. */
    private long moment() {
        return Long.MAX_VALUE - 50 + random.nextInt(100);
    }

    private void change() {
        HeldLock lock = any();
        long at = moment();
        switch (random.nextInt(4)) {
            case 0 -> {
                order.remove(lock);
                expected.remove(lock);
            }
            case 1 -> {
                Long known = expected.get(lock);
                boolean isEarlier = known != null && at - known < 0;
                assertThat(order.hasten(lock, at)).isEqualTo(isEarlier);
                if (isEarlier) {
                    expected.put(lock, at);
                }
            }
            default -> {
                order.put(lock, at);
                expected.put(lock, at);
            }
        }
    }

    /** Takes all of them out. */
    private void assertAsExpected() {
        Comparator<Long> onTheClock = (a, b) -> Long.signum(a - b);
        locks.forEach(lock -> assertThat(order.contains(lock)).isEqualTo(expected.containsKey(lock)));
        for (Long at : expected.values().stream().sorted(onTheClock).toList()) {
            assertThat(order.first()).hasValue(at);
            assertThat(order.poll(at - 1)).isNull();
            assertThat(expected.remove(order.poll(at))).isEqualTo(at);
        }
        assertThat(order.first()).isEmpty();
        assertThat(order.poll(moment())).isNull();
        assertThat(expected).isEmpty();
    }

    @Test
    void locks_thatComeAndMoveAndGo_areInTheOrderOfTheirMoments() {
        for (int rounds = 0; rounds < 300; rounds++) {
            for (int changes = random.nextInt(3 * LOCKS); changes > 0; changes--) {
                change();
            }
            assertAsExpected();
        }
    }

    @Test
    void lock_thatIsNotThere_isNotHastened() {
        assertThat(order.hasten(any(), 1)).isFalse();
        assertAsExpected();
    }

    /** Callers may call from any depth. */
    @Test
    void change_forWhichTheStackIsTooShort_isNotHalfMade() throws Exception {
        for (int rounds = 0; rounds < 300; rounds++) {
            for (int changes = 0; changes < 2 * LOCKS; changes++) {
                change();
            }
            HeldLock lock = any();
            long at = moment();
            boolean puts = random.nextBoolean();
            runAsDeepAsPossible(() -> {
                if (puts) {
                    order.put(lock, at);
                } else {
                    order.remove(lock);
                }
            });
            if (puts) {
                expected.put(lock, at);
            } else {
                expected.remove(lock);
            }
            assertAsExpected();
        }
    }

    private static void runAsDeepAsPossible(Runnable change) throws InterruptedException {
        Thread shallow = new Thread(null, () -> descend(change), "shallow", SHORT_STACK);
        shallow.start();
        shallow.join();
    }

    /** From where it cannot be done, one step up at a time, until it is done. */
    private static void descend(Runnable change) {
        boolean isDone = false;
        try {
            descend(change);
            isDone = true;
        } catch (StackOverflowError e) {
            // so deep it cannot be done
        }
        if (!isDone) {
            change.run();
        }
    }
}
