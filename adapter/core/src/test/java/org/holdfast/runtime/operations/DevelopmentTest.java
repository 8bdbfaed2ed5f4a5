// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.holdfast.CheckReport;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first lock of a newcomer, on a Redis that was started just now. */
@Tag("thorough")
@Timeout(60)
class DevelopmentTest {

    private static final LockRequest AT_ONCE = LockRequest.of("a").waitTimeout(Duration.ofMillis(200));

    private static LockConnectionFactory connect(RedisServer node, String guard) {
        return Holdfast.connect(Map.of("nodes", node.uri(), "guard", guard, "nodeTimeoutMillis", "1000"));
    }

    /** Redis processes that are younger are watched first. */
    private static void awaitAge(RedisServer node) {
        await().until(() ->
                Integer.parseInt(node.command("INFO server").replaceAll("(?s).*uptime_in_seconds:(\\d+).*", "$1")) > 4);
    }

    @Test
    void development_nodeThatIsUp_grantsAtOnceAndWarnsOnce() throws InterruptedException {
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel() == Level.WARNING) {
                    warnings.add(entry.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("org.holdfast");
        logger.addHandler(handler);
        try (RedisServer node = RedisServer.start(Path.of("target", "redis"));
                LockConnectionFactory locks = connect(node, "DEVELOPMENT");
                LockConnection connection = locks.getConnection()) {
            awaitAge(node);
            warnings.removeIf(line -> line.contains("it was started or restored just now"));
            assertThat(connection.acquire(AT_ONCE).isHeld()).isTrue();
            assertThat(locks.check().isReady()).isTrue();
            assertThat(warnings)
                    .singleElement()
                    .asString()
                    .startsWith("HF0109: ")
                    .contains("never use it in production");
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void quarantine_freshNode_saysUntilWhenWhyAndWhatToDo() {
        try (RedisServer node = RedisServer.start(Path.of("target", "redis"));
                LockConnectionFactory locks = connect(node, "QUARANTINE");
                LockConnection connection = locks.getConnection()) {
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> connection.acquire(AT_ONCE))
                    .withMessageContainingAll(
                            "in quarantine for another",
                            "may have forgotten locks",
                            "A quarantine ends by itself",
                            "guard=DEVELOPMENT");
        }
    }

    @Test
    void development_nodeThatOthersGuard_isRefused() throws Exception {
        try (RedisServer node = RedisServer.start(Path.of("target", "redis"));
                LockConnectionFactory guarding = connect(node, "QUARANTINE")) {
            assertThat(guarding.check().isUsable()).isTrue();
            await().until(() -> node.command("EXISTS holdfast:heartbeat").equals(":1\r\n"));
            try (LockConnectionFactory developing = connect(node, "DEVELOPMENT");
                    LockConnection connection = developing.getConnection()) {
                assertThatExceptionOfType(QuorumUnavailableException.class)
                        .isThrownBy(() -> connection.acquire(AT_ONCE))
                        .withMessageContaining("other processes use it with guard=QUARANTINE");
                assertThat(developing.check().isUsable()).isFalse();
            }
        }
    }

    @Test
    void development_freshNode_grantsAfterSeconds() throws Exception {
        try (RedisServer node = RedisServer.start(Path.of("target", "redis"));
                LockConnectionFactory locks = connect(node, "DEVELOPMENT");
                LockConnection connection = locks.getConnection()) {
            CheckReport young = locks.check();
            assertThat(young.isUsable()).isTrue();
            assertThat(young.nodes().get(0).quarantine()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(3));
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> connection.acquire(AT_ONCE))
                    .withMessageContaining("started or restored just now");
            assertThat(connection.acquire(LockRequest.of("a")).isHeld()).isTrue();
        }
    }

    @Test
    void development_nodeRestoredFromFilesOfGuardedProcesses_isWatchedFirst() throws Exception {
        try (RedisServer node = RedisServer.start(Path.of("target", "redis"))) {
            awaitAge(node);
            node.command("SET holdfast:birth of-another-process");
            try (LockConnectionFactory locks = connect(node, "DEVELOPMENT")) {
                assertThat(locks.check().isReady()).isFalse();
                await().until(() -> locks.check().isReady());
            }
        }
    }

    @Test
    void development_guardedNodeThatIsEmptied_takesNoLockFromItsHolder() throws Exception {
        try (RedisServer node = RedisServer.start(Path.of("target", "redis"));
                LockConnectionFactory guarding = Holdfast.connect(
                        Map.of("nodes", node.uri(), "nodeTimeoutMillis", "1000", "maxLeaseTtlMillis", "4000"));
                LockConnection production = guarding.getConnection();
                LockConnectionFactory developing = connect(node, "DEVELOPMENT");
                LockConnection development = developing.getConnection()) {
            Lease lease = production.acquire("a");
            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(QuorumUnavailableException.class)
                        .isThrownBy(() -> development.acquire(AT_ONCE))
                        .withMessageContaining("with guard=QUARANTINE");
                node.command("FLUSHALL");
                assertThatExceptionOfType(QuorumUnavailableException.class)
                        .isThrownBy(
                                () -> development.acquire(LockRequest.of("a").waitTimeout(Duration.ofMillis(1500))))
                        .withMessageContaining("with guard=QUARANTINE");
            }
            lease.release();
        }
    }

    @Test
    void development_heartbeatThatIsGoneTooEarly_isBelievedForAsLongAsItWouldHaveLasted() throws Exception {
        try (RedisServer node = RedisServer.start(Path.of("target", "redis"));
                LockConnectionFactory locks = connect(node, "DEVELOPMENT")) {
            awaitAge(node);
            node.command("SET holdfast:heartbeat 1 PX 5000");
            assertThat(locks.check().toString()).contains("other processes use it with guard=QUARANTINE");
            node.command("FLUSHALL");
            CheckReport emptied = locks.check();
            assertThat(emptied.isUsable()).isFalse();
            assertThat(emptied.toString()).contains("have used it with guard=QUARANTINE until");
            await().until(() -> locks.check().isReady());
        }
    }
}
