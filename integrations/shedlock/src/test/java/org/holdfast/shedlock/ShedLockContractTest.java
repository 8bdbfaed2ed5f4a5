// SPDX-License-Identifier: Apache-2.0
package org.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** ShedLock's own tests for lock providers, on three nodes. */
class ShedLockContractTest extends AbstractExtensibleLockProviderIntegrationTest {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static RedisServers redis;
    private static LockConnectionFactory factory;
    private static LockConnectionFactory other;

    @BeforeAll
    static void start() {
        redis = RedisServers.start(3);
        factory = connect();
        other = connect();
    }

    private static LockConnectionFactory connect() {
        return Holdfast.connect(Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "5000"));
    }

    @AfterAll
    static void stop() {
        factory.close();
        other.close();
        redis.close();
    }

    @Override
    protected ExtensibleLockProvider getLockProvider() {
        return new HoldfastLockProvider(factory);
    }

    private static boolean isLocked(String name) {
        try (LockConnection connection = other.getConnection()) {
            return connection.lock(name).isLocked();
        }
    }

    @Override
    protected void assertUnlocked(String name) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (isLocked(name) && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait(); // a lock of 50 ms may end some milliseconds late on a busy machine
        }
        assertThat(isLocked(name)).isFalse();
    }

    @Override
    protected void assertLocked(String name) {
        assertThat(isLocked(name)).isTrue();
    }
}
