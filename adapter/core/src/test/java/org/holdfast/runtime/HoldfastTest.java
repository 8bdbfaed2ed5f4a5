// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The library without a container, on three real nodes: what is not in the contract of a lock. */
@Timeout(60)
class HoldfastTest extends TwoProcesses {

    /** That of all callers, three of the lock service itself, and that of this test. */
    private static final long FEW = 5;

    @Test
    void release_beforeTheMinimumIsOver_keepsOthersOutThoughTheProcessHasGone() throws Exception {
        long begun = System.nanoTime();
        try (LockConnection connection = locks.getConnection()) {
            connection
                    .acquire(now("job").atLeast(ofSeconds(2)).ttl(ofSeconds(20)))
                    .release();
        }
        locks.close();
        try (LockConnection connection = otherProcess.getConnection()) {
            connection.acquire(LockRequest.of("job").waitTimeout(ofSeconds(12))); // and not only after the TTL
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(ofMillis(1_980));
    }

    @Test
    void close_ofConnection_releasesItsLeasesButNotDetachedOnes() throws Exception {
        Lease detached;
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire("bound");
            detached = connection.acquire(LockRequest.of("detached").detached());
        }
        await().until(() -> isFree("bound"));
        assertThat(isFree("detached")).isFalse();
        assertThat(detached.isHeld()).isTrue();

        inOtherThread(() -> {
            detached.release();
            return null;
        });
        await().until(() -> isFree("detached"));
    }

