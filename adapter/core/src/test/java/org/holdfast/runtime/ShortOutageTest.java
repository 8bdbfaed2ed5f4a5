// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The library without a container, while nodes hang for a moment or are restarted. */
@Timeout(60)
class ShortOutageTest extends TwoProcesses {

    @Test
    void acquire_afterAllNodesWereRestarted_succeeds() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire("a").release();
            redis.all().forEach(RedisServer::kill);
            redis.all().forEach(RedisServer::start);
            await().pollDelay(ofMillis(150)).until(() -> true); // idle for longer than a connection is trusted blindly
            // a look during the restart sets nodes aside for a moment
            assertThat(connection.tryAcquire(LockRequest.of("a").waitTimeout(ofSeconds(5))))
                    .isPresent();
        }
    }

    @Test
    void close_whileEveryNodeHangs_takesTwoSecondsAtTheMost() throws Exception {
        LockConnectionFactory impatient = connect(redis.uris(), "200");
        LockConnection connection = impatient.getConnection();
        for (int i = 0; i < 300; i++) {
            connection.acquire(LockRequest.of("lock-" + i).detached());
        }
        redis.all().forEach(RedisServer::freeze);
        long begun = System.nanoTime();
        impatient.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("2 s, on a machine that may stand still; a timeout for each lease would be a minute")
                .isLessThan(ofSeconds(6));
    }

    @Test
    void lease_shortWhileOneNodeHangs_isRenewed() throws Exception {
        try (LockConnectionFactory brief = connect(redis.uris(), "800");
                LockConnection connection = brief.getConnection()) {
            Lease lease = connection.acquire(LockRequest.of("a").ttl(ofMillis(2_800)));
            redis.get(0).freeze();
            await().pollDelay(ofMillis(7_000)).until(() -> true);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void lease_whileEveryNodeHangsForAMomentAndAnotherAsks_isKept() throws Exception {
        try (LockConnection connection = locks.getConnection();
                LockConnectionFactory impatient = connect(redis.uris(), "200");
                LockConnection contender = impatient.getConnection()) {
            Lease lease = connection.acquire(LockRequest.of("a").ttl(ofSeconds(4)));
            contender.acquire("other"); // its connections are open
            redis.all().forEach(RedisServer::freeze);
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> contender.tryAcquire(now("a")));
            redis.all().forEach(RedisServer::thaw);
            await().pollDelay(ofMillis(5_000)).until(() -> true);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void acquire_afterEveryNodeHungForAMoment_succeedsOnEachConnection() throws Exception {
        List<LockConnection> connections =
                IntStream.range(0, 4).mapToObj(i -> locks.getConnection()).toList();
        for (LockConnection connection : connections) {
            connection.acquire("warm").release();
        }
        redis.all().forEach(RedisServer::freeze);
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> connections.get(0).acquire(LockRequest.of("a").waitTimeout(ofMillis(300))));
        redis.all().forEach(RedisServer::thaw);
        for (LockConnection connection : connections) {
            connection.acquire(LockRequest.of("a").waitTimeout(ofSeconds(5))).release();
            connection.close();
        }
    }
}
