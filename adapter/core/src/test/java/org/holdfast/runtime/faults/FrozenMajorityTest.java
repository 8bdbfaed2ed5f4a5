// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A majority of real nodes that hang for longer than the TTL, and run what lies in their sockets when they resume. */
@Timeout(60)
class FrozenMajorityTest {

    private static final Duration TTL = Duration.ofSeconds(6);

    @Test
    void attemptsThatWereGivenUp_whenTheMajorityGoesOn_doNotKeepTheLockForAnotherTtl() throws Exception {
        try (RedisServers nodes = RedisServers.start(3);
                LockConnectionFactory locks = Holdfast.connect(Map.of(
                        "nodes",
                        nodes.uris(),
                        "guard",
                        "OFF",
                        "ttlMillis",
                        Long.toString(TTL.toMillis()),
                        "nodeTimeoutMillis",
                        "1000"));
                LockConnection connection = locks.getConnection()) {
            connection.acquire(LockRequest.of("a")).release(); // connected
            nodes.get(0).freeze();
            nodes.get(1).freeze();
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> connection.tryAcquire(LockRequest.of("a").waitTimeout(Duration.ZERO)));
            Thread.sleep(TTL.plusSeconds(1).toMillis()); // real processes: their locks expire by their own clocks

            nodes.get(0).thaw();
            nodes.get(1).thaw();
            long begun = System.nanoTime();
            try (Lease lease = connection.acquire(LockRequest.of("a").waitTimeout(Duration.ofSeconds(30)))) {
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(TTL.dividedBy(2));
                assertThat(lease.isHeld()).isTrue();
            }
        }
    }
}
