// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.ReleaseResult;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a release says about the lock, on real nodes. */
@Timeout(60)
class ReleaseResultTest {

    private static final LockRequest REQUEST =
            LockRequest.of("a").ttl(Duration.ofSeconds(20)).waitTimeout(Duration.ofSeconds(10));

    private RedisServers nodes;
    private LockConnectionFactory locks;
    private LockConnectionFactory others;
    private LockConnection connection;

    @BeforeEach
    void start() {
        nodes = RedisServers.start(3);
        locks = connect();
        others = connect();
        connection = locks.getConnection();
    }

    @AfterEach
    void stop() {
        nodes.all().forEach(RedisServer::thaw);
        connection.close();
        locks.close();
        others.close();
        nodes.close();
    }

    private LockConnectionFactory connect() {
        return Holdfast.connect(Map.of(
                "nodes", nodes.uris(), "guard", "OFF", "maxLeaseTtlMillis", "20000", "nodeTimeoutMillis", "500"));
    }

    @Test
    void release_ofALockThatIsHeld_saysSoEachTime() throws Exception {
        Lease lease = connection.acquire(REQUEST);
        assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    void release_ofOneLeaseOfTwo_saysThatTheLockIsKept() throws Exception {
        Lease first = connection.acquire(REQUEST);
        Lease second = connection.acquire(REQUEST);
        assertThat(second.release()).isEqualTo(ReleaseResult.KEPT);
        assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    void release_afterAnotherProcessHasReleasedTheLockByForce_saysThatItWasNotHeld() throws Exception {
        Lease lease = connection.acquire(REQUEST);
        assertThat(others.forceRelease(REQUEST)).hasSize(1);
        assertThat(lease.release()).isEqualTo(ReleaseResult.NOT_HELD);
    }

    /** With one of several names a holder has lost the whole lease. */
    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void release_afterOneOfSeveralNamesWasReleasedByForce_saysThatItWasNotHeld(String forced) throws Exception {
        Lease lease = connection.acquire(
                LockRequest.allOf("a", "b").ttl(Duration.ofSeconds(20)).waitTimeout(Duration.ofSeconds(10)));
        assertThat(others.forceRelease(LockRequest.of(forced))).hasSize(1);
        assertThat(lease.release()).isEqualTo(ReleaseResult.NOT_HELD);
        others.getConnection().acquire(LockRequest.allOf("a", "b")).release();
    }

    @Test
    void unlock_afterAnotherProcessHasReleasedTheLockByForce_isAnIllegalMonitorState() throws Exception {
        Lock lock = connection.lock("a");
        lock.lock();
        assertThat(others.forceRelease(LockRequest.of("a"))).hasSize(1);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining("was not held by thread");
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void release_whileAMajorityHangs_saysThatItIsNotConfirmed() throws Exception {
        Lease lease = connection.acquire(REQUEST);
        nodes.get(0).freeze();
        nodes.get(1).freeze();
        assertThat(lease.release()).isEqualTo(ReleaseResult.UNCONFIRMED);
    }
}
