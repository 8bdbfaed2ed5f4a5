// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.holdfast.connector.RunningAdapter.handle;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which manager hands out connections: that of the container, and ours only where there is none. */
@Timeout(60)
class DefaultConnectionManagerTest {

    private static RedisServers redis;
    private RunningAdapter running;

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(1);
    }

    @AfterAll
    static void stopNodes() {
        redis.close();
    }

    @BeforeEach
    void start() throws Exception {
        running = new RunningAdapter(redis.uris());
    }

    @AfterEach
    void stop() {
        running.close();
    }

    @Test
    void factory_outsideAContainer_worksAgainAndAgain() throws Exception {
        LockConnectionFactory locks = (LockConnectionFactory) running.factory.createConnectionFactory();
        try (LockConnection connection = locks.getConnection()) {
            assertThat(connection.acquire("outside").isHeld()).isTrue();
        }
        try (LockConnection connection = locks.getConnection()) {
            assertThat(connection.tryAcquire(LockRequest.of("outside"))).isPresent();
        }
    }

    @Test
    void factory_outsideAContainer_destroysTheConnectionWithItsHandle() throws Exception {
        LockConnectionFactory locks = (LockConnectionFactory) running.factory.createConnectionFactory();
        LockConnection closed = locks.getConnection();
        closed.acquire("socket");
        closed.close();
        LockConnection broken = locks.getConnection();
        broken.acquire("socket");
        running.adapter.stop();
        assertThatIllegalStateException().isThrownBy(() -> broken.acquire("a")).withMessageContaining("any more");
        assertThatIllegalStateException().isThrownBy(() -> broken.acquire("a")).withMessageContaining("closed");
        await().until(() -> RunningAdapter.sockets(redis.get(0)) == 0);
    }

    @Test
    void factory_insideAContainer_asksNobodyButItsConnectionManager() throws Exception {
        ManagedConnection pooled = running.managed();
        List<ManagedConnectionFactory> asked = new ArrayList<>();
        LockConnection given = handle(pooled);
        LockConnectionFactory locks = (LockConnectionFactory) running.factory.createConnectionFactory((mcf, info) -> {
            asked.add(mcf);
            assertThat(info).isNull();
            return given;
        });
        assertThat(asked).as("none is taken before one is wanted").isEmpty();
        LockConnection connection = locks.getConnection();
        assertThat(asked).containsExactly(running.factory);
        connection.close();
        assertThatIllegalStateException().isThrownBy(() -> given.acquire("a")).withMessageContaining("closed");
        assertThat(handle(pooled).acquire("pooled").isHeld())
                .as("it is the container that decides what becomes of its connection")
                .isTrue();
    }

    @Test
    void factory_whoseConnectionManagerHasNone_saysWhy() throws Exception {
        LockConnectionFactory locks = (LockConnectionFactory) running.factory.createConnectionFactory((mcf, info) -> {
            throw new ResourceException("the pool is exhausted");
        });
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(locks::getConnection)
                .withMessageContaining("the pool is exhausted");
    }

    /** An operator must get in where callers have taken all connections, and do not give them back. */
    @Test
    void factory_forOperators_worksWithAPoolThatIsExhausted() throws Exception {
        LockConnectionFactory locks = (LockConnectionFactory) running.factory.createConnectionFactory((mcf, info) -> {
            throw new ResourceException("the pool is exhausted");
        });
        Lease lease = handle(running.managed()).acquire("operated");
        assertThat(locks.holders("operated")).singleElement().satisfies(holder -> {
            assertThat(holder.token()).isEqualTo(lease.token());
            assertThat(holder.here()).isTrue();
        });
        assertThat(locks.forceRelease("operated")).hasSize(1);
        assertThat(lease.isHeld()).isFalse();
        assertThat(locks.holders("operated")).isEmpty();
        assertThat(locks.locks(10).complete()).isTrue();
        assertThat(locks.state(LockRequest.of("operated")).isIdle()).isTrue();
    }
}
