// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.redis.cluster.Slot;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What a test of voters that move opens: servers and lock services, which end with the test, the last one first. */
final class MovingVoters implements AfterEachCallback {

    static final Path FILES = Path.of("target", "redis");

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    <T extends AutoCloseable> T opened(T what) {
        open.push(what);
        return what;
    }

    /** @param memory the longest TTL, and so the quarantine */
    static Map<String, String> settings(String nodes, Duration memory) {
        return settings(nodes, memory, ofMillis(400)); // a machine that stands still for a moment is no node that hangs
    }

    private static Map<String, String> settings(String nodes, Duration memory, Duration nodeTimeout) {
        return Map.of(
                "nodes",
                nodes,
                "maxLeaseTtlMillis",
                Long.toString(memory.toMillis()),
                "nodeTimeoutMillis",
                Long.toString(nodeTimeout.toMillis()));
    }

    LockConnectionFactory locks(String nodes, Duration memory) {
        return opened(Holdfast.connect(settings(nodes, memory)));
    }

    LockConnection connect(String nodes, Duration memory) {
        return opened(locks(nodes, memory).getConnection());
    }

    /** For a test in which each request must be answered in time, also beside other work. */
    LockConnectionFactory patientLocks(String nodes, Duration memory) {
        return opened(Holdfast.connect(settings(nodes, memory, ofSeconds(1))));
    }

    /** For a test that keeps the nodes busy itself. */
    LockConnection connectPatiently(String nodes, Duration memory) {
        return opened(patientLocks(nodes, memory).getConnection());
    }

    /** Returns the slot in which a lock is in a cluster. */
    static int slot(String name) {
        return Slot.of("holdfast:{" + name + "}:lock");
    }

    /** Returns whether a lock is granted, which is held then. */
    static boolean isGranted(LockConnection locks, String name) throws Exception {
        try {
            return locks.tryAcquire(LockRequest.of(name).waitTimeout(Duration.ZERO))
                    .isPresent();
        } catch (QuorumUnavailableException e) {
            return false; // its next shard is not asked yet
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
