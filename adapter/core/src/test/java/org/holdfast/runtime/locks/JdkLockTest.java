// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.holdfast.Holdfast;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of java.util.concurrent.locks.Lock, sentence by sentence. */
@Timeout(60)
class JdkLockTest {

    private RedisServer redis;
    private LockConnectionFactory locks;
    private LockConnection connection;
    private LockConnection otherConnection;
    private Lock lock;

    /** As another thread has it. */
    private Lock others;

    @BeforeEach
    void start() {
        redis = RedisServer.start(Path.of("target", "redis"));
        locks = connect("30000", Processes.NODE_TIMEOUT_MILLIS);
        connection = locks.getConnection();
        otherConnection = locks.getConnection();
        lock = connection.lock("a");
        others = otherConnection.lock("a");
    }

    private LockConnectionFactory connect(String ttlMillis, String nodeTimeoutMillis) {
        return Holdfast.connect(Map.of(
                "nodes", redis.uri(), "guard", "OFF", "ttlMillis", ttlMillis, "nodeTimeoutMillis", nodeTimeoutMillis));
    }

    @AfterEach
    void stop() {
        Thread.interrupted();
        locks.close();
        redis.close();
    }

    private static <T> T onAnotherThread(Callable<T> work) throws Exception {
        return start(work).get(30, SECONDS);
    }

    private boolean isFree() throws Exception {
        return onAnotherThread(() -> others.tryLock());
    }

    /** A task with the thread that runs it. */
    private static final class Running<T> extends FutureTask<T> {
        private final Thread thread = new Thread(this);

        Running(Callable<T> work) {
            super(work);
        }

        void awaitWaiting() {
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        }
    }

    private static <T> Running<T> start(Callable<T> work) {
        Running<T> running = new Running<>(work);
        running.thread.start();
        return running;
    }

    @Test
    void lock_isHeldUntilUnlockedAsOftenAsLocked() throws Exception {
        lock.lock();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();
        assertThat(isFree()).isFalse();
        lock.unlock();
        await().until(() -> isFree());
    }

    @Test
    void views_ofTheSameName_areOneLock() throws Exception {
        connection.lock("a").lock();
        connection.lock("a").unlock();
        await().until(() -> isFree());
    }

