// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.holdfast.StandingThread;
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
        while (waiting.getState() != Thread.State.WAITING && waiting.getState() != Thread.State.TIMED_WAITING) {
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
        assertThat(bytesOfFirstSignal(new SureLock(System::nanoTime))).isZero();
    }

    @Test
    void lock_isReentrant_andKeepsOtherThreadsOutUntilItIsGivenBackAsOften() throws Exception {
        Lock lock = new SureLock(System::nanoTime);
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
        Lock lock = new SureLock(System::nanoTime);
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
    void threadThatWaitsForTheLock_andNeverRunsAgain_keepsNoOtherFromIt() throws Exception {
        assertThat(isTakenBehindALostThread(Lock::lock)).as("interrupted").isFalse();
        assertThat(isTakenBehindALostThread(Lock::lockInterruptibly))
                .as("interrupted")
                .isFalse();
    }

    @Test
    void threadThatIsInterrupted_getsTheLockBehindOneThatNeverRunsAgain_andStaysInterrupted() throws Exception {
        assertThat(isTakenBehindALostThread(lock -> {
                    Thread.currentThread().interrupt();
                    lock.lock();
                }))
                .as("interrupted before")
                .isTrue();
    }

    private interface Taking {
        void take(Lock lock) throws InterruptedException;
    }

    /** Returns whether the thread is interrupted that has taken the lock. */
    private static boolean isTakenBehindALostThread(Taking taking) throws Exception {
        Lock lock = new SureLock(System::nanoTime);
        lock.lock();
        Thread lost = new Thread(lock::lock);
        lost.setDaemon(true);
        lost.start();
        StandingThread.standStillIn("tryAcquireNanos", lost);
        FutureTask<Boolean> next = new FutureTask<>(() -> {
            taking.take(lock);
            lock.unlock();
            return Thread.currentThread().isInterrupted();
        });
        Thread other = new Thread(next);
        other.setDaemon(true);
        other.start();
        await().until(() -> other.getState() == Thread.State.TIMED_WAITING);
        lock.unlock();
        return next.get(10, TimeUnit.SECONDS);
    }

    @Test
    void threadThatIsSignalled_andNeverRunsAgain_keepsNoOtherFromTheLock() throws Exception {
        Lock lock = new SureLock(System::nanoTime);
        Condition condition = lock.newCondition();
        Thread lost = new Thread(() -> {
            lock.lock();
            condition.awaitUninterruptibly();
        });
        lost.setDaemon(true);
        lost.start();
        StandingThread.standStillIn("parkNanos", lost);
        FutureTask<Boolean> next = new FutureTask<>(() -> {
            lock.lock();
            lock.unlock();
            return true;
        });
        lock.lock();
        condition.signalAll();
        Thread other = new Thread(next);
        other.setDaemon(true);
        other.start();
        await().until(() -> other.getState() == Thread.State.TIMED_WAITING);
        lock.unlock();
        assertThat(next.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void threadsThatWait_areSignalledInTheOrderInWhichTheyCame_andHaveTheLockAsOftenAsBefore() throws Exception {
        Lock lock = new SureLock(System::nanoTime);
        Condition condition = lock.newCondition();
        List<Integer> signalled = new ArrayList<>();
        List<FutureTask<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            FutureTask<Void> task = new FutureTask<>(() -> {
                lock.lock();
                lock.lock();
                condition.await();
                signalled.add(number);
                lock.unlock();
                lock.unlock();
                return null;
            });
            Thread thread = new Thread(task);
            thread.start();
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            waiting.add(task);
        }
        for (FutureTask<Void> task : waiting) {
            lock.lock();
            condition.signal();
            lock.unlock();
            task.get(10, TimeUnit.SECONDS);
        }
        assertThat(signalled).containsExactly(0, 1, 2);
        assertThat(isTakenByAnother(lock)).isTrue();
    }

    @Test
    void waitWhoseTimeIsOver_returnsThat_andTakesNoSignalOfAnother() throws Exception {
        Lock lock = new SureLock(System::nanoTime);
        Condition condition = lock.newCondition();
        FutureTask<Long> first = waiting(lock, condition, TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(first.get(10, TimeUnit.SECONDS)).isNotPositive();
        FutureTask<Long> second = waiting(lock, condition, TimeUnit.MINUTES.toNanos(1));
        lock.lock();
        condition.signal();
        lock.unlock();
        assertThat(second.get(10, TimeUnit.SECONDS)).isPositive();
    }

    private static FutureTask<Long> waiting(Lock lock, Condition condition, long nanos) {
        FutureTask<Long> left = new FutureTask<>(() -> {
            lock.lock();
            try {
                return condition.awaitNanos(nanos);
            } finally {
                lock.unlock();
            }
        });
        Thread thread = new Thread(left);
        thread.start();
        await().until(() -> left.isDone() || thread.getState() == Thread.State.TIMED_WAITING);
        return left;
    }

    @Test
    void allThatWait_areWokenByOneSignalForAll() throws Exception {
        Lock lock = new SureLock(System::nanoTime);
        Condition condition = lock.newCondition();
        List<FutureTask<Long>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(waiting(lock, condition, TimeUnit.MINUTES.toNanos(5)));
        }
        lock.lock();
        condition.signalAll();
        lock.unlock();
        for (FutureTask<Long> task : waiting) {
            assertThat(task.get(10, TimeUnit.SECONDS)).isPositive();
        }
    }

    @Test
    void interrupt_endsAWait_butNotOneThatIsSignalled() throws Exception {
        Lock lock = new SureLock(System::nanoTime);
        Condition condition = lock.newCondition();
        List<Thread> threads = new ArrayList<>();
        List<FutureTask<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                lock.lock();
                try {
                    condition.await();
                    return Thread.interrupted(); // it was signalled first
                } finally {
                    lock.unlock();
                }
            });
            Thread thread = new Thread(task);
            thread.start();
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            threads.add(thread);
            waiting.add(task);
        }
        lock.lock();
        condition.signal();
        threads.get(0).interrupt();
        threads.get(1).interrupt();
        lock.unlock();
        assertThat(waiting.get(0).get(10, TimeUnit.SECONDS)).isTrue();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiting.get(1).get(10, TimeUnit.SECONDS))
                .withCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void interruptedThread_waitsNotAtAll_andHasTheLock() {
        Lock lock = new SureLock(System::nanoTime);
        Condition condition = lock.newCondition();
        lock.lock();
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> condition.awaitNanos(Long.MAX_VALUE));
        lock.unlock();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void condition_withoutItsLock_isRefused() {
        Condition condition = new SureLock(System::nanoTime).newCondition();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(condition::signal);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(condition::signalAll);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(condition::await);
    }

    @Test
    void lock_forWhichThereIsNoRoomToWait_isTakenAllTheSame() {
        ReentrantLock lock = new ReentrantLock() {
            @Override
            public void lock() {
                throw new StackOverflowError();
            }
        };
        SureLock.take(lock);
        assertThat(lock.getHoldCount()).isEqualTo(1);
    }

    @Test
    void lock_thatIsHeldStill_isTakenAgainNoSecondTime() throws Exception {
        SureLock lock = new SureLock();
        lock.lock();
        SureLock.takeAgain(lock);
        lock.unlock();
        SureLock.takeAgain(lock);
        assertThat(CompletableFuture.supplyAsync(lock::tryLock).get()).isFalse();
        lock.unlock();
        assertThat(CompletableFuture.supplyAsync(lock::tryLock).get()).isTrue();
    }
}
