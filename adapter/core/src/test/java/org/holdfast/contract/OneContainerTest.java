// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.GuardMode;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;

/** The recipe of {@code docs/testing.md}: a Redis of a test's own, by Testcontainers. */
@EnabledIf("org.holdfast.contract.LockContractOnContainersTest#hasEngine")
class OneContainerTest {

    private static final String IMAGE = System.getProperty("redis.image", "redis:7");

    @Test
    void acquire_freshRedisInDevelopment_isGrantedAtOnce() throws InterruptedException {
        try (GenericContainer<?> redis = new GenericContainer<>(IMAGE)
                .withNetwork(Network.SHARED)
                .withExposedPorts(6379)
                .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1))) {
            redis.start();
            String node = "redis://" + redis.getHost() + ":" + redis.getMappedPort(6379);
            LockSettings settings = LockSettings.of(node).guard(GuardMode.DEVELOPMENT);
            try (LockConnectionFactory factory = Holdfast.connect(settings);
                    LockConnection connection = factory.getConnection();
                    Lease lease = connection.acquire("invoice-17")) {
                assertThat(lease.isHeld()).isTrue();
            }
        }
    }
}
