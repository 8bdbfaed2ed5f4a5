// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SureLockTest {

    /** Returns how many bytes this thread needs to signal a thread that waits, as the first one that ever does. */
    private static long bytesOfFirstSignal(Lock lock) throws Exception {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        Condition condition = lock.newCondition();
        Thread waiting = new Thread(() -> {
            lock.lock();
            try {
                condition.awaitUninterruptibly();
            } finally {
                lock.unlock();
            }
        });
        waiting.start();
        while (waiting.getState() != Thread.State.WAITING) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        lock.lock();
        long before = threads.getCurrentThreadAllocatedBytes();
        condition.signalAll();
        long needed = threads.getCurrentThreadAllocatedBytes() - before;
        lock.unlock();
        waiting.join();
        return needed;
    }

    @Test
    void conditionOfANewLock_givesItsFirstSignalWithoutMemory() throws Exception {
        bytesOfFirstSignal(new ReentrantLock()); // loads what it needs
        assumeThat(bytesOfFirstSignal(new ReentrantLock()))
                .as("what the JDK's lock needs")
                .isPositive();
        assertThat(bytesOfFirstSignal(SureLock.newLock())).isZero();
    }

    @Test
    void newLock_onAnInterruptedThread_isMade_andLeavesItInterrupted() {
        Thread.currentThread().interrupt();
        Lock lock = SureLock.newLock();
        assertThat(Thread.interrupted()).isTrue();
        lock.lock();
        lock.lock(); // it is reentrant
        lock.unlock();
        lock.unlock();
    }
}
