// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.support.locks.DistributedLock;

/** What the locks of a registry promise beyond those of Spring Integration, on three nodes. */
@Timeout(60)
class RegistryLockTest {

    private static RedisServers redis;
    private static LockConnectionFactory factory;
    private static LockConnectionFactory other;

    private final String key = UUID.randomUUID().toString();
    private final HoldfastLockRegistry registry = new HoldfastLockRegistry(factory);
    private final HoldfastLockRegistry registryOfAnotherProcess = new HoldfastLockRegistry(other);

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(3);
        factory = connect();
        other = connect();
    }

    private static LockConnectionFactory connect() {
        return Holdfast.connect(Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "5000"));
    }

    @AfterAll
    static void stopNodes() {
        factory.close();
        other.close();
        redis.close();
    }

    @AfterEach
    void nothingIsKept() {
        assertThat(registry.held()).isZero();
    }

    @Test
    void lock_lostAndTakenOnceMore_throwsUntilItWasUnlockedAndIsTakenThen() throws Exception {
        DistributedLock lock = registry.obtain(key);
        lock.lock();
        lock.lock();
        factory.forceRelease(key);
        assertLost(lock::lock);
        Lock next = registryOfAnotherProcess.obtain(key);
        assertThat(next.tryLock(30, TimeUnit.SECONDS)).isTrue();
        assertLost(lock::tryLock);
        assertLost(() -> lock.tryLock(1, TimeUnit.MILLISECONDS));
        assertLost(() -> lock.lock(Duration.ofSeconds(1)));
        assertLost(lock::unlock);
        assertThat(registry.held()).as("it was taken twice").isOne();
        assertLost(lock::unlock);
        assertThat(lock.tryLock()).isFalse();
        next.unlock();
        assertThat(lock.tryLock(30, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
        assertThat(next.tryLock(30, TimeUnit.SECONDS)).isTrue();
        next.unlock();
    }

    private static void assertLost(ThrowableAssert.ThrowingCallable call) {
        assertThatExceptionOfType(ConcurrentModificationException.class)
                .isThrownBy(call)
                .withMessageStartingWith("HF0623");
    }

    @Test
    void tryLock_ofManyAtTheSameMoment_isTakenByOne() throws Exception {
        int callers = 5;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        CyclicBarrier together = new CyclicBarrier(callers);
        List<LockConnectionFactory> factories =
                IntStream.range(0, callers).mapToObj(i -> connect()).toList();
        try {
            List<HoldfastLockRegistry> registries =
                    factories.stream().map(HoldfastLockRegistry::new).toList();
            int rounds = 0;
            for (int round = 0; rounds < 60 && round < 65; round++) {
                String name = key + "-" + round;
                List<Callable<Boolean>> calls = registries.stream()
                        .<Callable<Boolean>>map(each -> () -> {
                            together.await();
                            return each.obtain(name).tryLock();
                        })
                        .toList();
                int taken = 0;
                for (Future<Boolean> each : threads.invokeAll(calls)) {
                    taken += each.get() ? 1 : 0;
                }
                assertThat(taken).as("round " + round).isLessThanOrEqualTo(1);
                rounds += taken; // on a machine that stands still they may share the votes for too long
            }
            assertThat(rounds).isEqualTo(60);
        } finally {
            threads.shutdownNow();
            factories.forEach(LockConnectionFactory::close);
        }
    }

    @Test
    void tryLock_forLongerThanATimeCanBe_waits() throws Exception {
        DistributedLock lock = registry.obtain(key);
        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
        lock.unlock();
        assertThat(lock.tryLock(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(Long.MAX_VALUE)))
                .isTrue();
        lock.unlock();
        assertThat(lock.tryLock(Long.MIN_VALUE, TimeUnit.DAYS)).isTrue();
        lock.unlock();
    }
}
