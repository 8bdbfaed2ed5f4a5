// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.XATerminator;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkContext;
import jakarta.resource.spi.work.WorkManager;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.LockEngine;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Storms of callers in a container with a small pool, and with transactions that time out. */
class AttackSixPoolTest implements BootstrapContext {

    private static final int THREADS = 16;
    private static final int POOL = 4;

    private final HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
    private final LockManagedConnectionFactory factory = new LockManagedConnectionFactory();
    private final Registry registry = new Registry();
    private final Map<String, AtomicLong> ends = new ConcurrentSkipListMap<>();
    private final Set<String> oddities = ConcurrentHashMap.newKeySet();
    private final Map<Thread, String> doing = new ConcurrentHashMap<>();
    private volatile boolean over;
    private RedisServer redis;
    private Pool pool;
    private LockConnectionFactory locks;
    private LockEngine engine;

    /** One transaction of a thread, which a reaper may end. */
    private static final class Tx {
        private final List<Synchronization> synchronizations = new ArrayList<>();
        private int status = Status.STATUS_ACTIVE;

        synchronized void register(Synchronization one) {
            if (status != Status.STATUS_ACTIVE && status != Status.STATUS_PREPARING) {
                throw new IllegalStateException("status " + status);
            }
            synchronizations.add(one);
        }

        synchronized int status() {
            return status;
        }

        private synchronized List<Synchronization> all() {
            return List.copyOf(synchronizations);
        }

        void end(boolean commits) {
            RuntimeException failure = null;
            synchronized (this) {
                if (status != Status.STATUS_ACTIVE) {
                    return;
                }
                if (!commits) {
                    status = Status.STATUS_ROLLING_BACK;
                }
            }
            if (commits) {
                try {
                    for (Synchronization one : all()) {
                        one.beforeCompletion();
                    }
                } catch (RuntimeException e) {
                    failure = e;
                }
                synchronized (this) {
                    if (status != Status.STATUS_ACTIVE) {
                        return; // the reaper
                    }
                    status = Status.STATUS_COMMITTING;
                }
            }
            synchronized (this) {
                status = commits && failure == null ? Status.STATUS_COMMITTED : Status.STATUS_ROLLEDBACK;
            }
            for (Synchronization one : all()) {
                one.afterCompletion(status());
            }
        }
    }

    private static final class Registry implements TransactionSynchronizationRegistry {
        private final ThreadLocal<Tx> current = new ThreadLocal<>();

        @Override
        public Object getTransactionKey() {
            return current.get();
        }

        @Override
        public int getTransactionStatus() {
            Tx tx = current.get();
            return tx == null ? Status.STATUS_NO_TRANSACTION : tx.status();
        }

        @Override
        public void registerInterposedSynchronization(Synchronization one) {
            Tx tx = current.get();
            if (tx == null) {
                throw new IllegalStateException("none");
            }
            tx.register(one);
        }

        @Override
        public void setRollbackOnly() {
            // what beforeCompletion throws is enough
        }

        @Override
        public boolean getRollbackOnly() {
            return false;
        }

        @Override
        public void putResource(Object name, Object value) {}

        @Override
        public Object getResource(Object name) {
            return null;
        }
    }

    /** A container's pool, which fails for interrupted threads. */
    private static final class Pool implements ConnectionManager, ConnectionEventListener {
        private static final long serialVersionUID = 1L;
        private final transient BlockingQueue<ManagedConnection> free = new LinkedBlockingQueue<>();
        private final transient Set<Object> inUse = ConcurrentHashMap.newKeySet();
        private final AtomicInteger closed = new AtomicInteger();
        private final long patience;

        Pool(long patience) {
            this.patience = patience;
        }

        void add(ManagedConnection one) {
            one.addConnectionEventListener(this);
            free.add(one);
        }

        @Override
        public Object allocateConnection(ManagedConnectionFactory factory, ConnectionRequestInfo info)
                throws ResourceException {
            try {
                ManagedConnection taken = free.poll(patience, TimeUnit.MILLISECONDS);
                if (taken == null) {
                    throw new ResourceException("the pool is exhausted");
                }
                inUse.add(taken);
                return taken.getConnection(null, info);
            } catch (InterruptedException e) {
                throw new ResourceException(e);
            }
        }

