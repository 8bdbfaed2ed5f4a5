// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.holdfast.GuardMode;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.LockSettings;
import org.holdfast.LockTimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The code of {@code docs/ten-uses.md} that takes its locks itself: each use as it is, and what it promises. */
@ExtendWith(HoldfastExtension.class)
@Timeout(60)
class TenUsesTest {

    private final List<Long> written = new ArrayList<>();
    private final List<LeaseLoss> lost = new ArrayList<>();

    /** Happens when something was written. */
    private Runnable meanwhile = () -> {};

    private LockConnectionFactory locks;
    private TestLocks test;

    @BeforeEach
    void open(TestLocks opened) {
        test = opened;
        locks = opened.factory();
    }

    private void write(long token) {
        written.add(token);
        meanwhile.run();
    }

    private void workUnderALock() throws InterruptedException {
        try (LockConnection connection = locks.getConnection();
                Lease lease = connection.acquire("order-42")) {
            write(lease.token());
            lease.requireHeld();
        }
    }

    @Test
    void lockAroundWork_worksAndReleases() throws InterruptedException {
        workUnderALock();
        assertThat(written).hasSize(1);
        assertThat(test.holders("order-42")).isEmpty();
    }

    private boolean tryAndGiveUp() throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            Optional<Lease> lease = connection.tryAcquire("order-42");
            lease.ifPresent(held -> write(held.token()));
            return lease.isPresent();
        }
    }

    @Test
    void tryAndGiveUp_anotherServerHasIt_givesUpWithoutWaiting() throws InterruptedException {
        Lease held = test.hold("order-42");
        assertThat(tryAndGiveUp()).isFalse();
        held.release();
        assertThat(tryAndGiveUp()).isTrue();
        assertThat(written).hasSize(1);
    }

    private void waitForFiveSeconds() throws InterruptedException {
        LockRequest request =
                LockRequest.of("order-42").waitTimeout(ofSeconds(5)).fixedTtl(ofSeconds(30));
        try (LockConnection connection = locks.getConnection();
                Lease lease = connection.acquire(request)) {
            write(lease.token());
        }
    }

    @Test
    void waitForFiveSeconds_anotherServerHasIt_failsAfterThem() throws InterruptedException {
        Lease held = test.hold("order-42");
        test.skipWaits();
        assertThatExceptionOfType(LockTimeoutException.class)
                .isThrownBy(this::waitForFiveSeconds)
                .withMessageContaining("5000 ms");
        held.release();
        waitForFiveSeconds();
        assertThat(written).hasSize(1);
    }

    private void readAndWrite() {
        try (LockConnection connection = locks.getConnection()) {
            LeaseLock writeLock = connection.readWriteLock("prices").writeLock();
            writeLock.lock();
            try {
                write(writeLock.lease().token());
            } finally {
                writeLock.unlock();
            }
        }
    }

    @Test
    void readAndWrite_hasATokenForTheWriter() {
        readAndWrite();
        assertThat(written.get(0)).isPositive();
    }

    private void moveBetweenAccounts() throws InterruptedException {
        try (LockConnection connection = locks.getConnection();
                Lease both = connection.acquire(LockRequest.allOf("account-1", "account-2"))) {
            write(both.token());
        }
    }

    @Test
    void moveBetweenAccounts_oneIsTaken_takesNone() throws InterruptedException {
        Lease held = test.hold("account-2");
        test.skipWaits();
        assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(this::moveBetweenAccounts);
        assertThat(test.holders("account-1")).isEmpty();
        held.release();
        moveBetweenAccounts();
        assertThat(written).hasSize(1);
    }

    private void oneOfThree() throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            Lease permit = connection.acquire(LockRequest.semaphore("report-engine", 3));
            write(permit.token());
        }
    }

    @Test
    void oneOfThree_threeAreTaken_isRefused() throws InterruptedException {
        LockConnection others = test.otherProcess().getConnection();
        for (int i = 0; i < 3; i++) {
            others.acquire(LockRequest.semaphore("report-engine", 3));
        }
        test.skipWaits();
        assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(this::oneOfThree);
        others.close();
        oneOfThree();
        assertThat(written).hasSize(1);
    }

    private void withoutAThread() {
        try (LockConnection connection = locks.getConnection()) {
            connection.acquireAsync("order-42").thenAccept(lease -> {
                try (lease) {
                    write(lease.token());
                }
            });
        }
    }

    @Test
    void withoutAThread_whenItIsFree_continues() {
        Lease held = test.hold("order-42");
        withoutAThread();
        assertThat(written).isEmpty();
        held.release();
        test.advance(ofSeconds(1));
        assertThat(written).hasSize(1);
    }

    private void stop(LeaseLoss loss) {
        lost.add(loss);
    }

    private void asLock() {
        try (LockConnection connection = locks.getConnection()) {
            LeaseLock lock = connection.lock("order-42");
            boolean busy = lock.isLocked(); // for monitoring
            assertThat(busy).isFalse();
            lock.lock();
            try {
                lock.lease().onLost(this::stop);
                write(lock.lease().token());
            } finally {
                lock.unlock();
            }
        }
    }

    @Test
    void asLock_hasItsToken() {
        meanwhile = () -> assertThat(test.holders("order-42")).hasSize(1);
        asLock();
        assertThat(written).hasSize(1);
        assertThat(lost).isEmpty();
    }

    @Test
    void asLock_isLost_isSaidByTheLeaseAndByUnlock() {
        meanwhile = () -> test.steal("order-42");
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(this::asLock)
                .withCauseInstanceOf(LeaseLostException.class);
        assertThat(lost).extracting(LeaseLoss::token).isEqualTo(written);
    }

    @Test
    void connect_withTypedSettings_opens() {
        LockConnectionFactory locks = Holdfast.connect(LockSettings.of("redis://a:6379,redis://b:6379,redis://c:6379")
                .ttl(ofSeconds(20))
                .guard(GuardMode.DEVELOPMENT));
        assertThat(locks.nodeCount()).isEqualTo(3);
        locks.close();
    }
}
