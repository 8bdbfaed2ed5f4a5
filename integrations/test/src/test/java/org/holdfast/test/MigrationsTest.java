// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The code of {@code docs/migrating.md}. */
@ExtendWith(HoldfastExtension.class)
class MigrationsTest {

    private int works;

    private void work() {
        works++;
    }

    @Test
    void lock_andUnlock_works(LockConnectionFactory factory) {
        try (LockConnection connection = factory.getConnection()) {
            LeaseLock lock = connection.lock("order-42");
            lock.lock();
            try {
                work();
            } finally {
                lock.unlock();
            }
        }
        assertThat(works).isOne();
    }

    @Test
    void tryLock_withTimes_works(LockConnectionFactory factory) throws InterruptedException {
        try (LockConnection connection = factory.getConnection()) {
            Optional<Lease> lease = connection.tryAcquire(LockRequest.of("order-42")
                    .waitTimeout(Duration.ofSeconds(5))
                    .maxHold(Duration.ofSeconds(30)));
            assertThat(lease).isPresent();
        }
    }

    @Test
    void tryLock_ofView_works(LockConnectionFactory factory) throws InterruptedException {
        try (LockConnection connection = factory.getConnection()) {
            LeaseLock lock = connection.lock("order-42");
            assertThat(lock.tryLock(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void fence_token_grows(LockConnectionFactory factory) throws InterruptedException {
        try (LockConnection connection = factory.getConnection();
                Lease lease = connection.acquire("order-42")) {
            long token = lease.token();
            assertThat(token).isPositive();
        }
    }

    @Test
    void readWriteLock_andPermits_work(LockConnectionFactory factory) throws InterruptedException {
        try (LockConnection connection = factory.getConnection()) {
            ReadWriteLock prices = connection.readWriteLock("prices");
            prices.readLock().lock();
            prices.readLock().unlock();
            Lease permit = connection.acquire(LockRequest.semaphore("report-engine", 3));
            Lease both = connection.acquire(LockRequest.allOf("account-1", "account-2"));
            assertThat(permit.isHeld() && both.isHeld()).isTrue();
        }
    }
}
