// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thread takes the lock where its stack ends. The locks of the JDK are taken there, and {@link StackOverflowError} is
 * thrown behind that.
 */
@Timeout(120)
class SureLockStackTest {

    private static final int ROUNDS = 100;
    private static final int STACK_BYTES = 200 * 1024;

    private final SureLock lock = new SureLock(System::nanoTime);

    private void work(int depth) {
        lock.lock();
        try {
            if (depth > 0) {
                deeper(depth);
            }
        } finally {
            lock.unlock();
        }
    }

    private int deeper(int depth) {
        return depth == 0 ? 0 : deeper(depth - 1) + 1;
    }

    private void tryToWork(int depth) {
        if (lock.tryLock()) {
            try {
                deeper(depth);
            } finally {
                lock.unlock();
            }
        }
    }

    /** From where the stack ends, one step up at a time. */
    private int descend(Runnable work, int steps) {
        int above = 0;
        try {
            above = descend(work, steps);
        } catch (StackOverflowError e) {
            // this is where it ends
        }
        if (above < steps) {
            try {
                work.run();
            } catch (StackOverflowError e) {
                // as it has to be expected
            }
        }
        return above + 1;
    }

    private void assertFreeAfter(Runnable work) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            Thread shallow = new Thread(null, () -> descend(work, 60), "shallow", STACK_BYTES);
            shallow.start();
            shallow.join();
            assertThat(lock.tryLock(0, TimeUnit.NANOSECONDS))
                    .as("round " + round)
                    .isTrue();
            lock.unlock();
        }
    }

    @Test
    void lock_thatIsTakenWhereTheStackEnds_isGivenBack() throws Exception {
        assertFreeAfter(() -> work(0));
    }

    @Test
    void lock_underWhichTheStackEnds_isGivenBack() throws Exception {
        assertFreeAfter(() -> work(50));
    }

    @Test
    void lock_thatIsTriedWhereTheStackEnds_isGivenBack() throws Exception {
        assertFreeAfter(() -> tryToWork(10));
    }
}