        @Override
        public void connectionClosed(ConnectionEvent event) {
            try {
                ManagedConnection source = (ManagedConnection) event.getSource();
                if (inUse.remove(source)) {
                    source.cleanup();
                    free.add(source);
                } else {
                    closed.incrementAndGet();
                }
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
        adapter.setNodes(redis.uri());
        adapter.setGuard("OFF");
        adapter.setStopTimeoutMillis(0L);
        adapter.setNodeTimeoutMillis(1_000L);
        adapter.start(this);
        factory.setResourceAdapter(adapter);
        pool(POOL, 3_000);
    }

    private void pool(int size, long patience) throws Exception {
        pool = new Pool(patience);
        for (int i = 0; i < size; i++) {
            ManagedConnection one = factory.createManagedConnection(null, null);
            pool.add(one);
            engine = (LockEngine) field(((LockManagedConnection) one).service(), "engine");
        }
        locks = (LockConnectionFactory) factory.createConnectionFactory(pool);
    }

    @AfterEach
    void stop() {
        adapter.stop();
        redis.close();
    }

    /** A thread that ignores interrupts, and that is interrupted often while the pool has no connection. */
    @Test
    void lock_interruptedOftenWhileItAsksThePool_isTaken() throws Exception {
        pool(1, 20_000);
        LockConnection connection = locks.getConnection();
        Lease elsewhere = RunningAdapter.handle(factory.createManagedConnection(null, null))
                .acquire(LockRequest.of("jdk").detached());
        FutureTask<Boolean> work = new FutureTask<>(() -> {
            connection.lock("jdk").lock();
            return true;
        });
        Thread thread = new Thread(work);
        thread.start();
        await().until(() -> pool.free.size() == 1);
        LockConnection greedy = locks.getConnection();
        elsewhere.release();
        Thread.sleep(300);
        for (int i = 0; i < 20; i++) {
            thread.interrupt();
            Thread.sleep(20);
        }
        greedy.close();
        assertThat(work.get(20, TimeUnit.SECONDS)).isTrue();
        connection.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void storm_leavesNothing(long seed) throws Exception {
        List<Thread> callers = new ArrayList<>();
        Set<Tx> open = ConcurrentHashMap.newKeySet();
        LockConnection[] shared = {new LazyConnection(this::handle), null};
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(seed * 1_000 + i);
            Thread thread = new Thread(() -> call(random, open, shared), "caller-" + i);
            callers.add(thread);
            thread.start();
        }
        Random random = new Random(seed);
        Thread reaper = new Thread(() -> {
            Random mine = new Random(seed + 5);
            while (!over) {
                java.util.concurrent.locks.LockSupport.parkNanos(mine.nextInt(4_000_000));
                for (Tx tx : open) {
                    if (mine.nextInt(6) == 0) {
                        open.remove(tx);
                        tx.end(false);
                    }
                }
            }
        });
        reaper.start();
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.getLong("storm.seconds", 25));
        while (System.nanoTime() < until) {
            Thread.sleep(1);
            callers.get(random.nextInt(THREADS)).interrupt();
            if (random.nextInt(300) == 0) {
                LockConnection old = shared[0];
                try {
                    shared[0] = new LazyConnection(this::handle);
                    old.close();
                } catch (RuntimeException e) {
                    count("no new shared connection");
                }
            }
        }
        over = true;
        reaper.join();
        long begun = System.nanoTime();
        for (Thread caller : callers) {
            caller.join(Math.max(1, 30_000 - (System.nanoTime() - begun) / 1_000_000));
            if (caller.isAlive()) {
                oddities.add("hangs: " + doing.get(caller) + " " + List.of(caller.getStackTrace()));
            }
        }
        shared[0].close();
        System.out.println("STORM pool " + seed + ": " + ends + " closed twice " + pool.closed);
        oddities.forEach(o -> System.out.println("STORM odd: " + o));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!left().isEmpty() && System.nanoTime() < end) {
            Thread.sleep(50);
        }
        System.out.println("STORM left:" + left());
        assertThat(left()).isEmpty();
        for (int i = 0; i < 4; i++) {
            try (LockConnection fresh = locks.getConnection()) {
                fresh.acquire(LockRequest.of("n" + i).waitTimeout(ofSeconds(5))).release();
            }
        }
        assertThat(oddities).isEmpty();
    }

    private String left() throws Exception {
        String left = "";
        if (EngineBridge.remembered(engine) != 0) {
            left += " remembered " + EngineBridge.remembered(engine) + " held " + engine.heldNames(9) + " waiters "
                    + engine.waiters();
        }
        if (pool.free.size() != POOL) {
            left += " pool " + pool.free.size();
        }
        Object transactions = field(field(engineOwner(), "transactionLeases"), "byTransaction");
        if (!((Map<?, ?>) transactions).isEmpty()) {
            left += " transactions " + transactions;
        }
        if (!field(field(engine, "attemptLimiter"), "free").equals(100)) {
            left += " limiter";
        }
        String keys = redis.command("KEYS *");
        for (String key : keys.split("\\s+")) {
            if (key.startsWith("holdfast") && !key.endsWith(":fence") && !key.endsWith(":latch")) {
                left += " key " + key;
            }
        }
        return left;
    }

    private Object engineOwner() {
        return ((LockManagedConnection) pool.free.peek()).service();
    }

