// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.holdfast.ReleaseResult;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A release that no caller waits for, on real nodes. */
@Timeout(60)
class UnawaitedReleaseOnNodesTest {

    private static final LockRequest REQUEST = LockRequest.of("a").ttl(Duration.ofSeconds(20));
    private static final LockRequest AT_ONCE = REQUEST.waitTimeout(Duration.ZERO);

    private RedisServers nodes;
    private LockConnectionFactory locks;
    private LockConnection connection;

    @BeforeEach
    void start() {
        nodes = RedisServers.start(3);
        locks = connect();
        connection = locks.getConnection();
    }

    @AfterEach
    void stop() {
        nodes.all().forEach(RedisServer::thaw);
        connection.close();
        locks.close();
        nodes.close();
    }

    private LockConnectionFactory connect() {
        return Holdfast.connect(
                Map.of("nodes", nodes.uris(), "guard", "OFF", "nodeTimeoutMillis", "3000", "release", "ASYNC"));
    }

    private boolean isFreeFor(LockConnectionFactory others, LockRequest request) throws InterruptedException {
        try (LockConnection other = others.getConnection()) {
            Optional<Lease> lease = other.tryAcquire(request.release(Release.CONFIRMED));
            lease.ifPresent(Lease::release);
            return lease.isPresent();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "READ", "WRITE"})
    void lock_isFreeForOtherProcesses_aMomentLater(LockMode mode) throws Exception {
        try (LockConnectionFactory others = connect()) {
            Lease lease = connection.acquire(REQUEST.mode(mode));
            assertThat(lease.release()).isEqualTo(ReleaseResult.UNCONFIRMED);
            await().until(() -> isFreeFor(others, AT_ONCE));
        }
    }

    /** Both lie in sockets at that time: on another connection the request might be read first. */
    @Test
    void nextRequest_comesToEachNodeAfterTheRelease() throws Exception {
        connection.acquire(REQUEST).release(); // which opens connections
        for (int round = 0; round < 5; round++) {
            Lease lease = connection.acquire(REQUEST);
            nodes.all().forEach(RedisServer::freeze);
            lease.release();
            FutureTask<Optional<Lease>> next = Processes.start(() -> {
                try (LockConnection other = locks.getConnection()) {
                    return other.tryAcquire(AT_ONCE.detached());
                }
            });
            await().during(Duration.ofMillis(100)).until(() -> !isAnswered(next));
            nodes.all().forEach(RedisServer::thaw);
            Optional<Lease> taken = next.get(20, TimeUnit.SECONDS);
            assertThat(taken).isPresent();
            assertThat(taken.get().token()).isGreaterThan(lease.token());
            taken.get().release();
        }
    }

    /** Fails with what the request failed with. */
    private static boolean isAnswered(FutureTask<?> request) throws Exception {
        if (request.isDone()) {
            request.get();
        }
        return request.isDone();
    }

    @Test
    void sameThread_hasTheLockAgainAtOnce_eachTime() throws Exception {
        for (int round = 0; round < 500; round++) {
            Optional<Lease> lease = connection.tryAcquire(AT_ONCE);
            assertThat(lease).isPresent();
            lease.get().release();
        }
    }

    /** They could not be woken before it is known whether another process waits, and whose turn it is. */
    @Test
    void release_whileAnotherCallerOfTheProcessWaits_isWaitedFor() throws Exception {
        Lease lease = connection.acquire(REQUEST);
        FutureTask<Lease> waiting = Processes.start(() -> {
            try (LockConnection other = locks.getConnection()) {
                return other.acquire(REQUEST.ttl(Duration.ofSeconds(10)).detached()); // no lease that is passed on
            }
        });
        await().until(() ->
                nodes.get(0).ask("PUBSUB NUMSUB holdfast:{a}:released").contains(":1"));
        assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
        waiting.get(20, TimeUnit.SECONDS).release();
    }

    @Test
    void factory_thatIsClosedJustThen_leavesNothingBehind() throws Exception {
        try (LockConnectionFactory others = connect()) {
            for (int round = 0; round < 20; round++) {
                try (LockConnectionFactory ending = connect()) {
                    ending.getConnection().acquire(REQUEST.detached()).release();
                }
                assertThat(isFreeFor(others, AT_ONCE)).isTrue();
            }
        }
    }

    @Test
    void node_thatHangs_isSentTheReleaseUntilItConfirms() throws Exception {
        nodes.get(0).freeze();
        connection.acquire(REQUEST).release();
        nodes.get(0).thaw();
        await().until(() -> !nodes.get(0).ask("KEYS *lock").contains("holdfast"));
    }
}
