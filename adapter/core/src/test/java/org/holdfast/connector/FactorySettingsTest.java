// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.holdfast.connector.RunningAdapter.handle;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConfigProperty;
import jakarta.resource.spi.ManagedConnection;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.ReleaseResult;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a connection factory has in the place of what its adapter has. */
@Timeout(60)
class FactorySettingsTest {

    private static RedisServers redis;
    private RunningAdapter running;
    private LockManagedConnectionFactory own;

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
        own = running.newFactory();
        redis.get(0).command("FLUSHALL"); // what tests before left to its TTL
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private static boolean isFree(LockConnection connection, String name) throws Exception {
        LockRequest request = LockRequest.of(name).waitTimeout(Duration.ZERO).detached();
        return connection
                .tryAcquire(request)
                .map(lease -> {
                    lease.release();
                    return true;
                })
                .orElse(false);
    }

    @Test
    void properties_areAnnotatedOnFieldsOnlyAndTextOrNumbers() {
        for (Method method : LockManagedConnectionFactory.class.getMethods()) {
            assertThat(method.isAnnotationPresent(ConfigProperty.class))
                    .as(method.getName())
                    .isFalse();
        }
        assertThat(Arrays.stream(LockManagedConnectionFactory.class.getDeclaredFields())
                        .filter(field -> field.isAnnotationPresent(ConfigProperty.class)))
                .hasSize(4)
                .allSatisfy(field -> assertThat(field.getType()).isIn(String.class, Long.class));
    }

    @Test
    void ttl_ofTheFactory_isThatOfItsLeases() throws Exception {
        own.setTtlMillis("5000");
        assertThat(handle(own).acquire("ttl").remaining().toMillis()).isBetween(1_000L, 5_000L);
        assertThat(handle(running.factory).acquire("adapters").remaining().toMillis())
                .isBetween(20_000L, 30_000L);
        Lease asked = handle(own).acquire(LockRequest.of("asked").ttl(Duration.ofSeconds(20)));
        assertThat(asked.remaining().toMillis()).isBetween(10_000L, 20_000L);
    }

    @Test
    void waitTimeout_ofTheFactory_isThatOfItsRequests() throws Exception {
        own.setWaitTimeoutMillis("50");
        Lease held = handle(running.factory).acquire(LockRequest.of("wait").detached());
        LockConnection impatient = handle(own);
        assertThatExceptionOfType(LockTimeoutException.class)
                .isThrownBy(() -> impatient.acquire(LockRequest.of("wait").detached()))
                .withMessageContaining("50");
        held.release();
    }

    @Test
    void release_ofTheFactory_isThatOfItsLeases() throws Exception {
        own.setRelease("ASYNC");
        assertThat(handle(own).acquire("release").release()).isEqualTo(ReleaseResult.UNCONFIRMED);
        assertThat(handle(running.factory).acquire("adapters").release()).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    void keyPrefix_ofTheFactory_makesTheSameNameAnotherLock() throws Exception {
        own.setKeyPrefix("shop");
        LockConnection ofShop = handle(own);
        LockConnection ofAdapter = handle(running.factory);
        Lease lease = ofAdapter.acquire("order");
        assertThat(isFree(ofShop, "order")).isTrue();
        assertThat(isFree(ofAdapter, "order")).isFalse();

        Lease shops = ofShop.acquire("order");
        assertThat(shops.name()).isEqualTo("order");
        assertThat(redis.get(0).command("KEYS shop:*lock")).contains("shop:{order}:lock");
        assertThat(shops.isHeld()).isTrue();
        assertThat(lease.isHeld()).isTrue();
    }

    /** The property means the same, wherever it is set. */
    @Test
    void keyPrefix_ofTheFactory_isTheSpaceOfAnAdapterWithThatPrefix() throws Exception {
        own.setKeyPrefix("meeting-point");
        try (RunningAdapter elsewhere = new RunningAdapter(redis.uris())) {
            elsewhere.adapter.stop();
            elsewhere.adapter.setKeyPrefix("meeting-point");
            elsewhere.adapter.start(elsewhere);
            Lease lease = handle(elsewhere.factory).acquire("order");
            assertThat(isFree(handle(own), "order")).isFalse();
            lease.release();
            await().until(() -> isFree(handle(own), "order"));
        }
    }

    @Test
    void keyPrefix_thatIsTheAdapters_isNoOtherSpace() throws Exception {
        own.setKeyPrefix("holdfast");
        Lease lease = handle(own).acquire("order");
        assertThat(isFree(handle(running.factory), "order")).isFalse();
        assertThat(handle(running.factory).acquire("order").token())
                .as("the same holder has it")
                .isEqualTo(lease.token());
    }

    @Test
    void keyPrefix_ofTheFactory_leavesTheLimitOfNames() throws Exception {
        own.setKeyPrefix("x".repeat(64));
        String longest = "n".repeat(LockRequest.MAX_NAME_BYTES);
        assertThat(handle(own).acquire(longest).name()).isEqualTo(longest);
    }

    @Test
    void leases_ofAnotherSpace_areRenewedAndEndWithTheAdapter() throws Exception {
        own.setKeyPrefix("renewed");
        own.setTtlMillis("3000");
        ManagedConnection managed = own.createManagedConnection(null, null);
        Lease lease = handle(managed).acquire(LockRequest.of("order").detached());
        await().during(Duration.ofMillis(3_500)).until(lease::isHeld);
        await("it has a thread that looks at its nodes, and nothing is scheduled for it")
                .until(() -> RunningAdapter.timers().size() == 4);
        managed.destroy();
        running.adapter.stop();
        assertThat(lease.isHeld()).isFalse();
        assertThat(redis.get(0).command("EXISTS renewed:{order}:lock"))
                .as("it was not given back, and ends with its TTL")
                .isEqualTo(":1\r\n");
        await().until(() -> redis.get(0).command("EXISTS renewed:{order}:lock").equals(":0\r\n"));
        await().until(() -> RunningAdapter.sockets(redis.get(0)) == 0);
    }

    @Test
    void faults_ofFactoryAndAdapter_areReportedTogetherWithTheNameOfEach() throws Exception {
        own.setKeyPrefix("a b");
        own.setTtlMillis("60001");
        own.setWaitTimeoutMillis("-1");
        assertThatExceptionOfType(ResourceException.class)
                .isThrownBy(() -> own.createConnectionFactory((factory, info) -> null))
                .withMessageContaining("the connection factory's keyPrefix must be 1 to 64 letters")
                .withMessageContaining("the connection factory's ttlMillis must be 100 to 60000 ms, was '60001'")
                .withMessageContaining("the connection factory's waitTimeoutMillis must be 0 to");
        running.adapter.setDriftFactor("7.0");
        assertThatExceptionOfType(ResourceException.class)
                .isThrownBy(() -> own.createManagedConnection(null, null))
                .withMessageContaining("; the connection factory's keyPrefix")
                .withMessageContaining("driftFactor must be 0 to 0.5, was '7.0'");
    }

    @Test
    void factory_withoutAdapterYet_canBeBoundAndIsCheckedLater() throws Exception {
        LockManagedConnectionFactory early = new LockManagedConnectionFactory();
        early.setTtlMillis("1");
        assertThat(early.createConnectionFactory((factory, info) -> null)).isNotNull();
        early.setResourceAdapter(running.adapter);
        assertThatExceptionOfType(ResourceException.class)
                .isThrownBy(() -> early.createManagedConnection(null, null))
                .withMessageContaining("ttlMillis");
    }
}
