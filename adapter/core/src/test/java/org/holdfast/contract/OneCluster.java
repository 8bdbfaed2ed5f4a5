// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisCluster;

/** A cluster that is out of quarantine, for all tests of a class. */
final class OneCluster implements AutoCloseable {

    private static final int PRIMARIES = 3;

    private final RedisCluster cluster;

    /** Another process, which looks at the nodes all the time: one that starts would wait for it else. */
    private final LockConnectionFactory another;

    OneCluster() {
        cluster = RedisCluster.start(Path.of("target", "redis"), PRIMARIES, 0);
        another = connect();
        try (LockConnection connection = another.getConnection()) {
            for (String name : List.of("a", "b", "c", "d", "e", "f")) { // on all shards
                try (Lease lease = connection.acquire(LockRequest.of(name).waitTimeout(Duration.ofSeconds(60)))) {
                    lease.requireHeld();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in quarantine", e);
        }
    }

    LockConnectionFactory connect() {
        return Holdfast.connect(Map.of(
                "nodes",
                cluster.uri(),
                "nodeTimeoutMillis",
                "1000",
                "maxLeaseTtlMillis",
                "31000",
                "waitTimeoutMillis",
                "300"));
    }

    @Override
    public void close() {
        another.close();
        cluster.close();
    }
}
