// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Three real nodes, and two factories that are two processes, as far as the nodes can see. */
abstract class LockAdminOnNodes {

    static final Logger AUDIT = Logger.getLogger("org.holdfast.audit");
    static RedisServers redis;

    final LinkedBlockingQueue<LogRecord> audited = new LinkedBlockingQueue<>();

    final Handler auditor = new Handler() {
        @Override
        public void publish(LogRecord line) {
            audited.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    ExecutorService worker;
    LockConnectionFactory locks;
    LockConnectionFactory others;

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(3);
    }

    @AfterAll
    static void stopNodes() {
        redis.close();
    }

    @BeforeEach
    void connect() {
        onEveryNode("FLUSHALL");
        AUDIT.addHandler(auditor);
        AUDIT.setUseParentHandlers(false);
        worker = Executors.newSingleThreadExecutor(work -> new Thread(work, "order-worker-7"));
        locks = connect(redis.uris());
        others = connect(redis.uris());
    }

    static LockConnectionFactory connect(String nodes) {
        // a machine that is busy with other tests is not a node that hangs
        return Holdfast.connect(Map.of("nodes", nodes, "guard", "OFF", "nodeTimeoutMillis", "2000"));
    }

    @AfterEach
    void disconnect() {
        AUDIT.removeHandler(auditor);
        AUDIT.setUseParentHandlers(true);
        worker.shutdownNow();
        locks.close();
        others.close();
    }

    static void onEveryNode(String command) {
        redis.all().forEach(node -> ask(node, command));
    }

    static String ask(RedisServer node, String command) {
        try {
            return node.command(command);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** An acquisition waits for a quorum only, and may have found a node without our scripts; a renewal heals that. */
    static Lease take(LockConnectionFactory by, LockRequest request) throws Exception {
        try (LockConnection connection = by.getConnection()) {
            Lease lease = connection.acquire(request.detached().waitTimeout(ofSeconds(20)));
            assertThat(lease.renew()).isTrue();
            return lease;
        }
    }

    <T> T inWorker(Callable<T> work) throws Exception {
        return worker.submit(work).get(30, TimeUnit.SECONDS);
    }

    List<LockHolder> seenByAll(LockConnectionFactory by, LockRequest request, int holders) {
        return await().atMost(ofSeconds(10))
                .until(
                        () -> by.holders(request),
                        seen -> seen.size() == holders && seen.stream().allMatch(each -> each.nodeCount() == 3));
    }

    static String lockKey(String name) {
        return "holdfast:{" + name + "}:lock";
    }
}
