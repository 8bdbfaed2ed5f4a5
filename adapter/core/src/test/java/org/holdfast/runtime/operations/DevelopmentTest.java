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
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first lock of a newcomer, on a Redis that was started just now. */
@Timeout(60)
class DevelopmentTest {

    private static final LockRequest AT_ONCE = LockRequest.of("a").waitTimeout(Duration.ofMillis(200));

    private static LockConnectionFactory connect(RedisServer node, String guard) {
        return Holdfast.connect(Map.of("nodes", node.uri(), "guard", guard, "nodeTimeoutMillis", "1000"));
    }

    @Test
    void development_freshNode_grantsAtOnceAndWarnsOnce() throws InterruptedException {
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
}