    @Test
    void acquire_otherThreadOfTheSameProcess_isContention() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire("a");
            assertThat(inOtherThread(() -> {
                        try (LockConnection other = locks.getConnection()) {
                            return other.tryAcquire(now("a"));
                        }
                    }))
                    .isEmpty();
        }
    }

    @Test
    void acquire_detachedHeldByTheSameThread_isContention() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(LockRequest.of("a").detached());
            assertThat(connection.tryAcquire(now("a"))).isEmpty();
            lease.release();
        }
    }

    @Test
    void renew_byHand_extendsTheLease() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(LockRequest.of("a").fixedTtl(ofSeconds(5)));
            await().until(() -> lease.remaining().compareTo(ofMillis(3_500)) < 0);
            assertThat(lease.renew()).isTrue();
            assertThat(lease.remaining()).isGreaterThan(ofMillis(3_500));
        }
    }

    @Test
    void acquire_interruptedWhileWaiting_throwsAndLeavesNothing() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("a");
            CountDownLatch asking = new CountDownLatch(1);
            Thread[] waiter = new Thread[1];
            Future<Boolean> interrupted = threads.submit(() -> {
                waiter[0] = Thread.currentThread();
                try (LockConnection other = otherProcess.getConnection()) {
                    asking.countDown();
                    other.acquire("a");
                    return false;
                } catch (InterruptedException e) {
                    return true;
                }
            });
            asking.await();
            waiter[0].interrupt();
            assertThat(interrupted.get(5, TimeUnit.SECONDS)).isTrue();

            lease.release();
            await().until(() -> isFree("a")); // what the attempt may have got is released, and no caller waits for that
        }
    }

    @Test
    void release_byInterruptedThread_releasesAndKeepsTheInterrupt() throws Exception {
        assertThat(inOtherThread(() -> {
                    try (LockConnection connection = locks.getConnection()) {
                        Lease lease = connection.acquire("a");
                        Thread.currentThread().interrupt();
                        lease.release();
                        return Thread.interrupted();
                    }
                }))
                .isTrue();
        await().until(() -> isFree("a"));
    }

    @Test
    void acquire_interruptedBefore_throwsWithoutAsking() throws Exception {
        assertThat(inOtherThread(() -> {
                    try (LockConnection connection = locks.getConnection()) {
                        Thread.currentThread().interrupt();
                        connection.acquire("a");
                        return "acquired";
                    } catch (InterruptedException e) {
                        return e.getMessage();
                    }
                }))
                .contains("'a'");
        await().until(() -> isFree("a"));
    }

    /** They must not keep a JVM from ending. */
    @Test
    void threads_ofOurOwn_areDaemons() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(now("threads").detached());
            Future<?> waiter = connection
                    .acquireAsync(LockRequest.of("threads").detached().waitTimeout(ofSeconds(20)))
                    .thenAccept(Lease::release)
                    .toCompletableFuture();
            await().until(() -> ownThreads().anyMatch(thread -> thread.getName().equals("holdfast-nodes")));
            lease.release();
            waiter.get(30, TimeUnit.SECONDS);
            assertThat(ownThreads())
                    .extracting(Thread::getName)
                    .contains("holdfast-renewal", "holdfast-waiters", "holdfast-nodes");
            assertThat(ownThreads()).allMatch(Thread::isDaemon);
        }
    }

    private static Stream<Thread> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast-"));
    }

    @Test
    void close_ofFactory_releasesEveryLease() throws Exception {
        LockConnection connection = locks.getConnection();
        for (int i = 0; i < 500; i++) {
            connection.acquire(LockRequest.of("lock-" + i).detached());
        }
        locks.close();
        for (int i = 0; i < 500; i += 50) {
            String name = "lock-" + i;
            await().until(() -> isFree(name));
        }
        assertThatIllegalStateException().isThrownBy(() -> locks.getConnection());
        assertThatIllegalStateException().isThrownBy(() -> connection.acquire("a"));
    }

    @Test
    void close_whileAThreadWaits_endsTheWaitAndLeavesTheLockFree() throws Exception {
        LockConnection other = otherProcess.getConnection();
        Lease blocking = other.acquire("a");
        CountDownLatch asking = new CountDownLatch(1);
        Future<String> waiter = threads.submit(() -> {
            try (LockConnection connection = locks.getConnection()) {
                asking.countDown();
                connection.acquire(LockRequest.of("a").waitTimeout(ofSeconds(20)));
                return "acquired";
            } catch (IllegalStateException e) {
                return "stopped";
            }
        });
        asking.await();
        await().pollDelay(ofMillis(100)).until(() -> true);
        locks.close();
        assertThat(waiter.get(5, TimeUnit.SECONDS)).isEqualTo("stopped");
        blocking.release();
        await().until(() -> isFree("a")); // what the attempt may have got is released, and no caller waits for that
    }

    @Test
    void listeners_thatBlock_keepNoLeaseFromBeingRenewed() throws Exception {
        CountDownLatch blocked = new CountDownLatch(3);
        CountDownLatch end = new CountDownLatch(1);
        try (LockConnection connection = locks.getConnection()) {
            Lease renewed = connection.acquire(LockRequest.of("renewed").ttl(ofSeconds(3)));
            for (int i = 0; i < 3; i++) {
                connection
                        .acquire(LockRequest.of("lost-" + i).fixedTtl(ofMillis(100)))
                        .onLost(loss -> {
                            blocked.countDown();
                            try {
                                end.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
            }
            assertThat(blocked.await(20, TimeUnit.SECONDS)).isTrue();
            await().pollDelay(ofMillis(3_500)).until(() -> true);
            assertThat(renewed.isHeld()).isTrue();
        } finally {
            end.countDown();
        }
    }

    @Test
    void acquire_ttlLongerThanAllowed_isRefused() {
        try (LockConnection connection = locks.getConnection()) {
            assertThatExceptionOfType(InvalidLockRequestException.class)
                    .isThrownBy(() -> connection.acquire(LockRequest.of("a").ttl(ofSeconds(61))))
                    .withMessageContaining("maxLeaseTtlMillis = 60000 ms")
                    .withMessageContaining("PT1M1S");
        }
    }

    @Test
    void acquire_withLongestName_works() throws Exception {
        String name = "ä".repeat(512);
        try (LockConnection connection = locks.getConnection()) {
            assertThat(connection.acquire(name).isHeld()).isTrue();
        }
    }

    @Test
    void acquire_withLongestWait_doesNotOverflow() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            LockRequest patient = LockRequest.of("a").waitTimeout(ofSeconds(Long.MAX_VALUE));
            assertThat(connection.acquire(patient).isHeld()).isTrue();
        }
    }

    @Test
    void connect_wrongPassword_saysWhatTheNodesSaidAndNoSecret() throws Exception {
        String uris = redis.uris().replace("redis://", "redis://:s3cret@");
        try (LockConnectionFactory factory = Holdfast.connect(
                        Map.of("nodes", uris, "waitTimeoutMillis", "0", "guard", "OFF", "nodeTimeoutMillis", "2000"));
                LockConnection connection = factory.getConnection()) {
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> connection.acquire("a"))
                    .withMessageContaining("AUTH")
                    .satisfies(e -> assertThat(e.toString()).doesNotContain("s3cret"));
        }
    }

    @Test
    void connections_howeverManyAreOpen_shareSockets() throws Exception {
        List<LockConnection> open = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                LockConnection connection = locks.getConnection();
                open.add(connection);
                connection.acquire(now("many-" + i));
            }
            assertThat(sockets()).as("after one caller at a time").isLessThanOrEqualTo(FEW);
            List<Future<Optional<Lease>>> others = new ArrayList<>();
            for (LockConnection connection : open) {
                others.add(
                        threads.submit(() -> connection.tryAcquire(now("many-0").ttl(Duration.ofSeconds(5)))));
            }
            for (Future<Optional<Lease>> other : others) {
                assertThat(other.get(30, TimeUnit.SECONDS)).isEmpty();
            }
            assertThat(sockets()).as("after many at once").isLessThanOrEqualTo(FEW);
        } finally {
            open.forEach(LockConnection::close);
        }
        assertThat(isFree("many-100")).isTrue();
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire(now("many-0")).release();
        }
    }

    /** Returns how many connections a node has. */
    private long sockets() throws Exception {
        Matcher sockets =
                Pattern.compile("connected_clients:(\\d+)").matcher(redis.get(0).command("INFO clients"));
        assertThat(sockets.find()).isTrue();
        return Long.parseLong(sockets.group(1));
    }
}
