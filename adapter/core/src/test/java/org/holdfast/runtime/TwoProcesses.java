// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Three real nodes, and two factories without a container: two processes, as far as the nodes can see. */
abstract class TwoProcesses {

    final RedisServers redis = RedisServers.start(3);
    final ExecutorService threads = Executors.newCachedThreadPool();
    LockConnectionFactory locks;
    LockConnectionFactory otherProcess;

    /** Without the guard, for which nodes that were started just now may have forgotten locks. */
    static LockConnectionFactory connect(String nodes, String nodeTimeoutMillis) {
        return Holdfast.connect(Map.of("nodes", nodes, "guard", "OFF", "nodeTimeoutMillis", nodeTimeoutMillis));
    }

    @BeforeEach
    void connect() {
        locks = connect(redis.uris(), "2000"); // no node of a machine that is busy hangs
        otherProcess = connect(redis.uris(), "2000");
    }

    @AfterEach
    void close() {
        redis.all().forEach(RedisServer::thaw);
        locks.close();
        otherProcess.close();
        threads.shutdownNow();
        redis.close();
    }

    <T> T inOtherThread(Callable<T> work) throws Exception {
        Future<T> future = threads.submit(work);
        return future.get(30, TimeUnit.SECONDS);
    }

    static LockRequest now(String name) {
        return LockRequest.of(name).waitTimeout(Duration.ZERO);
    }

    boolean isFree(String name) throws Exception {
        return inOtherThread(() -> {
            try (LockConnection connection = otherProcess.getConnection()) {
                return connection.tryAcquire(now(name)).isPresent();
            }
        });
    }
}
