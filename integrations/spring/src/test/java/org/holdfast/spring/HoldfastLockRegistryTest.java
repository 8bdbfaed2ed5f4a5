// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * The cases of Spring Integration's {@code RedisLockRegistryTests}, on three nodes. Each test names the cases that it
 * stands for; what they say of keys in Redis, of the cache of locks and of its renewal task has nothing here to be
 * about.
 */
@Timeout(60)
class HoldfastLockRegistryTest {

    private static RedisServers redis;
    private static LockConnectionFactory factory;
    private static LockConnectionFactory other;

    private final String key = UUID.randomUUID().toString();
    private final HoldfastLockRegistry registry = new HoldfastLockRegistry(factory);
    private final HoldfastLockRegistry registryOfAnotherProcess = new HoldfastLockRegistry(other);
    private ExecutorService threads;

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(3);
        factory = connect(redis);
        other = connect(redis);
    }

    private static LockConnectionFactory connect(RedisServers nodes) {
        return Holdfast.connect(Map.of("nodes", nodes.uris(), "guard", "OFF", "nodeTimeoutMillis", "5000"));
    }

    @AfterAll
    static void stopNodes() {
        factory.close();
        other.close();
        redis.close();
    }

    @BeforeEach
    void startThreads() {
        threads = Executors.newCachedThreadPool();
    }

    @AfterEach
    void stopThreads() throws InterruptedException {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(registry.held()).isZero();
    }

    private <T> T elsewhere(Callable<T> call) throws Exception {
        return threads.submit(call).get(30, TimeUnit.SECONDS);
    }

    /** testLock, testLockInterruptibly. */
    @Test
    void lock_andUnlockAgainAndAgain_keepsNothing() throws Exception {
        for (int i = 0; i < 10; i++) {
            Lock lock = registry.obtain(key);
            lock.lock();
            assertThat(registry.held()).isOne();
            lock.unlock();
            lock.lockInterruptibly();
            lock.unlock();
            assertThat(registry.held()).isZero();
        }
        assertThat(registryOfAnotherProcess.obtain(key).tryLock()).isTrue();
        registryOfAnotherProcess.obtain(key).unlock();
    }

    /** testLockWithCustomTtl, testTryLockWithCustomTtl. */
    @Test
    void lock_withTtlThatIsNotOver_isUnlocked() throws Exception {
        DistributedLock lock = registry.obtain(key);
        lock.lock(Duration.ofSeconds(50));
        lock.unlock();
        assertThat(lock.tryLock(Duration.ofMillis(100), Duration.ofSeconds(20))).isTrue();
        lock.unlock();
    }

    /**
     * testUnlockAfterLockStatusHasBeenExpired, testExceptionOnExpire, testExpireTwoRegistries,
     * testUnlockDoesNotDeleteOtherClientsLock.
     */
    @Test
    void unlock_afterTheTtl_throwsAndLeavesTheLockOfTheNextHolder() throws Exception {
        DistributedLock lock = registry.obtain(key);
        lock.lock(Duration.ofSeconds(3));
        Lock next = registryOfAnotherProcess.obtain(key);
        assertThat(next.tryLock()).isFalse();
        assertThat(next.tryLock(30, TimeUnit.SECONDS)).isTrue();
        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
        assertThat(lock.tryLock()).isFalse();
        next.unlock();
    }

    /** testReentrantLock, testReentrantLockInterruptibly, testThreadLocalListLeaks. */
    @Test
    void lock_onceMore_isFreeAfterTheLastUnlock() throws Exception {
        Lock lock = registry.obtain(key);
        Lock same = registry.obtain(key);
        assertThat(same).isEqualTo(lock).hasSameHashCodeAs(lock);
        lock.lock();
        same.lockInterruptibly();
        assertThat(same.tryLock()).isTrue();
        same.unlock();
        lock.unlock();
        assertThat(registryOfAnotherProcess.obtain(key).tryLock()).isFalse();
        same.unlock();
        assertThat(registryOfAnotherProcess.obtain(key).tryLock()).isTrue();
        registryOfAnotherProcess.obtain(key).unlock();
    }

    /** testTwoLocks. */
    @Test
    void locks_withTwoKeys_areIndependent() throws Exception {
        Lock one = registry.obtain(key);
        Lock two = registry.obtain(key + "-2");
        assertThat(two).isNotEqualTo(one);
        one.lockInterruptibly();
        two.lockInterruptibly();
        two.unlock();
        one.unlock();
    }

    /** testTwoThreadsSecondFailsToGetLock. */
    @Test
    void tryLock_ofASecondThread_failsAndMayNotUnlock() throws Exception {
        Lock lock = registry.obtain(key);
        lock.lock();
        assertThat(elsewhere(() -> registry.obtain(key).tryLock(200, TimeUnit.MILLISECONDS)))
                .isFalse();
        elsewhere(() -> assertThatIllegalStateException()
                .isThrownBy(() -> registry.obtain(key).unlock())
                .withMessageContaining("You do not own lock at"));
        lock.unlock();
    }

    /** testTwoThreadsWrongOneUnlocks. */
    @Test
    void unlock_byAnotherThread_isRefusedAndTheLockStays() throws Exception {
        Lock lock = registry.obtain(key);
        lock.lock();
        elsewhere(() -> assertThatIllegalStateException().isThrownBy(lock::unlock));
        assertThat(registryOfAnotherProcess.obtain(key).tryLock()).isFalse();
        lock.unlock();
    }

    /** testTwoThreads, testTwoThreadsDifferentRegistries. */
    @Test
    void lock_ofAWaitingThread_isTakenAfterTheUnlock() throws Exception {
        for (HoldfastLockRegistry second : List.of(registry, registryOfAnotherProcess)) {
            Lock lock = registry.obtain(key);
            lock.lock();
            CountDownLatch asks = new CountDownLatch(1);
            Future<Boolean> waiting = threads.submit(() -> {
                Lock mine = second.obtain(key);
                asks.countDown();
                mine.lockInterruptibly();
                mine.unlock();
                return true;
            });
            asks.await();
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> waiting.get(100, TimeUnit.MILLISECONDS));
            lock.unlock();
            assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** testEquals. */
    @Test
    void registries_withEqualKeys_haveTheSameLocksAndOtherHolders() {
        Lock lock = new HoldfastLockRegistry(factory, "orders").obtain(key);
        Lock ofAnEqualRegistry = new HoldfastLockRegistry(factory, "orders").obtain(key);
        Lock ofAnotherKey = new HoldfastLockRegistry(factory, "bills").obtain(key);
        assertThat(ofAnEqualRegistry).isNotEqualTo(lock);
        lock.lock();
        assertThat(ofAnEqualRegistry.tryLock()).isFalse();
        assertThat(ofAnotherKey.tryLock()).isTrue();
        assertThat(registry.obtain("orders:" + key).tryLock()).isFalse();
        ofAnotherKey.unlock();
        lock.unlock();
    }

    /** multiRedisLockRegistryTest, concurrentObtainCapacityTest. */
    @Test
    void lock_byManyRegistriesAtOnce_isTakenByOneAtATime() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        int[] count = new int[1];
        List<Callable<Void>> calls = IntStream.range(0, 10)
                .mapToObj(i -> new HoldfastLockRegistry(i % 2 == 0 ? factory : other))
                .<Callable<Void>>map(each -> () -> {
                    for (int i = 0; i < 20; i++) {
                        Lock lock = each.obtain(key);
                        lock.lock();
                        assertThat(inside.incrementAndGet()).isOne();
                        count[0]++;
                        inside.decrementAndGet();
                        lock.unlock();
                    }
                    return null;
                })
                .toList();
        for (Future<Void> done : threads.invokeAll(calls)) {
            done.get();
        }
        assertThat(count[0]).isEqualTo(200);
    }

    /** earlyWakeUpTest. */
    @Test
    void tryLock_ofTwoWaiters_wakesOne() throws Exception {
        Lock lock = registry.obtain(key);
        lock.lock();
        CountDownLatch asked = new CountDownLatch(2);
        Callable<Boolean> ask = () -> {
            asked.countDown();
            return new HoldfastLockRegistry(other).obtain(key).tryLock(5, TimeUnit.SECONDS);
        };
        Future<Boolean> one = threads.submit(ask);
        Future<Boolean> two = threads.submit(ask);
        asked.await();
        lock.unlock();
        assertThat(List.of(one.get(), two.get())).containsExactlyInAnyOrder(true, false);
    }

    /** testRenewalOnExpire, testLockRenew: without any task, the lease is renewed. */
    @Test
    void lock_heldForLongerThanTheTtl_isHeldOn() throws Exception {
        try (LockConnectionFactory brief = Holdfast.connect(
                Map.of("nodes", redis.uris(), "guard", "OFF", "ttlMillis", "3000", "nodeTimeoutMillis", "1500"))) {
            Lock lock = new HoldfastLockRegistry(brief).obtain(key);
            lock.lock();
            TimeUnit.MILLISECONDS.sleep(4500);
            assertThat(registry.obtain(key).tryLock()).isFalse();
            lock.unlock();
        }
    }

    /** testUnlockWhenInterruptedBlocksUntilKeyRemoved. */
    @Test
    void unlock_onAnInterruptedThread_frees() throws Exception {
        Lock lock = registry.obtain(key);
        lock.lock();
        Thread.currentThread().interrupt();
        lock.unlock();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(registryOfAnotherProcess.obtain(key).tryLock()).isTrue();
        registryOfAnotherProcess.obtain(key).unlock();
    }

    /** obtainLockWithoutKey. */
    @Test
    void obtain_ofWhatIsNoString_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(new Object()));
    }

    @Test
    void tryLock_onAnInterruptedThread_isTakenAndTheInterruptStays() {
        Thread.currentThread().interrupt();
        assertThat(registry.obtain(key).tryLock()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        registry.obtain(key).unlock();
    }

    @Test
    void lockInterruptibly_interruptedWhileItWaits_holdsNothing() throws Exception {
        Lock lock = registry.obtain(key);
        lock.lock();
        CompletableFuture<Thread> waiter = new CompletableFuture<>();
        Future<?> waiting = threads.submit(() -> {
            waiter.complete(Thread.currentThread());
            registryOfAnotherProcess.obtain(key).lockInterruptibly();
            return null;
        });
        waiter.get().interrupt();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
                .withCauseInstanceOf(InterruptedException.class);
        lock.unlock();
        assertThat(registryOfAnotherProcess.held()).isZero();
    }

    @Test
    void lock_interruptedWhileItWaits_isTakenAndTheInterruptStays() throws Exception {
        Lock lock = registry.obtain(key);
        lock.lock();
        CompletableFuture<Thread> waiter = new CompletableFuture<>();
        Future<Boolean> waiting = threads.submit(() -> {
            waiter.complete(Thread.currentThread());
            registryOfAnotherProcess.obtain(key).lock();
            registryOfAnotherProcess.obtain(key).unlock();
            return Thread.interrupted();
        });
        waiter.get().interrupt();
        lock.unlock();
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void lock_whileTheNodesAreAway_isAnException() {
        try (RedisServers nodes = RedisServers.start(3);
                LockConnectionFactory connected = connect(nodes)) {
            Lock held = new HoldfastLockRegistry(connected).obtain("held");
            held.lock();
            nodes.get(0).kill();
            Lock lock = new HoldfastLockRegistry(connected).obtain(key);
            assertThat(lock.tryLock()).as("with two nodes").isTrue();
            nodes.get(1).kill();
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() ->
                            new HoldfastLockRegistry(connected).obtain("b").tryLock());
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() ->
                            new HoldfastLockRegistry(connected).obtain("b").lock());
        }
    }

    @Test
    void unlock_afterTheFactoryWasClosed_throws() {
        LockConnectionFactory closing = connect(redis);
        Lock lock = new HoldfastLockRegistry(closing).obtain(key);
        lock.lock();
        closing.close();
        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
        assertThatIllegalStateException().isThrownBy(lock::tryLock);
        assertThat(registry.obtain(key).tryLock()).isTrue();
        registry.obtain(key).unlock();
    }
}
