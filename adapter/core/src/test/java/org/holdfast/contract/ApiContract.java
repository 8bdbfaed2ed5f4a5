// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseReadWriteLock;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * What the API promises wherever its factory comes from, on three real nodes. Each test has a lock of its own, and
 * leaves every node well.
 */
@Timeout(90)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ApiContract {

    private static final Duration PATIENCE = ofSeconds(20);

    private RedisServers nodes;
    private String name;
    private LockConnectionFactory one;
    private LockConnection connection;
    private LockConnectionFactory other;
    private LockConnection otherProcess;

    /** Connects as one process, without a guard, which would have fresh nodes wait. */
    protected abstract LockConnectionFactory connect(String uris) throws Exception;

    /** Ends a process. */
    protected abstract void disconnect(LockConnectionFactory process) throws Exception;

    @BeforeAll
    void startNodes() {
        nodes = RedisServers.start(3, Path.of("target", "redis"));
    }

    @AfterAll
    void stopNodes() {
        nodes.close();
    }

    @BeforeEach
    void start(TestInfo test) throws Exception {
        name = test.getTestMethod().orElseThrow().getName();
        one = connect(nodes.uris());
        other = connect(nodes.uris());
        connection = one.getConnection();
        otherProcess = other.getConnection();
    }

    @AfterEach
    void stop() throws Exception {
        for (RedisServer node : nodes.all()) {
            if (node.isAlive()) {
                node.thaw();
            } else {
                node.start();
            }
        }
        disconnect(one);
        disconnect(other);
    }

    private LockRequest request() {
        return LockRequest.of(name).waitTimeout(PATIENCE);
    }

    @Test
    void tryAcquire_withoutAWaitTimeout_doesNotWait() throws Exception {
        Lease held = otherProcess.acquire(request());
        assertAtOnce(() -> assertThat(connection.tryAcquire(name)).isEmpty());
        assertAtOnce(() -> assertThat(connection.tryAcquire(LockRequest.of(name).ttl(ofSeconds(20))))
                .isEmpty());
        held.release();
        assertThat(connection.tryAcquire(name)).isPresent();
    }

    /** Far less than the 10 s that acquire waits by default, and enough for a machine that is busy with other tests. */
    private static void assertAtOnce(ThrowingCallable call) {
        assertTimeout(ofSeconds(5), call::call);
    }

    @Test
    void tryAcquire_withAWaitTimeout_waits() throws Exception {
        Lease held = otherProcess.acquire(request());
        FutureTask<Boolean> waiting = new FutureTask<>(() -> {
            try (LockConnection another = one.getConnection()) {
                return another.tryAcquire(request()).isPresent();
            }
        });
        Thread waiter = new Thread(waiting);
        waiter.start();
        await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
        held.release();
        assertThat(waiting.get(60, SECONDS)).isTrue();
    }

    @Test
    void tryAcquire_whereTooFewNodesAnswer_isNoAnswer() {
        nodes.get(0).freeze();
        nodes.get(1).freeze();
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> connection.tryAcquire(name));
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> connection.lock(name).tryLock());
    }

    @Test
    void fixedTtl_ofALease_endsIt() throws Exception {
        Lease lease = connection.acquire(request().fixedTtl(ofSeconds(2)));
        CountDownLatch lost = new CountDownLatch(1);
        lease.onLost(loss -> lost.countDown());
        assertThat(lost.await(60, SECONDS)).isTrue();
        assertThat(lease.isHeld()).isFalse();
        assertThat(otherProcess.acquire(request()).token()).isGreaterThan(lease.token());
    }

    @Test
    void readWriteLock_ofAReaderAndAWriter_haveTheirLeases() {
        LeaseReadWriteLock prices = connection.readWriteLock(name);
        prices.readLock().lock();
        long read = prices.readLock().lease().token();
        prices.readLock().unlock();
        prices.writeLock().lock();
        assertThat(prices.writeLock().lease().token()).isGreaterThan(read);
        assertThat(prices.readLock().isLocked()).isTrue();
        prices.writeLock().unlock();
    }

    @Test
    void nodeCount_ofNodesThatAreDownToo_isThatOfTheSetting() {
        nodes.get(0).kill();
        assertThat(one.nodeCount()).isEqualTo(3);
        assertThat(otherProcess.lock(name).isLocked()).isFalse();
    }

    @Test
    void isLocked_ofALock_isTrueForAllWhileAnyThreadOfAnyProcessHasIt() {
        LeaseLock lock = connection.lock(name);
        LeaseLock others = otherProcess.lock(name);
        assertThat(lock.isLocked()).isFalse();
        others.lock();
        assertThat(lock.isLocked()).isTrue();
        assertThat(others.isLocked()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).as("through this connection").isFalse();
        others.unlock();
        assertThat(lock.isLocked()).isFalse();
        assertThat(others.isLocked()).isFalse();
    }

    @Test
    void isLocked_askedByManyViews_takesNothing() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(connection.lock(name).isLocked()).isFalse();
        }
        assertThat(otherProcess.acquire(request()).isHeld()).isTrue();
    }

    @Test
    void isLocked_ofAReader_isTrueForWritersAndReaders() throws Exception {
        Lease reader = otherProcess.acquire(request().mode(LockMode.READ));
        assertThat(connection.lock(request().mode(LockMode.READ)).isLocked()).isTrue();
        assertThat(connection.lock(request().mode(LockMode.WRITE)).isLocked()).isTrue();
        assertThat(connection.lock(name).isLocked()).isTrue();
        reader.release();
        assertThat(connection.lock(request().mode(LockMode.READ)).isLocked()).isFalse();
    }

    @Test
    void isLocked_ofPermits_isTrueWhileOneIsTaken_andSaysNothingOfTheLockOfThatName() throws Exception {
        LockRequest permit = LockRequest.semaphore(name, 3).waitTimeout(PATIENCE);
        Lease taken = otherProcess.acquire(permit);
        assertThat(connection.lock(permit).isLocked()).isTrue();
        assertThat(otherProcess.lock(permit).isLocked()).as("in its process").isTrue();
        assertThat(connection.lock(name).isLocked()).isFalse();
        assertThat(otherProcess.lock(name).isLocked()).isFalse();
        taken.release();
        assertThat(connection.lock(permit).isLocked()).isFalse();
    }

    @Test
    void isLocked_ofSeveralNames_isTrueWhileOneIsTaken() throws Exception {
        LeaseLock both = connection.lock(LockRequest.allOf("{" + name + "}1", "{" + name + "}2"));
        Lease second = otherProcess.acquire("{" + name + "}2");
        assertThat(both.isLocked()).isTrue();
        second.release();
        assertThat(both.isLocked()).isFalse();
    }

    @Test
    void isLocked_afterAReleaseBeforeTheMinimumHold_isTrue() throws Exception {
        otherProcess.acquire(request().atLeast(PATIENCE)).release();
        assertThat(connection.lock(name).isLocked()).isTrue();
        assertThat(otherProcess.lock(name).isLocked()).isTrue();
    }

    /** The holder has the lock on two of three nodes, and one of these does not answer. */
    @Test
    void isLocked_whereOneNodeKnowsTheHolderAndOneIsSilent_isTrue() throws Exception {
        Lease lease = otherProcess.acquire(request());
        String key = "holdfast:{" + name + "}:lock";
        await().until(() -> nodes.get(2).command("DEL " + key).startsWith(":1")); // it may be late with the acquisition
        nodes.get(0).freeze();
        assertThat(connection.lock(name).isLocked()).isTrue();
        assertThat(connection.lock(name + "-free").isLocked()).isFalse();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void isLocked_whereTooFewNodesAnswer_isNoAnswer_butIsKnownToTheHoldersProcess() throws Exception {
        Lease lease = otherProcess.acquire(request());
        nodes.get(0).freeze();
        nodes.get(1).freeze();
        LeaseLock view = connection.lock(name);
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(view::isLocked);
        assertThat(otherProcess.lock(name).isLocked()).isTrue();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void isLocked_byAnInterruptedThread_answersAndLeavesTheInterrupt() throws Exception {
        otherProcess.acquire(request());
        Thread.currentThread().interrupt();
        assertThat(connection.lock(name).isLocked()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void isLocked_afterTheConnectionWasClosed_isRefused() {
        LeaseLock view = connection.lock(name);
        connection.close();
        assertThatIllegalStateException().isThrownBy(view::isLocked).withMessageContaining("HF0222");
    }
}
