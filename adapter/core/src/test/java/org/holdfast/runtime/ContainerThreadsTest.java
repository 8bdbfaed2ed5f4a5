// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.connector.StubNaming;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A factory that a component of a server opens, without an adapter, on a server whose threads may be of no use. */
@Timeout(60)
class ContainerThreadsTest {

    private static final String CONTAINER = "container-thread";

    /** What becomes of a thread that the container is asked for. */
    enum Container implements ThreadFactory {
        SOUND {
            @Override
            public Thread newThread(Runnable task) {
                return new Thread(task, CONTAINER);
            }
        },
        /** As Payara, when the application has gone. */
        SILENT {
            @Override
            public Thread newThread(Runnable task) {
                return new Thread(() -> {}, CONTAINER);
            }
        },
        REFUSING {
            @Override
            public Thread newThread(Runnable task) {
                throw new IllegalStateException("the factory is stopped");
            }
        }
    }

    private final RedisServers redis = RedisServers.start(3);
    private final StubNaming naming = StubNaming.start();
    private final LockConnectionFactory otherProcess = connect();

    private LockConnectionFactory connect() {
        return Holdfast.connect(
                Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "2000", "ttlMillis", "4000"));
    }

    private LockConnectionFactory connect(ThreadFactory container) {
        naming.bind("java:comp/DefaultManagedThreadFactory", container);
        return connect();
    }

    @AfterEach
    void close() {
        otherProcess.close();
        naming.close();
        redis.close();
    }

    private static Stream<Thread> containersThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(CONTAINER));
    }

    @ParameterizedTest
    @EnumSource
    void lease_onAnyServer_isRenewedAndItsLossIsTold_andFuturesAreCompleted(Container container) throws Exception {
        try (LockConnectionFactory locks = connect(container);
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(LockRequest.of("kept").detached());
            CompletableFuture<Lease> waiting =
                    connection.acquireAsync(LockRequest.of("kept").detached().waitTimeout(ofSeconds(30)));
            CompletableFuture<Thread> told = new CompletableFuture<>();
            lease.onLost(loss -> told.complete(Thread.currentThread()));
            await().pollDelay(ofMillis(6_000)).until(lease::isHeld); // its TTL is over

            otherProcess.forceRelease("kept");
            Thread teller = told.get(10, SECONDS);
            assertThat(teller.getName().equals(CONTAINER)).isEqualTo(container == Container.SOUND);
            waiting.get(10, SECONDS).release();
        }
    }

    @Test
    void close_ofTheFactory_endsTheContainersThreads() throws Exception {
        try (LockConnectionFactory locks = connect(Container.SOUND);
                LockConnection connection = locks.getConnection()) {
            connection
                    .acquireAsync(LockRequest.of("a").detached())
                    .get(10, SECONDS)
                    .release();
            await().untilAsserted(
                            () -> assertThat(containersThreads()) // one makes threads, one renews, one looks at nodes
                                    .hasSizeGreaterThanOrEqualTo(3)
                                    .allMatch(Thread::isDaemon));
        }
        await().untilAsserted(() -> assertThat(containersThreads()).isEmpty());
    }

    @Test
    void check_thatFailsAtTheStart_leavesNoThread() {
        naming.bind("java:comp/DefaultManagedThreadFactory", Container.SOUND);
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> Holdfast.connect(Map.of("nodes", "redis://127.0.0.1:1", "checkAtStart", "true")))
                .withMessageStartingWith("HF0110");
        await().untilAsserted(() -> assertThat(containersThreads()).isEmpty());
    }

    private LockConnectionFactory connectOnAServer(String stopTimeoutMillis) {
        return Holdfast.connect(Map.of(
                "nodes",
                redis.uris(),
                "guard",
                "OFF",
                "nodeTimeoutMillis",
                "2000",
                "stopTimeoutMillis",
                stopTimeoutMillis));
    }

    private boolean isHeld(String name) throws InterruptedException {
        try (LockConnection connection = otherProcess.getConnection()) {
            return connection
                    .tryAcquire(LockRequest.of(name).waitTimeout(Duration.ZERO))
                    .isEmpty();
        }
    }

    /** A server ends an application while requests are under way. */
    @Test
    void close_underAHolderThatDoesNotEnd_losesItsLeaseAndLeavesItOnTheNodes() throws Exception {
        LockConnectionFactory locks = connectOnAServer("200");
        Lease lease = locks.getConnection().acquire(LockRequest.of("endless").detached());
        CompletableFuture<String> told = new CompletableFuture<>();
        lease.onLost(loss -> told.complete(loss.reason()));
        locks.close();
        assertThat(told.get(10, SECONDS)).contains("stopTimeoutMillis = 200");
        assertThat(lease.isHeld()).isFalse();
        assertThat(isHeld("endless")).isTrue();
    }

    @Test
    void close_underAHolderThatEnds_waitsForItAndReleasesItsLock() throws Exception {
        LockConnectionFactory locks = connectOnAServer("30000");
        Lease lease = locks.getConnection().acquire(LockRequest.of("ending").detached());
        CompletableFuture<Void> closing = CompletableFuture.runAsync(locks::close);
        await().until(() -> isClosed(locks));
        assertThat(lease.isHeld()).isTrue();
        assertThat(isHeld("ending")).isTrue();
        lease.release();
        closing.get(10, SECONDS);
        assertThat(isHeld("ending")).isFalse();
    }

    private static boolean isClosed(LockConnectionFactory locks) {
        try {
            locks.getConnection().close();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }
}
