// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LeaseSemaphore;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.runtime.Processes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A semaphore in the shape of the JDK's, on three real nodes and in two processes. */
@Timeout(60)
class SemaphoreTest {

    private Processes processes;
    private LeaseSemaphore here;
    private LeaseSemaphore there;

    @BeforeEach
    void start() {
        processes = Processes.start(3, 2, Map.of("ttlMillis", "3000", "nodeTimeoutMillis", "1000"));
        here = processes.connection(0).semaphore("pool", 3);
        there = processes.connection(1).semaphore("pool", 3);
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    @Test
    void permits_areSharedByProcessesAndNoMoreThanThereAre() throws Exception {
        here.acquire();
        here.acquireUninterruptibly();
        assertThat(there.tryAcquire(5, SECONDS)).isTrue();
        await().untilAsserted(() -> assertThat(here.availablePermits()).isZero());
        assertThat(here.tryAcquire()).isFalse();
        assertThat(there.tryAcquire(10, MILLISECONDS)).isFalse();
        here.release();
        await().untilAsserted(() -> assertThat(there.availablePermits()).isOne());
        assertThat(there.tryAcquire(5, SECONDS)).isTrue();
    }

    @Test
    void permit_isReleasedByAnotherThread_andByAnotherView() throws Exception {
        here.acquire();
        Processes.onAnotherThread(() -> {
            processes.connection(0).semaphore("pool", 3).release();
            return null;
        });
        await().untilAsserted(() -> assertThat(there.availablePermits()).isEqualTo(3));
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(here::release)
                .withMessageStartingWith("HF0234");
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(here::lease);
    }

    @Test
    void release_leavesTheLeaseOfAnotherThreadThatWorks() throws Exception {
        here.acquire();
        Lease mine = here.lease();
        Lease theirs = Processes.onAnotherThread(() -> {
            here.acquire();
            return here.lease();
        });
        assertThat(here.lease()).isSameAs(mine);
        here.release();
        assertThat(theirs.isHeld()).isTrue();
        assertThat(mine.isHeld()).isFalse();
        assertThat(here.lease()).as("for a thread that has none").isSameAs(theirs);
        here.release();
        assertThat(theirs.isHeld()).isFalse();
    }

    @Test
    void release_ofAConnectionThatHasNone_addsNoPermit() throws Exception {
        here.acquire();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(there::release);
        await().untilAsserted(() -> assertThat(there.availablePermits()).isEqualTo(2));
    }

    @Test
    void waiter_receivesTheRelease() throws Exception {
        for (int i = 0; i < 3; i++) {
            here.acquire();
        }
        FutureTask<Lease> waiter = Processes.start(() -> {
            there.acquire();
            return there.lease();
        });
        processes.awaitListening("pool");
        here.release();
        assertThat(waiter.get(20, SECONDS).isHeld()).isTrue();
    }

    @Test
    void interrupt_endsAcquire_andIsKeptByTheOthers() throws Exception {
        Processes.onAnotherThread(() -> {
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(here::acquire);
            Thread.currentThread().interrupt();
            here.acquireUninterruptibly();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThat(here.tryAcquire()).isTrue();
            assertThat(Thread.interrupted()).isTrue();
            return null;
        });
        await().untilAsserted(() -> assertThat(there.availablePermits()).isOne());
    }

    @Test
    void permit_thatWasLost_isToldByRelease() throws Exception {
        here.acquire();
        Lease lease = here.lease();
        assertThat(processes.factory(1).forceRelease(LockRequest.semaphore("pool", 3)))
                .hasSize(1);
        await().atMost(Duration.ofSeconds(20)).until(() -> !lease.isHeld());
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(here::release)
                .withCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void connection_thatIsClosed_releasesItsPermits() throws Exception {
        try (LockConnection connection = processes.factory(0).getConnection()) {
            connection.semaphore("pool", 3).acquire();
            connection.semaphore("pool", 3).acquire();
            await().untilAsserted(() -> assertThat(there.availablePermits()).isOne());
        }
        await().untilAsserted(() -> assertThat(there.availablePermits()).isEqualTo(3));
    }

    @Test
    void nodes_thatCannotBeReached_areNoAnswer() {
        processes.redis.get(0).kill();
        processes.redis.get(1).kill();
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(here::tryAcquire);
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(here::availablePermits);
    }

    @Test
    void request_ofNoSemaphoreOrDetached_isRefused() {
        LockConnection connection = processes.connection(0);
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> connection.semaphore(LockRequest.of("a")))
                .withMessageContaining("LockRequest.semaphore(name, permits)");
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(
                        () -> connection.semaphore(LockRequest.semaphore("a", 2).detached()))
                .withMessageContaining("DETACHED");
    }
}