    @Test
    void unlock_byWhoDoesNotHoldIt_isAnIllegalMonitorState() throws Exception {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining("lock 'a' is not held");
        lock.lock();
        onAnotherThread(() -> {
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
            return null;
        });
        lock.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void unlock_ofALockThatWasLost_isAnIllegalMonitorStateWithTheReason() throws Exception {
        try (LockConnectionFactory brief = connect("1000", "500");
                LockConnection ofBrief = brief.getConnection()) {
            Lock lost = ofBrief.lock("a");
            lost.lock();
            redis.kill();
            await().pollDelay(1_100, MILLISECONDS).until(() -> true);
            assertThatExceptionOfType(IllegalMonitorStateException.class)
                    .isThrownBy(lost::unlock)
                    .withCauseInstanceOf(LeaseLostException.class);
        }
    }

    @Test
    void unlock_afterTheConnectionWasClosed_isAnIllegalMonitorState() {
        lock.lock();
        connection.close();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void lock_whileInterrupted_waitsAndLeavesTheInterruptAsItWas() throws Exception {
        lock.lock();
        Running<Boolean> waiting = start(() -> {
            others.lock();
            others.unlock();
            return Thread.currentThread().isInterrupted();
        });
        waiting.awaitWaiting();
        waiting.thread.interrupt();
        waiting.awaitWaiting();
        assertThat(waiting.isDone()).isFalse();
        lock.unlock();
        assertThat(waiting.get(30, SECONDS)).as("interrupted").isTrue();
    }

    /** The thread has a lease that interrupts it when it is lost, which happens while it waits. */
    @Test
    void lock_interruptedByTheApplicationBeforeALoss_keepsThatInterruptWhenTheLostLeaseEnds() throws Exception {
        others.lock();
        CountDownLatch has = new CountDownLatch(1);
        CountDownLatch lost = new CountDownLatch(1);
        FutureTask<Boolean> work = new FutureTask<>(() -> {
            Lease brief = connection.acquire(
                    LockRequest.of("b").maxHold(Duration.ofSeconds(2)).interruptOnLoss(true));
            brief.onLost(loss -> lost.countDown());
            has.countDown();
            lock.lock();
            lock.unlock();
            brief.release();
            return Thread.interrupted();
        });
        Thread thread = new Thread(work);
        thread.start();
        has.await();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        thread.interrupt();
        await().until(() -> !thread.isInterrupted()); // the waiter keeps it aside
        assertThat(lost.getCount()).isOne();
        lost.await();
        others.unlock();
        assertThat(work.get(20, SECONDS)).isTrue();
    }

    @Test
    void lockInterruptibly_interruptedBeforeOrWhileWaiting_takesNothing() throws Exception {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        lock.lock();
        Running<Boolean> waiting = start(() -> {
            try {
                others.lockInterruptibly();
                return false;
            } catch (InterruptedException e) {
                return true;
            }
        });
        waiting.awaitWaiting();
        waiting.thread.interrupt();
        assertThat(waiting.get(30, SECONDS)).isTrue();
        lock.unlock();
        await().until(() -> isFree());
    }

    @Test
    void tryLock_bargesInFrontOfThoseWhoWait_andIgnoresInterrupts() throws Exception {
        lock.lock();
        Running<Object> waiting = start(() -> {
            others.lock();
            others.unlock();
            return null;
        });
        waiting.awaitWaiting();
        Thread.currentThread().interrupt();
        assertThat(lock.tryLock()).as("by its holder").isTrue();
        assertThat(connection.lock("free").tryLock()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        lock.unlock();
        lock.unlock();
        waiting.get(30, SECONDS);
    }

    @Test
    void tryLock_withATimeout_waitsForSoLongAndIsInterruptible() throws Exception {
        lock.lock();
        assertThat(onAnotherThread(() -> others.tryLock(50, MILLISECONDS))).isFalse();
        assertThat(onAnotherThread(() -> others.tryLock(-1, TimeUnit.DAYS))).isFalse();
        Running<Boolean> waiting = start(() -> others.tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
        waiting.awaitWaiting();
        lock.unlock();
        assertThat(waiting.get(30, SECONDS)).isTrue();

        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> connection.lock("free").tryLock(1, SECONDS));
    }

    @Test
    void tryLock_whereNoNodeCanBeAsked_isNoAnswer() {
        redis.kill();
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(lock::tryLock);
    }

    @Test
    void conditions_areNotSupported() {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(lock::newCondition)
                .withMessageContaining("has no conditions");
    }

    @Test
    void name_thatIsNotValid_isRefusedBeforeAnythingIsTaken() {
        assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> connection.lock(""));
    }

    @Test
    void lock_whoseConnectionIsClosedMeanwhile_failsAtOnce_andLeavesNothingTaken() throws Exception {
        lock.lock();
        Running<Boolean> waiting = start(() -> {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(others::lock)
                    .withMessageContaining("closed while it waited");
            return true;
        });
        waiting.awaitWaiting();
        otherConnection.close();
        assertThat(waiting.get(30, SECONDS)).isTrue();
        lock.unlock();
        assertThat(lock.tryLock()).isTrue();
    }

    /** Reads, and waits to write: it waits for itself. */
    private Running<Boolean> waitInVain() {
        Running<Boolean> waiting = start(() -> {
            connection.readWriteLock("vain").readLock().lock();
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(
                            () -> connection.readWriteLock("vain").writeLock().tryLock(1, TimeUnit.HOURS))
                    .withMessageContaining("closed");
            return true;
        });
        waiting.awaitWaiting();
        return waiting;
    }

    @Test
    void tryLock_thatWaitsForItself_endsWhenTheFactoryIsClosed() throws Exception {
        Running<Boolean> waiting = waitInVain();
        locks.close();
        assertThat(waiting.get(30, SECONDS)).isTrue();
    }

    @Test
    void tryLock_thatWaitsForItself_endsWhenTheConnectionIsClosed() throws Exception {
        Running<Boolean> waiting = waitInVain();
        connection.close();
        assertThat(waiting.get(30, SECONDS)).isTrue();
    }

    @Test
    void lease_ofAHeldLock_hasItsTokenAndReportsALoss() throws Exception {
        LeaseLock view = connection.lock("a");
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::lease);
        view.lock();
        view.lock();
        assertThat(view.getHoldCount()).isEqualTo(2);
        assertThat(view.isHeldByCurrentThread()).isTrue();
        assertThat(onAnotherThread(view::isHeldByCurrentThread)).isFalse();
        assertThat(onAnotherThread(view::getHoldCount)).isZero();
        assertThat(view.lease().token()).isPositive();
        CountDownLatch lost = new CountDownLatch(1);
        view.lease().onLost(loss -> lost.countDown());
        locks.forceRelease("a");
        assertThat(lost.await(10, SECONDS)).isTrue();
        assertThat(view.isHeldByCurrentThread()).isFalse();
        assertThat(view.getHoldCount()).isEqualTo(2);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock);
        assertThat(view.getHoldCount()).isZero();
    }

    @Test
    void lock_ofSeveralNamesInAnyOrder_isOneLock() throws Exception {
        connection.lock(LockRequest.allOf("b", "c")).lock();
        assertThat(onAnotherThread(() -> otherConnection.lock("c").tryLock())).isFalse();
        connection.lock(LockRequest.allOf("c", "b")).unlock();
        assertThat(onAnotherThread(() -> otherConnection.lock("c").tryLock())).isTrue();
    }

    @Test
    void lock_ofAPermit_isGivenToAsManyAsThereAre() throws Exception {
        LockRequest permit = LockRequest.semaphore("engine", 2);
        connection.lock(permit).lock();
        assertThat(onAnotherThread(() -> otherConnection.lock(permit).tryLock()))
                .isTrue();
        try (LockConnection third = locks.getConnection()) {
            assertThat(onAnotherThread(() -> third.lock(permit).tryLock())).isFalse();
            connection.lock(permit).unlock();
            assertThat(onAnotherThread(() -> third.lock(permit).tryLock())).isTrue();
        }
    }

    @Test
    void lock_ofAFairRequest_isTaken() throws Exception {
        LeaseLock fair = connection.lock(LockRequest.of("d").fair(true));
        fair.lock();
        assertThat(onAnotherThread(() -> otherConnection.lock("d").tryLock())).isFalse();
        fair.unlock();
        assertThat(onAnotherThread(() -> otherConnection.lock("d").tryLock())).isTrue();
    }

    @Test
    void lock_ofADetachedRequest_isRefused() {
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> connection.lock(LockRequest.of("a").detached()))
                .withMessageContaining("must not be DETACHED");
    }
}
