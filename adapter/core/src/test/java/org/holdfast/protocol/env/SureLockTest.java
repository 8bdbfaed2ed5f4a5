// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
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
        assertThat(bytesOfFirstSignal(new SureLock())).isZero();
    }

    @Test
    void lock_isReentrant_andKeepsOtherThreadsOutUntilItIsGivenBackAsOften() throws Exception {
        Lock lock = new SureLock();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(isTakenByAnother(lock)).isFalse();
        lock.unlock();
        assertThat(isTakenByAnother(lock)).isFalse();
        lock.unlock();
        assertThat(isTakenByAnother(lock)).isTrue();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    private static boolean isTakenByAnother(Lock lock) throws Exception {
        FutureTask<Boolean> taken = new FutureTask<>(() -> {
            boolean mine = lock.tryLock(1, TimeUnit.MILLISECONDS);
            if (mine) {
                lock.unlock();
            }
            return mine;
        });
        new Thread(taken).start();
        return taken.get();
    }

    @Test
    void lock_thatManyThreadsTake_isHeldByOneAtATime_andAllGetIt() throws Exception {
        Lock lock = new SureLock();
        int[] count = {0};
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(new Thread(() -> {
                for (int j = 0; j < 5_000; j++) {
                    lock.lock();
                    try {
                        count[0]++;
                    } finally {
                        lock.unlock();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(count[0]).isEqualTo(8 * 5_000);
    }

    @Test
    void newLock_onAnInterruptedThread_isMade_andLeavesItInterrupted() {
        Thread.currentThread().interrupt();
        Lock lock = new SureLock();
        assertThat(Thread.interrupted()).isTrue();
        lock.lock();
        lock.lock(); // it is reentrant
        lock.unlock();
        lock.unlock();
    }
}
