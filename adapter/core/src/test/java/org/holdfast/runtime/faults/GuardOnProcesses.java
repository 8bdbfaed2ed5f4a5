// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;

/** Redis processes of a test, and clients whose guard keeps them in quarantine for some seconds. */
abstract class GuardOnProcesses {

    /** The longest TTL here, and so the quarantine. */
    static final Duration MEMORY = ofSeconds(3);

    /** For leases that outlive a restart, which takes its time on a busy machine. */
    static final Duration LONG_MEMORY = ofSeconds(6);

    final List<RedisServer> nodes = new ArrayList<>();
    LockConnectionFactory locks;

    @AfterEach
    void stop() {
        if (locks != null) {
            locks.close();
        }
        nodes.forEach(RedisServer::close);
    }

    RedisServer node(String... options) {
        RedisServer node = RedisServer.start(Path.of("target", "redis"), options);
        nodes.add(node);
        return node;
    }

    LockConnection connect() {
        return connect(nodes.stream().map(RedisServer::uri).toList());
    }

    LockConnection connect(List<String> uris) {
        return connect(uris, MEMORY);
    }

    LockConnection connect(List<String> uris, Duration memory) {
        locks = factory(uris, memory);
        return locks.getConnection();
    }

    static LockConnectionFactory factory(List<String> uris, Duration memory) {
        return Holdfast.connect(Map.of(
                "nodes",
                String.join(",", uris),
                "maxLeaseTtlMillis",
                Long.toString(memory.toMillis()),
                "nodeTimeoutMillis",
                "1500")); // a machine that stands still for a second is not a node that hangs
    }

    static LockRequest within(Duration wait) {
        return LockRequest.of("a").waitTimeout(wait);
    }

    static void assertRefused(LockConnection connection, String... parts) {
        var thrown = assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> connection.acquire(within(ofMillis(300))));
        for (String part : parts) {
            thrown.withMessageContaining(part);
        }
    }

    static void acquireAfterQuarantine(LockConnection connection) throws InterruptedException {
        acquireAfterQuarantine(connection, MEMORY);
    }

    static void acquireAfterQuarantine(LockConnection connection, Duration memory) throws InterruptedException {
        connection.acquire(within(memory.plusSeconds(3))).release();
    }

    static long markedSince(RedisServer node) throws Exception {
        Matcher since = Pattern.compile("\r\n(\\d+) ").matcher(node.command("GET holdfast:birth"));
        assertThat(since.find()).isTrue();
        return Long.parseLong(since.group(1));
    }
}
