// SPDX-License-Identifier: Apache-2.0
package org.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What ShedLock's own tests do not ask: outages, other processes, lost leases, what is left behind. */
@Timeout(60)
class HoldfastLockProviderTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final String name = UUID.randomUUID().toString();
    private RedisServers redis;
    private LockConnectionFactory here;
    private LockConnectionFactory there;

    @BeforeEach
    void start() {
        redis = RedisServers.start(3);
        here = connect(Map.of());
        there = connect(Map.of());
    }

    private LockConnectionFactory connect(Map<String, String> more) {
        Map<String, String> settings =
                new HashMap<>(Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "5000"));
        settings.putAll(more);
        return Holdfast.connect(settings);
    }

    @AfterEach
    void stop() {
        here.close();
        there.close();
        redis.close();
    }

    private static LockConfiguration job(String name, Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.now(), name, atMost, atLeast);
    }

    private Optional<SimpleLock> lock(LockConnectionFactory factory) {
        return new HoldfastLockProvider(factory).lock(job(name, HOUR, Duration.ZERO));
    }

    private void awaitFree() throws InterruptedException {
        Optional<SimpleLock> free = lock(there);
        while (free.isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(20);
            free = lock(there);
        }
        free.get().unlock();
    }

    @Test
    void lock_heldHere_isRefusedHereAndThere() {
        SimpleLock lock = lock(here).orElseThrow();
        assertThat(lock(here)).isEmpty();
        assertThat(lock(there)).isEmpty();
        lock.unlock();
        assertThat(lock(there)).isPresent();
    }

    @Test
    void lock_withOneNodeDead_isTaken() {
        redis.get(1).kill();
        SimpleLock lock = lock(here).orElseThrow();
        assertThat(lock(there)).isEmpty();
        lock.unlock();
        assertThat(lock(there)).isPresent();
    }

    @Test
    void lock_withTwoNodesDead_isAnException() {
        redis.get(1).kill();
        redis.get(2).kill();
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> lock(here));
    }

    @Test
    void lock_askedByManyAtOnceWithOneNodeDead_isTakenByOne() throws Exception {
        redis.get(0).kill();
        int contenders = 6;
        List<LockConnectionFactory> factories =
                IntStream.range(0, contenders).mapToObj(i -> connect(Map.of())).toList();
        ExecutorService threads = Executors.newFixedThreadPool(contenders);
        try {
            int ticks = 0;
            for (int tick = 0; ticks < 20 && tick < 23; tick++) {
                String job = name + tick;
                CyclicBarrier together = new CyclicBarrier(contenders);
                List<Callable<Boolean>> asks = factories.stream()
                        .<Callable<Boolean>>map(factory -> () -> {
                            together.await();
                            return new HoldfastLockProvider(factory)
                                    .lock(job(job, HOUR, Duration.ZERO))
                                    .isPresent();
                        })
                        .toList();
                int taken = 0;
                for (Future<Boolean> asked : threads.invokeAll(asks)) {
                    taken += asked.get() ? 1 : 0;
                }
                assertThat(taken).as("of tick %d", tick).isLessThanOrEqualTo(1);
                ticks += taken; // on a machine that stands still they may share the votes for too long
            }
            assertThat(ticks).isEqualTo(20);
        } finally {
            threads.shutdownNow();
            factories.forEach(LockConnectionFactory::close);
        }
    }

    @Test
    void unlock_byAnotherThread_frees() {
        SimpleLock lock = lock(here).orElseThrow();
        CompletableFuture.runAsync(lock::unlock).join();
        assertThat(lock(there)).isPresent();
    }

    @Test
    void unlock_twice_isRefused() {
        SimpleLock lock = lock(here).orElseThrow();
        lock.unlock();
        assertThatIllegalStateException().isThrownBy(lock::unlock).withMessageContaining(name);
    }

    @Test
    void lockAtMostFor_ofJobThatHangs_freesTheLock() throws InterruptedException {
        SimpleLock hanging = new HoldfastLockProvider(here)
                .lock(job(name, Duration.ofSeconds(3), Duration.ZERO))
                .orElseThrow();
        assertThat(lock(there)).isEmpty();
        awaitFree();
        assertThat(hanging.extend(HOUR, Duration.ZERO)).isEmpty();
        hanging.unlock();
    }

    @Test
    void lockAtMostFor_longerThanTheLongestTtl_isHeldOn() throws InterruptedException {
        try (LockConnectionFactory brief =
                connect(Map.of("ttlMillis", "3000", "maxLeaseTtlMillis", "3000", "nodeTimeoutMillis", "1500"))) {
            SimpleLock lock = new HoldfastLockProvider(brief)
                    .lock(job(name, HOUR, Duration.ZERO))
                    .orElseThrow();
            TimeUnit.MILLISECONDS.sleep(4500);
            assertThat(new HoldfastLockProvider(brief).lock(job(name, HOUR, Duration.ZERO)))
                    .isEmpty();
            lock.unlock();
        }
    }

    @Test
    void lockAtLeastFor_keptByNodes_outlivesTheFactory() {
        new HoldfastLockProvider(here)
                .lock(job(name, HOUR, Duration.ofSeconds(30)))
                .orElseThrow()
                .unlock();
        here.close();
        assertThat(lock(there)).isEmpty();
    }

    @Test
    void lockAtLeastFor_besideALockAtMostForAboveTheLongestTtl_outlivesTheFactory() {
        try (LockConnectionFactory brief =
                connect(Map.of("ttlMillis", "9000", "maxLeaseTtlMillis", "10000", "nodeTimeoutMillis", "1500"))) {
            new HoldfastLockProvider(brief)
                    .lock(job(name, Duration.ofSeconds(20), Duration.ofSeconds(10)))
                    .orElseThrow()
                    .unlock();
        }
        assertThat(lock(there)).isEmpty();
    }

    @Test
    void terms_bothAboveTheLongestTtl_areKeptByTheProcess() {
        try (LockConnectionFactory brief =
                connect(Map.of("ttlMillis", "3000", "maxLeaseTtlMillis", "10000", "nodeTimeoutMillis", "1500"))) {
            JobRequest allowed = JobRequest.of(job(name, Duration.ofSeconds(10), Duration.ofSeconds(10)), brief);
            assertThat(allowed.lease().ttl()).contains(Duration.ofSeconds(10));
            assertThat(allowed.keptByNodes()).isTrue();
            JobRequest both = JobRequest.of(job(name, Duration.ofSeconds(20), Duration.ofSeconds(11)), brief);
            assertThat(both.lease().ttl()).isEmpty();
            assertThat(both.lease().atLeast()).isEmpty();
            assertThat(both.keptByNodes()).isFalse();
        }
    }

    @Test
    void lockAtLeastFor_longerThanNodesKeep_isKeptByTheProcess() throws InterruptedException {
        try (LockConnectionFactory brief =
                connect(Map.of("ttlMillis", "3000", "maxLeaseTtlMillis", "3000", "nodeTimeoutMillis", "1500"))) {
            HoldfastLockProvider provider = new HoldfastLockProvider(brief);
            long began = System.nanoTime();
            provider.lock(job(name, HOUR, Duration.ofSeconds(5))).orElseThrow().unlock();
            while (provider.lock(job(name, HOUR, Duration.ZERO)).isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(5));
        }
    }

    @Test
    void extend_thenUnlock_keepsItForTheNewLeast() throws InterruptedException {
        SimpleLock lock = lock(here).orElseThrow();
        long extended = System.nanoTime();
        SimpleLock longer = lock.extend(HOUR, Duration.ofSeconds(1)).orElseThrow();
        longer.unlock();
        awaitFree();
        assertThat(System.nanoTime() - extended).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void extend_toLess_endsEarlier() throws InterruptedException {
        SimpleLock lock = lock(here).orElseThrow();
        assertThat(lock.extend(Duration.ofMillis(300), Duration.ZERO)).isPresent();
        awaitFree();
    }

    @Test
    void extend_ofALostLease_isRefusedAndUnlockIsAllowed() {
        SimpleLock lock = lock(here).orElseThrow();
        here.forceRelease(name);
        SimpleLock next = lock(there).orElseThrow();
        assertThat(lock.extend(HOUR, Duration.ZERO)).isEmpty();
        lock.unlock();
        assertThat(lock(here)).as("the lock of the next holder").isEmpty();
        next.unlock();
    }

    @Test
    void lock_onAnInterruptedThread_isNotTaken() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockException.class).isThrownBy(() -> lock(here));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lock(there)).isPresent();
    }

    @Test
    void lock_ofAClosedFactory_isAnException() {
        here.close();
        assertThatIllegalStateException().isThrownBy(() -> lock(here));
    }

    @Test
    void locks_unlocked_leaveOneDaemonThreadAtMost() {
        HoldfastLockProvider provider = new HoldfastLockProvider(here);
        List<Thread> before = timers();
        for (int i = 0; i < 100; i++) {
            provider.lock(job(name, HOUR, Duration.ZERO)).orElseThrow().unlock();
        }
        List<Thread> after = new ArrayList<>(timers());
        after.removeAll(before);
        assertThat(after).hasSizeLessThanOrEqualTo(1).allMatch(Thread::isDaemon);
    }

    private static List<Thread> timers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("holdfast-shedlock"))
                .toList();
    }
}
