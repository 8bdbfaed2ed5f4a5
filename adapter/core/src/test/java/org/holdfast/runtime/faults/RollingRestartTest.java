// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real nodes that are restarted one after the other, with time to come back in between, while another process waits.
 */
@Tag("thorough")
@Timeout(120)
class RollingRestartTest {

    private static final LockRequest REQUEST =
            LockRequest.of("leader").ttl(Duration.ofSeconds(3)).scope(LeaseScope.DETACHED);

    /** Longer than the quarantine and a renewal. */
    private static final long PATIENCE_MILLIS = 6_500;

    @ParameterizedTest
    @EnumSource(
            value = LockMode.class,
            names = {"EXCLUSIVE", "READ"})
    void leaseInForce_isHeldThroughAllRestarts_thoughAnotherProcessWaits(LockMode waiters) throws Exception {
        try (RedisServers nodes = RedisServers.start(3);
                LockConnectionFactory first = connect(nodes);
                LockConnectionFactory second = connect(nodes);
                LockConnection holder = first.getConnection();
                LockConnection other = second.getConnection()) {
            Lease lease =
                    take(holder, REQUEST.waitTimeout(Duration.ofSeconds(20))).orElseThrow();
            AtomicReference<String> lost = new AtomicReference<>();
            lease.onLost(loss -> lost.set(loss.toString()));
            AtomicBoolean waits = new AtomicBoolean(true);
            Thread waiter = new Thread(() -> {
                while (waits.get()) {
                    take(other, REQUEST.mode(waiters).waitTimeout(Duration.ofMillis(300)));
                }
            });
            waiter.start();
            try {
                Thread.sleep(PATIENCE_MILLIS); // it may have the votes of two nodes, while the third was in quarantine
                for (RedisServer node : nodes.all()) {
                    node.kill();
                    node.start();
                    Thread.sleep(PATIENCE_MILLIS); // real processes: quarantine and renewals go by their clocks
                    assertThat(lost).as("after node " + node.port()).hasValue(null);
                }
                assertThat(lease.isHeld()).isTrue();
            } finally {
                waits.set(false);
                waiter.join();
            }
        }
    }

    /** A machine that stands still for half a second is not a node that hangs. */
    private static LockConnectionFactory connect(RedisServers nodes) {
        return Holdfast.connect(Map.of("nodes", nodes.uris(), "maxLeaseTtlMillis", "3000", "nodeTimeoutMillis", "900"));
    }

    private static Optional<Lease> take(LockConnection connection, LockRequest request) {
        try {
            return connection.tryAcquire(request);
        } catch (LockException e) { // too few nodes: they are in quarantine
            return Optional.empty();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
