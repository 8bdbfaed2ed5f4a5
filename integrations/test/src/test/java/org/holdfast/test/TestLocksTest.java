// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.InvalidSettingsException;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseLoss;
import org.holdfast.LockConnection;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.LockSettings;
import org.holdfast.LockTimeoutException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.ReleaseResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TestLocksTest {

    private static final Duration TTL = Duration.ofSeconds(30);

    private final TestLocks locks = TestLocks.create();
    private final LockConnection connection = locks.factory().getConnection();
    private final LockConnection other = locks.otherProcess().getConnection();

    @AfterEach
    void close() {
        locks.close();
    }

    private static LockRequest atOnce(String name) {
        return LockRequest.of(name).waitTimeout(Duration.ZERO);
    }

    @Test
    void advance_leaseIsRenewed_isHeldAfterManyTtls() throws InterruptedException {
        Lease lease = connection.acquire("stock");
        locks.advance(Duration.ofHours(1));
        assertThat(lease.isHeld()).isTrue();
        assertThat(other.tryAcquire(atOnce("stock"))).isEmpty();
        assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(other.tryAcquire(atOnce("stock"))).isPresent();
    }

    @Test
    void advance_leaseIsNotRenewed_endsWithItsTtl() throws InterruptedException {
        Lease lease = connection.acquire(LockRequest.of("stock").fixedTtl(TTL));
        locks.advance(TTL.minusSeconds(1));
        assertThat(lease.isHeld()).isTrue();
        locks.advance(Duration.ofSeconds(2));
        assertThat(lease.isHeld()).isFalse();
        assertThat(other.tryAcquire(atOnce("stock"))).isPresent();
    }

    @Test
    void isLocked_byTheOtherProcess_isTrueUntilItsLeaseEnds() {
        Lease held = locks.hold("stock");
        assertThat(connection.lock("stock").isLocked()).isTrue();
        held.release();
        assertThat(connection.lock("stock").isLocked()).isFalse();
    }

    @Test
    void lose_held_listenersHaveBeenCalledWhenItReturns() throws InterruptedException {
        Lease lease = connection.acquire("stock");
        List<LeaseLoss> losses = new ArrayList<>();
        lease.onLost(losses::add);
        locks.lose("stock");
        assertThat(losses).hasSize(1);
        assertThat(lease.isHeld()).isFalse();
        assertThat(locks.holders("stock")).isEmpty();
    }

    @Test
    void lose_heldWithoutRenewal_isNoticedByTheRelease() throws InterruptedException {
        Lease lease = connection.acquire(LockRequest.of("stock").fixedTtl(TTL));
        locks.lose("stock");
        assertThat(locks.holders("stock")).isEmpty();
        assertThat(lease.release()).isEqualTo(ReleaseResult.NOT_HELD);
    }

    @Test
    void lose_reader_isLost() throws InterruptedException {
        LockRequest reading = LockRequest.of("stock").mode(LockMode.READ);
        Lease lease = connection.acquire(reading);
        locks.lose(reading);
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void lose_free_doesNothing() {
        locks.lose("stock");
        assertThat(locks.holders("stock")).isEmpty();
    }

    @Test
    void steal_held_otherHoldsItWithLargerToken() throws InterruptedException {
        Lease lease = connection.acquire("stock");
        Lease stolen = locks.steal("stock");
        assertThat(lease.isHeld()).isFalse();
        assertThat(stolen.token()).isGreaterThan(lease.token());
        locks.advance(Duration.ofMinutes(10));
        assertThat(connection.tryAcquire(atOnce("stock"))).isEmpty();
        stolen.release();
        assertThat(connection.tryAcquire(atOnce("stock"))).isPresent();
    }

    @Test
    void hang_oneOfThree_isHeldOn() throws InterruptedException {
        locks.hang(0);
        Lease lease = connection.acquire("stock");
        locks.advance(Duration.ofMinutes(5));
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void hang_majority_leaseIsLostWithinItsTtl() throws InterruptedException {
        Lease lease = connection.acquire("stock");
        locks.hang(0);
        locks.hang(1);
        locks.advance(TTL);
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void hang_majority_acquisitionFailsWithBothCauses() {
        locks.skipWaits();
        locks.hang(0);
        locks.hang(1);
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> connection.acquire("stock"))
                .withMessageContaining("memory-1:6379")
                .withMessageContaining("memory-2:6379");
        assertThat(locks.factory().check().isReady()).isFalse();
    }

    @Test
    void resume_afterHang_grantsAgainAndKeepsNothing() throws InterruptedException {
        locks.skipWaits();
        locks.hang(0);
        locks.hang(1);
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> connection.acquire("stock"));
        locks.resume(0);
        locks.resume(1);
        assertThat(locks.factory().check().isReady()).isTrue();
        assertThat(other.tryAcquire(LockRequest.of("stock"))).isPresent();
    }

    @Test
    void skipWaits_heldByOther_timesOutInNoRealTime() {
        locks.hold("stock");
        locks.skipWaits();
        long begun = System.nanoTime();
        assertThatExceptionOfType(LockTimeoutException.class)
                .isThrownBy(() -> connection.acquire(LockRequest.of("stock").waitTimeout(Duration.ofHours(1))));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void skipWaits_holderEndsMeanwhile_waiterGetsIt() throws InterruptedException {
        connection.acquire(LockRequest.of("stock").fixedTtl(TTL));
        locks.skipWaits();
        Lease next = other.acquire(LockRequest.of("stock").waitTimeout(Duration.ofMinutes(1)));
        assertThat(next.isHeld()).isTrue();
    }

    @Test
    void acquire_releasedByAnotherThread_isServed() throws Exception {
        Lease lease = connection.acquire("stock");
        CompletableFuture<Lease> next = CompletableFuture.supplyAsync(() -> {
            try (LockConnection own = locks.factory().getConnection()) {
                return own.acquire(LockRequest.of("stock").detached());
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        while (locks.waiting() == 0) {
            Thread.onSpinWait();
        }
        lease.release();
        assertThat(next.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void acquireAsync_heldThenReleased_completes() throws Exception {
        Lease lease = other.acquire("stock");
        CompletableFuture<Lease> next = connection.acquireAsync(LockRequest.of("stock"));
        locks.advance(Duration.ofSeconds(1));
        assertThat(next).isNotDone();
        lease.release();
        locks.advance(Duration.ofSeconds(1));
        assertThat(next.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void lock_view_countsHolds() {
        LeaseLock lock = connection.lock(LockRequest.of("stock"));
        lock.lock();
        lock.lock();
        assertThat(lock.getHoldCount()).isEqualTo(2);
        lock.unlock();
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void create_wrongSetting_isRefused() {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> TestLocks.create(Map.of("ttlMilis", "1000")))
                .withMessageContaining("ttlMillis");
    }

    @Test
    void create_settings_areThoseOfTheApplication() throws InterruptedException {
        try (TestLocks ofOne = TestLocks.create(Map.of("nodes", "redis://one:6379", "ttlMillis", "5000"))) {
            Lease lease = ofOne.factory().getConnection().acquire("stock");
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(5));
            assertThat(ofOne.factory().check().nodes()).hasSize(1);
            assertThat(ofOne.factory().nodeCount()).isOne();
        }
    }

    @Test
    void create_typedSettings_areThoseOfTheApplication() throws InterruptedException {
        LockSettings settings = LockSettings.of("redis://one:6379").ttl(Duration.ofSeconds(5));
        try (TestLocks ofOne = TestLocks.create(settings)) {
            Lease lease = ofOne.factory().getConnection().acquire("stock");
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(5));
            assertThat(ofOne.factory().nodeCount()).isOne();
        }
    }

    @Test
    void advance_negative_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> locks.advance(Duration.ofMillis(-1)));
    }

    @Test
    void close_afterUse_leavesNoThread() throws InterruptedException {
        connection.acquire("stock");
        locks.close();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (threads() > 0 && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(threads()).isZero();
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("holdfast-test"))
                .count();
    }
}
