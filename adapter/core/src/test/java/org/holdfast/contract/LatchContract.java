// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.holdfast.CountDownUnconfirmedException;
import org.holdfast.DistributedLatch;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
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
import redis.clients.jedis.Jedis;

/** What a latch is for its users, on three real nodes. Each test has a latch of its own, and leaves every node well. */
@Timeout(90)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class LatchContract {

    private static final Duration PATIENCE = ofSeconds(30);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private RedisServers nodes;
    private String name;
    private LockConnection connection;
    private LockConnection otherProcess;

    /**
     * Connects as one process, with a wait timeout of 300 ms and without a guard, which would have fresh nodes wait.
     */
    protected abstract LockConnectionFactory connect(String uris) throws Exception;

    /** Ends a process. */
    protected abstract void disconnect(LockConnectionFactory process) throws Exception;

    private LockConnectionFactory one;
    private LockConnectionFactory other;

    @BeforeAll
    void startNodes() {
        nodes = RedisServers.start(3, Path.of("target", "redis"));
    }

    @AfterAll
    void stopNodes() {
        threads.shutdownNow();
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
        nodes.all().forEach(node -> {
            if (node.isAlive()) {
                node.thaw();
            } else {
                node.start();
            }
        });
        disconnect(one);
        disconnect(other);
    }

    private Future<Boolean> waiter(DistributedLatch latch) {
        return threads.submit(() -> latch.await(PATIENCE));
    }

    private String key() {
        return "holdfast:{" + name + "}:latch";
    }

    private String recorded(RedisServer node) {
        try (Jedis jedis = new Jedis("127.0.0.1", node.port(), 10_000)) {
            return jedis.get(key());
        }
    }

    private void awaitRecordedEverywhere(String id) {
        await().until(() -> nodes.all().stream()
                .allMatch(node -> recorded(node) != null && recorded(node).contains(id)));
    }

    /** Waits until a waiter has subscribed to a majority: it is woken by the next call. */
    private void awaitListening() {
        for (RedisServer node : nodes.all()) {
            await().until(() -> {
                try (Jedis jedis = new Jedis("127.0.0.1", node.port(), 10_000)) {
                    return !jedis.pubsubNumSub("holdfast:{" + name + "}:released")
                            .containsValue(0L);
                }
            });
        }
    }

    @Test
    void latch_countedDownByTwoProcesses_opensForWaitersOfBothAndStaysOpen() throws Exception {
        DistributedLatch here = connection.latch(name, 0, 3);
        DistributedLatch there = otherProcess.latch(name, 0, 3);
        List<Future<Boolean>> waiters = List.of(waiter(here), waiter(here), waiter(there));
        here.countDown();
        there.countDown();
        assertThat(here.await(ZERO)).isFalse();
        assertThat(waiters).noneMatch(Future::isDone);
        awaitListening();
        there.countDown();
        for (Future<Boolean> waiter : waiters) {
            assertThat(waiter.get(20, SECONDS)).isTrue();
        }
        here.countDown();
        assertThat(here.await(ZERO)).isTrue();
        assertThat(there.await(ofSeconds(5))).isTrue();
        assertThat(here).hasToString("latch '" + name + "', generation 0 of 3");
    }

    @Test
    void await_whileItIsNotOpen_endsWithItsTimeout() throws Exception {
        DistributedLatch latch = connection.latch(name, 0, 1);
        assertThat(latch.await(ofMillis(200))).isFalse();
        Future<?> interrupted = threads.submit(() -> latch.await(PATIENCE));
        awaitListening();
        interrupted.cancel(true);
        latch.countDown();
        assertThat(latch.await(PATIENCE)).isTrue();
    }

    @Test
    void countDown_withTheSameId_countsOnce() throws Exception {
        DistributedLatch latch = connection.latch(name, 0, 2);
        latch.countDown("part-1");
        latch.countDown("part-1");
        otherProcess.latch(name, 0, 2).countDown("part-1");
        assertThat(latch.await(ofMillis(100))).isFalse();
        latch.countDown("part-2");
        assertThat(latch.await(PATIENCE)).isTrue();
    }

    @Test
    void generation_thatIsHigher_resetsTheLatchAndEndsTheLowerOne() throws Exception {
        DistributedLatch first = connection.latch(name, 0, 2);
        first.countDown();
        Future<Boolean> waiter = waiter(first);
        awaitListening();
        DistributedLatch second = otherProcess.latch(name, 7, 2);
        second.countDown();
        assertThat(second.await(ofMillis(100)))
                .as("calls of another generation do not count")
                .isFalse();
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(first::countDown)
                .withMessage("HF0219: latch '" + name + "', generation 0 is over: it was reset to generation 7;"
                        + " a generation is not to be used again");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiter.get(20, SECONDS))
                .withMessageContaining("HF0219");
        second.countDown();
        assertThat(second.await(PATIENCE)).isTrue();
    }

    @Test
    void count_thatDiffersFromThatOfTheFirstUse_isRefusedWithBoth() {
        connection.latch(name, 0, 2).countDown();
        DistributedLatch different = otherProcess.latch(name, 0, 3);
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(different::countDown)
                .withMessage(
                        "HF0220: latch '" + name + "', generation 0 has the count 2, which its first use has fixed;"
                                + " it was asked for with the count 3");
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> different.await(ZERO))
                .withMessageContaining("HF0220");
    }

    @Test
    void latch_thatCannotBe_isRefused() {
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> connection.latch(name, -1, 1))
                .withMessageContaining("generation must be 0 to");
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> connection.latch(name, 0, DistributedLatch.MAX_COUNT + 1))
                .withMessageContaining("count must be 1 to 1000, was 1001");
        assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> connection.latch("", 0, 1));
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> connection.latch(name, 0, 1).countDown("two words"))
                .withMessageContaining("'two words'");
    }

    @Test
    void countDown_withOneNodeGone_isConfirmed() throws Exception {
        nodes.get(0).kill();
        DistributedLatch latch = connection.latch(name, 0, 1);
        latch.countDown();
        assertThat(otherProcess.latch(name, 0, 1).await(PATIENCE)).isTrue();
    }

    @Test
    void countDown_withoutAMajority_isUnconfirmedAndMayBeRepeatedUnderItsId() throws Exception {
        DistributedLatch latch = connection.latch(name, 0, 2);
        latch.countDown("before");
        nodes.get(0).kill();
        nodes.get(1).kill();
        CountDownUnconfirmedException unconfirmed = null;
        try {
            latch.countDown();
        } catch (CountDownUnconfirmedException e) {
            unconfirmed = e;
        }
        assertThat(unconfirmed)
                .hasMessageContaining("HF0221")
                .hasMessageContaining(nodes.get(1).uri());
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> latch.await(ofMillis(300)))
                .withMessageContaining("HF0202: latch '" + name + "', generation 0: it needs the votes of 2 of 3");
        nodes.get(0).start();
        nodes.get(1).start();
        String id = unconfirmed.id();
        await().ignoreExceptionsInstanceOf(LockException.class).until(() -> {
            latch.countDown(id);
            latch.countDown(id);
            return true;
        });
        latch.countDown("before"); // two of three nodes have lost it, and with the other one a majority need not see it
        assertThat(latch.await(PATIENCE)).isTrue();
    }

    @Test
    void countDown_withoutAnyNode_hasNotCounted() {
        nodes.all().forEach(RedisServer::kill);
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(connection.latch(name, 0, 1)::countDown)
                .isInstanceOfAny(QuorumUnavailableException.class, CountDownUnconfirmedException.class);
    }

    @Test
    void nodes_restartedEmptyOneAfterAnother_getTheCallsBackFromAWaiter() throws Exception {
        DistributedLatch latch = connection.latch(name, 0, 2);
        latch.countDown("early");
        awaitRecordedEverywhere("early");
        Future<Boolean> waiter = waiter(otherProcess.latch(name, 0, 2));
        awaitListening();
        for (RedisServer node : nodes.all()) {
            node.kill();
            node.start();
            awaitRecordedEverywhere("early");
        }
        await().ignoreExceptionsInstanceOf(LockException.class).until(() -> {
            latch.countDown("late");
            return true;
        });
        assertThat(waiter.get(30, SECONDS)).isTrue();
    }

    @Test
    void waiter_whoseServiceIsStopped_stopsWaiting() throws Exception {
        DistributedLatch latch = otherProcess.latch(name, 0, 1);
        Future<Boolean> waiter = waiter(latch);
        awaitListening();
        disconnect(other);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiter.get(5, SECONDS))
                .withCauseInstanceOf(IllegalStateException.class);
        assertThatIllegalStateException().isThrownBy(latch::countDown);
    }

    @Test
    void waiters_whoseConnectionsAreClosed_stopWaitingWhicheverAsks() throws Exception {
        LockConnection second = one.getConnection();
        Future<Boolean> asks = waiter(connection.latch(name, 0, 1));
        awaitListening();
        Thread[] thread = new Thread[1];
        Future<Boolean> isTold = threads.submit(() -> {
            thread[0] = Thread.currentThread();
            return second.latch(name, 0, 1).await(PATIENCE);
        });
        Future<Boolean> stays = waiter(otherProcess.latch(name, 0, 1));
        await().until(() -> thread[0] != null && isWaiting(thread[0]));
        second.close();
        assertEnded(isTold);
        assertThat(asks).isNotDone();
        connection.close();
        assertEnded(asks);
        otherProcess.latch(name, 0, 1).countDown();
        assertThat(stays.get(20, SECONDS)).isTrue();
    }

    /** Returns whether it waits for a signal: it has asked the nodes, and is in line. */
    private static boolean isWaiting(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().contains("SystemTime")
                        && frame.getMethodName().equals("await"));
    }

    private static void assertEnded(Future<Boolean> waiter) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiter.get(5, SECONDS))
                .withCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void latch_ofAClosedConnection_isOfNoUse() {
        DistributedLatch latch = connection.latch(name, 0, 1);
        connection.close();
        assertThatIllegalStateException().isThrownBy(latch::countDown);
        assertThatIllegalStateException().isThrownBy(() -> latch.await(ZERO));
        assertThatIllegalStateException().isThrownBy(() -> connection.latch(name, 0, 1));
        assertThatCode(otherProcess.latch(name, 0, 1)::countDown).doesNotThrowAnyException();
    }

    @Test
    void latchAndLock_ofTheSameName_areDifferentThings() throws Exception {
        connection.acquire(name).requireHeld();
        DistributedLatch latch = otherProcess.latch(name, 0, 1);
        latch.countDown();
        assertThat(latch.await(PATIENCE)).isTrue();
    }
}
