// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ConfigProperty;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ResourceAdapterInternalException;
import jakarta.resource.spi.XATerminator;
import jakarta.resource.spi.work.WorkContext;
import jakarta.resource.spi.work.WorkManager;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.Timer;
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

/** The obligations of the Connectors specification, on real nodes, with the least that a container gives. */
@Timeout(60)
class ResourceAdapterTest {

    private static RedisServers redis;

    private final HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
    private final LockManagedConnectionFactory factory = new LockManagedConnectionFactory();
    private final Bootstrap bootstrap = new Bootstrap();

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
        adapter.setNodes(redis.uris());
        adapter.setGuard("OFF");
        adapter.start(bootstrap);
        factory.setResourceAdapter(adapter);
    }

    @AfterEach
    void stop() {
        adapter.stop();
        bootstrap.timers.forEach(Timer::cancel);
    }

    /** A container that has a timer, no executor and no transaction. */
    private static final class Bootstrap implements BootstrapContext {
        private final List<Timer> timers = new ArrayList<>();

        @Override
        public Timer createTimer() {
            Timer timer = new Timer(true);
            timers.add(timer);
            return timer;
        }

        @Override
        public TransactionSynchronizationRegistry getTransactionSynchronizationRegistry() {
            return (TransactionSynchronizationRegistry) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {TransactionSynchronizationRegistry.class},
                    (proxy, method, args) ->
                            method.getName().equals("getTransactionStatus") ? Status.STATUS_NO_TRANSACTION : null);
        }

        @Override
        public WorkManager getWorkManager() {
            return null;
        }

        @Override
        public XATerminator getXATerminator() {
            return null;
        }

        @Override
        public boolean isContextSupported(Class<? extends WorkContext> kind) {
            return false;
        }
    }

    private ManagedConnection managed() throws ResourceException {
        return factory.createManagedConnection(null, null);
    }

    private static LockConnection handle(ManagedConnection managed) throws ResourceException {
        return (LockConnection) managed.getConnection(null, null);
    }

    private static final class Events implements ConnectionEventListener {
        private final List<Object> closed = new ArrayList<>();

        @Override
        public void connectionClosed(ConnectionEvent event) {
            closed.add(event.getConnectionHandle());
        }

        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {}

        @Override
        public void localTransactionStarted(ConnectionEvent event) {}

        @Override
        public void localTransactionCommitted(ConnectionEvent event) {}

        @Override
        public void localTransactionRolledback(ConnectionEvent event) {}
    }

    @Test
    void start_withInvalidSettings_namesThemAll() {
        HoldfastResourceAdapter wrong = new HoldfastResourceAdapter();
        wrong.setNodes("redis://a,redis://:s3cret@a");
        wrong.setTtlMillis(0L);
        assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(() -> wrong.start(bootstrap))
                .withMessageContaining("nodes names redis://a:6379 twice")
                .withMessageContaining("ttlMillis must be 100 to 60000 ms, was '0'")
                .satisfies(e -> assertThat(e.toString()).doesNotContain("s3cret"));
    }

    @Test
    void start_withUnknownScheduler_isRefused() {
        HoldfastResourceAdapter wrong = new HoldfastResourceAdapter();
        wrong.setNodes(redis.uris());
        wrong.setScheduler("java:comp/NoSuchThing");
        assertThatExceptionOfType(ResourceAdapterInternalException.class)
                .isThrownBy(() -> wrong.start(bootstrap))
                .withMessageContaining("scheduler")
                .withMessageContaining("'java:comp/NoSuchThing'");
    }

    @Test
    void stop_releasesEveryLeaseAndEndsItsTimer() throws Exception {
        Lease lease = handle(managed()).acquire(LockRequest.of("stop").detached());
        int threads = Thread.activeCount();
        adapter.stop();
        adapter.stop();
        assertThat(lease.isHeld()).isFalse();
        assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads);
        assertThatIllegalStateException().isThrownBy(() -> bootstrap
                .timers
                .get(0)
                .schedule(
                        new java.util.TimerTask() {
                            @Override
                            public void run() {}
                        },
                        1));
        assertThatExceptionOfType(ResourceException.class).isThrownBy(this::managed);

        adapter.start(bootstrap);
        assertThat(handle(managed()).acquire("stop").isHeld()).isTrue();
    }

    @Test
    void settings_areAnnotatedOnFieldsOnlyAndThePasswordIsConfidential() throws Exception {
        for (Method method : HoldfastResourceAdapter.class.getMethods()) {
            assertThat(method.isAnnotationPresent(ConfigProperty.class))
                    .as(method.getName())
                    .isFalse();
        }
        assertThat(Arrays.stream(HoldfastResourceAdapter.class.getDeclaredFields())
                        .filter(field -> field.isAnnotationPresent(ConfigProperty.class)))
                .hasSize(14)
                .allSatisfy(field -> assertThat(field.getType()).isIn(String.class, Long.class, Double.class));
        assertThat(HoldfastResourceAdapter.class
                        .getDeclaredField("password")
                        .getAnnotation(ConfigProperty.class)
                        .confidential())
                .isTrue();
    }

    @Test
    void factories_ofEqualAdapters_areEqualAndTheirHashCodeNeverChanges() throws Exception {
        HoldfastResourceAdapter same = new HoldfastResourceAdapter();
        same.setNodes(redis.uris());
        same.setGuard("OFF");
        HoldfastResourceAdapter different = new HoldfastResourceAdapter();
        different.setNodes("redis://elsewhere");
        LockManagedConnectionFactory one = new LockManagedConnectionFactory();
        int before = one.hashCode();
        one.setResourceAdapter(same);
        LockManagedConnectionFactory other = new LockManagedConnectionFactory();
        other.setResourceAdapter(different);

        assertThat(one).isEqualTo(factory).hasSameHashCodeAs(factory).isNotEqualTo(other);
        assertThat(one.hashCode()).isEqualTo(before);
    }

    @Test
    void match_takesOneOfOursAndNothingElse() throws Exception {
        ManagedConnection ours = managed();
        assertThat(factory.matchManagedConnections(Set.of(), null, null)).isNull();
        assertThat(factory.matchManagedConnections(Set.of("foreign"), null, null))
                .isNull();
        assertThat(factory.matchManagedConnections(Set.of("foreign", ours), null, null))
                .isSameAs(ours);

        adapter.stop();
        adapter.start(bootstrap);
        assertThat(factory.matchManagedConnections(Set.of(ours), null, null))
                .as("it belongs to a service that has ended")
                .isNull();
    }

    @Test
    void invalidConnections_areThoseThatWereDestroyed() throws Exception {
        ManagedConnection good = managed();
        ManagedConnection destroyed = managed();
        destroyed.destroy();
        Set<?> invalid = factory.getInvalidConnections(Set.of(good, destroyed, "foreign"));
        assertThat(invalid.size()).isEqualTo(1);
        assertThat(invalid.contains(destroyed)).isTrue();
    }

    @Test
    void close_ofHandle_firesOneEventWithTheHandle() throws Exception {
        ManagedConnection managed = managed();
        Events events = new Events();
        managed.addConnectionEventListener(events);
        LockConnection handle = handle(managed);
        handle.close();
        handle.close();
        assertThat(events.closed).containsExactly(handle);

        managed.removeConnectionEventListener(events);
        handle(managed).close();
        assertThat(events.closed).hasSize(1);
    }

    @Test
    void cleanup_invalidatesEveryHandleReleasesItsLeasesAndMayBeCalledAgain() throws Exception {
        ManagedConnection managed = managed();
        managed.cleanup();
        LockConnection one = handle(managed);
        LockConnection two = handle(managed);
        Lease lease = one.acquire("cleanup");
        managed.cleanup();
        managed.cleanup();

        assertThat(lease.isHeld()).isFalse();
        assertThatIllegalStateException().isThrownBy(() -> one.acquire("a"));
        assertThatIllegalStateException().isThrownBy(() -> two.acquire("a"));
        one.close();
        assertThat(handle(managed).acquire("cleanup").isHeld())
                .as("the managed connection lives on")
                .isTrue();
    }

    @Test
    void associate_movesTheHandleAndTheOldConnectionForgetsIt() throws Exception {
        ManagedConnection old = managed();
        ManagedConnection other = managed();
        LockConnection handle = handle(old);
        other.associateConnection(handle);
        old.cleanup();
        old.destroy();
        assertThat(handle.acquire("moved").isHeld()).isTrue();

        other.cleanup();
        assertThatIllegalStateException().isThrownBy(() -> handle.acquire("moved"));
        assertThatExceptionOfType(ResourceException.class).isThrownBy(() -> other.associateConnection("foreign"));
    }

    @Test
    void transactionsAsAResource_areRefusedWithAReason() throws Exception {
        ManagedConnection managed = managed();
        assertThatExceptionOfType(NotSupportedException.class)
                .isThrownBy(managed::getXAResource)
                .withMessageContaining("NoTransaction");
        assertThatExceptionOfType(NotSupportedException.class)
                .isThrownBy(managed::getLocalTransaction)
                .withMessageContaining("NoTransaction");
        assertThatExceptionOfType(NotSupportedException.class).isThrownBy(() -> adapter.endpointActivation(null, null));
    }

    @Test
    void factory_outsideAContainer_works() throws Exception {
        LockConnectionFactory locks = (LockConnectionFactory) factory.createConnectionFactory();
        try (LockConnection connection = locks.getConnection()) {
            assertThat(connection.acquire("outside").isHeld()).isTrue();
        }
        try (LockConnection connection = locks.getConnection()) {
            assertThat(connection.tryAcquire(LockRequest.of("outside"))).isPresent();
        }
    }

    @Test
    void factory_forOperators_worksThroughAConnectionOfThePool() throws Exception {
        List<ManagedConnection> pool = new ArrayList<>();
        LockConnectionFactory locks = (LockConnectionFactory) factory.createConnectionFactory((mcf, info) -> {
            pool.add(mcf.createManagedConnection(null, info));
            return proxyOf(pool.get(pool.size() - 1).getConnection(null, info));
        });
        Lease lease = handle(managed()).acquire("operated");
        assertThat(locks.holders("operated")).singleElement().satisfies(holder -> {
            assertThat(holder.token()).isEqualTo(lease.token());
            assertThat(holder.here()).isTrue();
        });
        assertThat(locks.forceRelease("operated")).hasSize(1);
        assertThat(lease.isHeld()).isFalse();
        assertThat(locks.holders("operated")).isEmpty();
        assertThat(pool).hasSize(3);
    }

    /** What some containers hand out in the place of a handle. */
    private static Object proxyOf(Object handle) {
        return Proxy.newProxyInstance(
                ResourceAdapterTest.class.getClassLoader(),
                handle.getClass().getInterfaces(),
                (proxy, method, args) -> method.invoke(handle, args));
    }

    @Test
    void factory_insideAContainer_asksItsConnectionManager() throws Exception {
        LockConnectionFactory locks = (LockConnectionFactory) factory.createConnectionFactory((mcf, info) -> {
            throw new ResourceException("the pool is exhausted");
        });
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(locks::getConnection)
                .withMessageContaining("the pool is exhausted");
    }

    @Test
    void managedConnectionFactory_isSerializable() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(factory);
        Object read = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        ((LockManagedConnectionFactory) read).setResourceAdapter(adapter);
        assertThat(read).isEqualTo(factory);
    }

    @Test
    void managedConnectionFactory_withoutAdapter_saysSo() {
        assertThatExceptionOfType(ResourceException.class)
                .isThrownBy(() -> new LockManagedConnectionFactory().createManagedConnection(null, null))
                .withMessageContaining("no resource adapter");
    }

    @Test
    void managedConnection_thatWasNeverUsed_opensNoSocket() throws Exception {
        long before = clients();
        ManagedConnection managed = managed();
        managed.cleanup();
        managed.destroy();
        assertThat(clients()).isEqualTo(before);
    }

    private static long clients() throws Exception {
        return redis.get(0)
                .command("CLIENT LIST")
                .lines()
                .filter(line -> line.contains("name=holdfast"))
                .count();
    }
}