    private static Object field(Object of, String name) throws Exception {
        java.lang.reflect.Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    private ContainerConnection handle() {
        try {
            return (ContainerConnection) pool.allocateConnection(factory, null);
        } catch (ResourceException e) {
            throw new org.holdfast.LockException("pool", e);
        }
    }

    private void count(String end) {
        ends.computeIfAbsent(end, e -> new AtomicLong()).incrementAndGet();
    }

    private void call(Random random, Set<Tx> open, LockConnection[] shared) {
        while (!over) {
            Tx tx = null;
            if (random.nextBoolean()) {
                tx = new Tx();
                registry.current.set(tx);
                if (random.nextInt(3) == 0) {
                    open.add(tx);
                }
            }
            String kind = "?";
            try {
                boolean own = random.nextBoolean();
                LockConnection connection = own ? locks.getConnection() : shared[0];
                try {
                    kind = once(random, connection, own ? null : connection, tx);
                    count(kind);
                } finally {
                    if (own) {
                        connection.close();
                    }
                }
            } catch (Throwable e) {
                String message = String.valueOf(e.getMessage());
                count(e.getClass().getSimpleName() + " " + message.substring(0, Math.min(30, message.length())));
                if (e instanceof Error || e instanceof NullPointerException) {
                    oddities.add(
                            kind + " " + e + " at " + List.of(e.getStackTrace()).subList(0, 5));
                }
            } finally {
                if (tx != null) {
                    open.remove(tx);
                    if (tx.status() != Status.STATUS_ACTIVE) {
                        count("reaped");
                    }
                    tx.end(random.nextInt(3) > 0);
                    registry.current.remove();
                }
                if (random.nextInt(3) == 0) {
                    Thread.interrupted();
                }
            }
        }
    }

    private String once(Random random, LockConnection connection, LockConnection shared, Tx tx) throws Exception {
        String name = "n" + random.nextInt(4);
        doing.put(Thread.currentThread(), name);
        switch (random.nextInt(6)) {
            case 0, 1 -> {
                Lock lock = connection.lock(name);
                boolean before = Thread.currentThread().isInterrupted();
                if (random.nextBoolean()) {
                    lock.lock();
                    if (before && !Thread.currentThread().isInterrupted()) {
                        oddities.add("interrupt lost by lock()");
                    }
                } else {
                    lock.lockInterruptibly();
                }
                try {
                    work(random);
                } finally {
                    lock.unlock();
                }
                return "lock";
            }
            case 2 -> {
                boolean opened = connection.latch("latch", 0, 1_000).await(ofMillis(random.nextInt(60)));
                return "latch " + opened;
            }
            case 3 -> {
                Lease lease = connection.acquire(LockRequest.of(name)
                        .scope(LeaseScope.THREAD)
                        .interruptOnLoss(random.nextBoolean())
                        .waitTimeout(ofMillis(random.nextInt(3_000))));
                try {
                    boolean joined = lease.joinTransaction();
                    if (joined && random.nextBoolean()) {
                        lease.joinTransaction();
                    }
                    work(random);
                    return "joined " + joined;
                } finally {
                    lease.release();
                }
            }
            default -> {
                Lease lease = connection
                        .tryAcquire(LockRequest.of(name)
                                .fair(random.nextBoolean())
                                .interruptOnLoss(random.nextBoolean())
                                .waitTimeout(ofMillis(random.nextInt(3) == 0 ? 0 : random.nextInt(3_000))))
                        .orElse(null);
                if (lease == null) {
                    return "none";
                }
                try {
                    work(random);
                    if (random.nextInt(4) == 0) {
                        connection
                                .tryAcquire(LockRequest.of(name).waitTimeout(ofMillis(random.nextInt(30))))
                                .ifPresent(Lease::release);
                    }
                } finally {
                    if (tx != null || connection == shared || random.nextBoolean()) {
                        lease.release();
                    } // else it ends with its connection
                }
                return "lease";
            }
        }
    }

    private static void work(Random random) {
        if (random.nextInt(2) == 0) {
            java.util.concurrent.locks.LockSupport.parkNanos(random.nextInt(8_000_000));
        }
    }

    @Override
    public Timer createTimer() {
        throw new AssertionError();
    }

    @Override
    public TransactionSynchronizationRegistry getTransactionSynchronizationRegistry() {
        return registry;
    }

    @Override
    public WorkManager getWorkManager() {
        return (WorkManager) Proxy.newProxyInstance(
                WorkManager.class.getClassLoader(), new Class<?>[] {WorkManager.class}, (proxy, method, args) -> {
                    if (method.getName().equals("scheduleWork")) {
                        Thread thread = new Thread((Work) args[0]);
                        thread.setDaemon(true);
                        thread.start();
                    }
                    return null;
                });
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
