// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static java.util.concurrent.TimeUnit.SECONDS;

import jakarta.enterprise.concurrent.ManagedExecutorService;
import java.time.Duration;
import java.util.function.Supplier;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;

/** Tries a lock on another thread, so that re-entry plays no part. */
final class FreeLock {

    private FreeLock() {}

    static boolean isFree(ManagedExecutorService executor, Supplier<LockConnection> connections, String name)
            throws Exception {
        return executor.submit(() -> OnceAnswered.ask(() -> isFree(connections, name)))
                .get(30, SECONDS);
    }

    private static boolean isFree(Supplier<LockConnection> connections, String name) throws InterruptedException {
        try (LockConnection connection = connections.get()) {
            return connection
                    .tryAcquire(LockRequest.of(name).waitTimeout(Duration.ZERO))
                    .isPresent();
        }
    }
}
