// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A caller that waits for a lock has no connection of the pool meanwhile. */
@Timeout(60)
class LazyConnectionTest {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private RedisServer redis;
    private RunningAdapter running;
    private SmallPool pool;
    private LockConnectionFactory locks;

    /** A container's pool of one connection. */
    private static final class SmallPool implements ConnectionManager, ConnectionEventListener {

        private static final long serialVersionUID = 1L;

        private final transient BlockingQueue<ManagedConnection> free = new LinkedBlockingQueue<>();
        private transient volatile Object handle;

        SmallPool(ManagedConnection only) {
            only.addConnectionEventListener(this);
            free.add(only);
        }

        @Override
        public Object allocateConnection(ManagedConnectionFactory factory, ConnectionRequestInfo info)
                throws ResourceException {
            try {
                ManagedConnection taken = free.poll(2, TimeUnit.SECONDS);
                if (taken == null) {
                    throw new ResourceException("the pool is exhausted");
                }
                handle = taken.getConnection(null, info);
                return handle;
            } catch (InterruptedException e) {
                throw new ResourceException(e);
            }
        }

        @Override
        public void connectionClosed(ConnectionEvent event) {
            try {
                assertThat(event.getConnectionHandle()).isSameAs(handle);
                ((ManagedConnection) event.getSource()).cleanup();
                free.add((ManagedConnection) event.getSource());
            } catch (ResourceException e) {
                throw new IllegalStateException(e);
            }
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

    @BeforeEach
    void start() throws Exception {
        redis = RedisServer.start(Path.of("target", "redis"));
        running = new RunningAdapter(redis.uri());
        pool = new SmallPool(running.managed());
        locks = (LockConnectionFactory) running.factory.createConnectionFactory(pool);
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        running.close();
        redis.close();
    }

    private static LockRequest patiently(String name) {
        return LockRequest.of(name).waitTimeout(ofSeconds(20));
    }

    private Lease heldElsewhere(String name) throws Exception {
        return RunningAdapter.handle(running.managed())
                .acquire(LockRequest.of(name).detached());
    }

    /** Returns what becomes of a thread that waits, once it does. */
    private Future<Lease> waitFor(LockConnection connection, String name) {
        Future<Lease> waiting = threads.submit(() -> connection.acquire(patiently(name)));
        await().until(() -> pool.free.size() == 1);
        return waiting;
    }

    @Test
    void connection_thatWaits_leavesThePoolToOthers() throws Exception {
        Lease elsewhere = heldElsewhere("contended");
        LockConnection waits = locks.getConnection();
        Future<Lease> waiting = waitFor(waits, "contended");
        try (LockConnection other = locks.getConnection()) {
            assertThat(other.acquire("other").isHeld()).isTrue();
        }
        elsewhere.release();
        assertThat(waiting.get(10, TimeUnit.SECONDS).isHeld()).isTrue();
        waits.close();
    }

    @Test
    void leaseOfAConnection_thatWaited_endsWithWhatTheContainerHas() throws Exception {
        Lease elsewhere = heldElsewhere("contended");
        Future<Lease> waiting = waitFor(locks.getConnection(), "contended");
        elsewhere.release();
        Lease lease = waiting.get(10, TimeUnit.SECONDS);
        assertThat(pool.free).as("the lease keeps a connection").isEmpty();
        ((LockConnection) pool.handle).close(); // as a container does with what the application has forgotten
        assertThat(lease.isHeld()).isFalse();
        assertThat(pool.free).hasSize(1);
    }

    @Test
    void connectionWithALease_keepsItsPlaceInThePool_howeverAWaitEnds() throws Exception {
        LockConnection connection = locks.getConnection();
        Lease early = connection.acquire("early");
        Lease elsewhere = heldElsewhere("contended");
        assertThat(connection.tryAcquire(LockRequest.of("contended").waitTimeout(ofMillis(300))))
                .isEmpty();
        assertThat(pool.free).as("the lease keeps a connection").isEmpty();
        ((LockConnection) pool.handle).close(); // as a container does with what the application has forgotten
        assertThat(early.isHeld()).isFalse();
        elsewhere.release();
    }

    @Test
    void leaseThatNeedsNoConnection_getsNoneAfterTheWait() throws Exception {
        Lease elsewhere = heldElsewhere("contended");
        LockConnection connection = locks.getConnection();
        Future<Lease> waiting =
                threads.submit(() -> connection.acquire(patiently("contended").detached()));
        await().until(() -> pool.free.size() == 1);
        elsewhere.release();
        Lease lease = waiting.get(10, TimeUnit.SECONDS);
        assertThat(pool.free).hasSize(1);
        connection.close();
        assertThat(lease.isHeld()).isTrue();
        lease.release();
    }

    @Test
    void connectionClosedByAnotherThread_givesTheWaiterNothing() throws Exception {
        Lease elsewhere = heldElsewhere("contended");
        LockConnection connection = locks.getConnection();
        Future<Lease> waiting = waitFor(connection, "contended");
        connection.close();
        assertThatExceptionOfType(java.util.concurrent.ExecutionException.class)
                .isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                .withCauseInstanceOf(IllegalStateException.class);
        elsewhere.release();
        assertThatIllegalStateException().isThrownBy(() -> connection.acquire("a"));
        assertThat(RunningAdapter.handle(running.managed())
                        .tryAcquire(LockRequest.of("contended").waitTimeout(ofSeconds(20))))
                .isPresent();
    }

    @Test
    void leaseThatGetsNoConnectionAnyMore_isReleased() throws Exception {
        Lease elsewhere = heldElsewhere("contended");
        Future<Lease> waiting = waitFor(locks.getConnection(), "contended");
        LockConnection greedy = locks.getConnection();
        elsewhere.release();
        assertThatExceptionOfType(java.util.concurrent.ExecutionException.class)
                .isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                .withCauseInstanceOf(LockException.class)
                .withMessageContaining("the pool is exhausted");
        assertThat(greedy.tryAcquire(LockRequest.of("contended").waitTimeout(ofMillis(500))))
                .isPresent();
        greedy.close();
    }

    @Test
    void connectionGivenBackByAThreadThatWaits_isThereForAnotherThread() throws Exception {
        Lease elsewhere = heldElsewhere("contended");
        List<Runnable> just = new ArrayList<>();
        LockConnection connection = new LazyConnection(() -> before(just, handle()));
        just.add(() -> waitFor(connection, "contended")); // when it has the connection, and has not used it yet
        assertThat(connection.tryAcquire(LockRequest.of("free").detached())).isPresent();
        elsewhere.release();
        connection.close();
    }

    /** The pool refuses an interrupted thread: {@code poll} throws. */
    @Test
    void lock_interruptedWhileItWaits_isTakenAndTheInterruptKept() throws Exception {
        Lease elsewhere = heldElsewhere("jdk");
        LockConnection connection = locks.getConnection();
        AtomicReference<Thread> waiter = new AtomicReference<>();
        Future<Boolean> waiting = threads.submit(() -> {
            waiter.set(Thread.currentThread());
            connection.lock("jdk").lock();
            boolean kept = Thread.interrupted();
            connection.lock("jdk").unlock();
            return kept;
        });
        await().until(() -> pool.free.size() == 1);
        waiter.get().interrupt();
        await().until(() -> !waiter.get().isInterrupted()); // the waiter keeps it aside
        elsewhere.release();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isTrue();
        connection.close();
    }

    @Test
    void lock_interruptedWhileItAsksThePool_isTakenAndTheInterruptKept() throws Exception {
        Lease elsewhere = heldElsewhere("jdk");
        LockConnection connection = locks.getConnection();
        AtomicReference<Thread> waiter = new AtomicReference<>();
        Future<Boolean> waiting = threads.submit(() -> {
            waiter.set(Thread.currentThread());
            connection.lock("jdk").lock();
            return Thread.interrupted();
        });
        await().until(() -> pool.free.size() == 1);
        LockConnection greedy = locks.getConnection();
        interruptWhenItAsksThePool(waiter.get(), elsewhere);
        greedy.close();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isTrue();
        connection.close();
    }

    @Test
    void lock_interruptedOftenWhileItAsksThePool_isTaken() throws Exception {
        Lease elsewhere = heldElsewhere("jdk");
        LockConnection connection = locks.getConnection();
        AtomicReference<Thread> waiter = new AtomicReference<>();
        Future<Boolean> waiting = threads.submit(() -> {
            waiter.set(Thread.currentThread());
            connection.lock("jdk").lock();
            return Thread.interrupted();
        });
        await().until(() -> pool.free.size() == 1);
        LockConnection greedy = locks.getConnection();
        interruptWhenItAsksThePool(waiter.get(), elsewhere);
        for (int i = 0; i < 20; i++) {
            await().until(() -> !waiter.get().isInterrupted());
            waiter.get().interrupt();
        }
        greedy.close();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isTrue();
        connection.close();
    }

    @Test
    void acquire_interruptedWhileItAsksThePool_leavesNothingTaken() throws Exception {
        Lease elsewhere = heldElsewhere("contended");
        AtomicReference<Thread> waiter = new AtomicReference<>();
        LockConnection connection = locks.getConnection();
        Future<Lease> waiting = threads.submit(() -> {
            waiter.set(Thread.currentThread());
            return connection.acquire(patiently("contended"));
        });
        await().until(() -> pool.free.size() == 1);
        LockConnection greedy = locks.getConnection();
        interruptWhenItAsksThePool(waiter.get(), elsewhere);
        assertThatExceptionOfType(java.util.concurrent.ExecutionException.class)
                .isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                .withCauseInstanceOf(InterruptedException.class);
        assertThat(greedy.tryAcquire(LockRequest.of("contended").waitTimeout(ofMillis(500))))
                .isPresent();
        greedy.close();
    }

    private void interruptWhenItAsksThePool(Thread waiter, Lease elsewhere) {
        elsewhere.release();
        await().until(() -> Arrays.stream(waiter.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("allocateConnection")));
        waiter.interrupt();
    }

    private ContainerConnection handle() {
        try {
            return (ContainerConnection) pool.allocateConnection(running.factory, null);
        } catch (ResourceException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the handle in a proxy, as some containers do, that first does something when a lock is attempted. */
    private static ContainerConnection before(List<Runnable> just, ContainerConnection handle) {
        return (ContainerConnection) Proxy.newProxyInstance(
                ContainerConnection.class.getClassLoader(),
                new Class<?>[] {ContainerConnection.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("attempt") && !just.isEmpty()) {
                        just.remove(0).run();
                    }
                    try {
                        return method.invoke(handle, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void waiterForALatch_leavesThePoolToTheThreadThatCountsDown() throws Exception {
        try (LockConnection waiting = locks.getConnection()) {
            Future<Boolean> open =
                    threads.submit(() -> waiting.latch("steps", 0, 1).await(ofSeconds(30)));
            await().until(() -> pool.free.size() == 1);
            try (LockConnection counting = locks.getConnection()) {
                counting.latch("steps", 0, 1).countDown();
            }
            assertThat(open.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(waiting.latch("steps", 0, 1).await(ofSeconds(0)))
                    .as("with a connection again")
                    .isTrue();
        }
    }
}
