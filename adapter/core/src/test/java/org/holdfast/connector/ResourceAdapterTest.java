// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.holdfast.connector.RunningAdapter.handle;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConfigProperty;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.ResourceAdapterInternalException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The life of the adapter, on real nodes. */
@Timeout(60)
class ResourceAdapterTest {

    private static RedisServers redis;

    private RunningAdapter running;

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(3);
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
    void start_withInvalidSettings_namesThemAll() {
        HoldfastResourceAdapter wrong = new HoldfastResourceAdapter();
        wrong.setNodes("redis://a,redis://:s3cret@a");
        wrong.setTtlMillis("0");
        wrong.setScheduler("java:comp/NoSuchThing");
        assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(() -> wrong.start(running))
                .withMessageContaining("nodes names redis://a:6379 twice")
                .withMessageContaining("ttlMillis must be 100 to 60000 ms, was '0'")
                .withMessageContaining("scheduler must name a ManagedScheduledExecutorService in JNDI")
                .satisfies(e -> assertThat(e.toString()).doesNotContain("s3cret"));
    }

    @Test
    void start_withUnknownScheduler_isRefused() {
        HoldfastResourceAdapter wrong = new HoldfastResourceAdapter();
        wrong.setNodes(redis.uris());
        wrong.setScheduler("java:comp/NoSuchThing");
        assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(() -> wrong.start(running))
                .withMessageContaining("scheduler")
                .withMessageContaining("'java:comp/NoSuchThing'");
    }

    @Test
    void start_thatFails_isAFaultOfTheAdapterAndLeavesNoTimer() {
        HoldfastResourceAdapter unlucky = new HoldfastResourceAdapter();
        unlucky.setNodes(redis.uris());
        running.fault = new IllegalStateException("the server is going down");
        assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(() -> unlucky.start(running))
                .withMessageContaining("HF0401")
                .withMessageContaining("the server is going down");
        await().untilAsserted(() -> assertThat(RunningAdapter.timers())
                .as("two timers of the adapter that runs, and the thread that looks at its nodes")
                .hasSize(3));
    }

    @Test
    void start_withACheckThatFindsNoMajority_failsAndLeavesNothing() throws Exception {
        HoldfastResourceAdapter unlucky = new HoldfastResourceAdapter();
        unlucky.setNodes("redis://127.0.0.1:" + FreePort.find());
        unlucky.setKeyPrefix("unlucky");
        unlucky.setCheckAtStart("true");
        assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(() -> unlucky.start(running))
                .withMessageContainingAll("HF0401", "HF0110", "Connection refused");
        await().untilAsserted(() -> assertThat(RunningAdapter.timers())
                .as("two timers of the adapter that runs, and the thread that looks at its nodes")
                .hasSize(3));
        assertThatExceptionOfType(ResourceException.class)
                .isThrownBy(() -> unlucky.service(unlucky.settings(Map.of())))
                .withMessageContainingAll("HF0402", "HF0110");
        unlucky.stop();
    }

    @Test
    void check_ofAFactory_looksAtTheNodesOfItsAdapterWithoutAPooledConnection() throws Exception {
        LockManagedConnectionFactory factory = new LockManagedConnectionFactory();
        factory.setResourceAdapter(running.adapter);
        LockConnectionFactory locks = (LockConnectionFactory) factory.createConnectionFactory(new ConnectionManager() {
            private static final long serialVersionUID = 1L;

            @Override
            public Object allocateConnection(ManagedConnectionFactory from, ConnectionRequestInfo info)
                    throws ResourceException {
                throw new ResourceException("the pool is used up");
            }
        });
        assertThat(locks.check().isReady()).isTrue();
        assertThat(locks.check().nodes()).hasSize(3);
        running.adapter.stop();
        assertThatIllegalStateException().isThrownBy(locks::check).withMessageContaining("HF0402");
    }

    @Test
    void stop_endsEveryLeaseAndItsTimer() throws Exception {
        Lease lease = handle(running.managed()).acquire(LockRequest.of("stop").detached());
        int threads = Thread.activeCount();
        Set<Thread> ours = RunningAdapter.timers();
        assertThat(ours).isNotEmpty();
        running.adapter.stop();
        running.adapter.stop();
        assertThat(lease.isHeld()).isFalse();
        await().untilAsserted(() -> assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads));
        await().untilAsserted(() -> assertThat(RunningAdapter.timers()).doesNotContainAnyElementsOf(ours));
        assertThatExceptionOfType(ResourceException.class).isThrownBy(running::managed);

        running.adapter.start(running);
        assertThat(handle(running.managed()).acquire("started").isHeld()).isTrue();
    }

    @Test
    void stop_closesTheSocketsOfConnectionsThatTheContainerForgets() throws Exception {
        LockConnection connection = handle(running.managed());
        connection.acquire("forgotten");
        connection.close(); // and returns to a pool that is never emptied
        for (RedisServer node : redis.all()) {
            assertThat(RunningAdapter.sockets(node)).isPositive();
        }
        running.adapter.stop();
        for (RedisServer node : redis.all()) {
            await().until(() -> RunningAdapter.sockets(node) == 0);
        }
    }

    @Test
    void settings_areAnnotatedOnFieldsOnlyAndThoseWithPasswordsAreConfidential() throws Exception {
        for (Method method : HoldfastResourceAdapter.class.getMethods()) {
            assertThat(method.isAnnotationPresent(ConfigProperty.class))
                    .as(method.getName())
                    .isFalse();
        }
        assertThat(EveryPropertyTest.lineage(HoldfastResourceAdapter.class)
                        .flatMap(type -> Arrays.stream(type.getDeclaredFields()))
                        .filter(field -> field.isAnnotationPresent(ConfigProperty.class)))
                .hasSize(29)
                .allSatisfy(field -> {
                    assertThat(field.getType()).isIn(String.class, Long.class, Double.class, Boolean.class);
                    assertThat(field.getAnnotation(ConfigProperty.class).confidential())
                            .as(field.getName())
                            .isEqualTo(field.getName().matches("nodes|password|.*Password"));
                });
    }

    @Test
    void adapters_withTheSameSettings_areEqualAndTheirHashCodeNeverChanges() {
        HoldfastResourceAdapter one = new HoldfastResourceAdapter();
        HoldfastResourceAdapter other = new HoldfastResourceAdapter();
        Set<HoldfastResourceAdapter> known = new HashSet<>(Set.of(one));
        one.setNodes("redis://a");
        assertThat(known.contains(one)).isTrue();
        assertThat(one).isNotEqualTo(other);

        other.setNodes("redis://a");
        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
        other.setScheduler("java:/another");
        assertThat(one).isNotEqualTo(other);
        other.setScheduler(null);
        other.setPassword("s3cret");
        assertThat(one).isNotEqualTo(other);
    }

    @Test
    void messageEndpoints_areRefusedWithAReasonAndThereIsNothingToRecover() {
        assertThatExceptionOfType(NotSupportedException.class)
                .isThrownBy(() -> running.adapter.endpointActivation(null, null))
                .withMessageContaining("delivers no messages");
        assertThat(running.adapter.getXAResources(null)).isEmpty();
    }
}
