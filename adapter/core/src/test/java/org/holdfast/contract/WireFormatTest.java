// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code docs/wire.md} names the keys that are on a real node, and no others. */
@Timeout(60)
class WireFormatTest {

    private static final Pattern KEY = Pattern.compile("holdfast:[^\\s`]+");
    private static final Pattern ROW = Pattern.compile("^\\| `(holdfast:[^`]+)`", Pattern.MULTILINE);

    private final Set<String> seen = new TreeSet<>();
    private RedisServer redis;
    private LockConnectionFactory factory;
    private LockConnectionFactory other;

    @BeforeEach
    void start() {
        redis = RedisServer.start(Path.of("target", "redis"));
        factory = Holdfast.connect(Map.of("nodes", redis.uri(), "guard", "DEVELOPMENT", "nodeTimeoutMillis", "5000"));
        other = Holdfast.connect(Map.of("nodes", redis.uri(), "guard", "DEVELOPMENT", "nodeTimeoutMillis", "5000"));
    }

    @AfterEach
    void stop() {
        factory.close();
        other.close();
        redis.close();
    }

    private boolean look() throws IOException {
        return seen.addAll(keys(KEY, redis.command("KEYS *"), 0));
    }

    private static Set<String> keys(Pattern pattern, String text, int group) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(group))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private CompletableFuture<Lease> waitFor(LockRequest request, String key) {
        LockConnection connection = other.getConnection();
        CompletableFuture<Lease> waiting = connection.acquireAsync(request.waitTimeout(Duration.ofSeconds(30)));
        await().until(() -> {
            look();
            return seen.contains(key);
        });
        return waiting;
    }

    @Test
    void keys_ofAllShapes_areThoseOfTheDocument() throws Exception {
        try (LockConnection connection = factory.getConnection()) {
            Lease alone = connection.acquire(LockRequest.of("name").fair(true));
            look();
            CompletableFuture<Lease> writer = waitFor(LockRequest.of("name").fair(true), "holdfast:{name}:queue");
            CompletableFuture<Lease> reader =
                    waitFor(LockRequest.of("name").mode(LockMode.READ), "holdfast:{name}:queue-reading");
            alone.release();
            writer.get().release();
            Lease reading = reader.get();
            look();
            reading.release();
            connection.acquire(LockRequest.semaphore("name", 1));
            connection.latch("name", 1, 2).countDown();
            look();
        }
        try (LockConnectionFactory guarding =
                Holdfast.connect(Map.of("nodes", redis.uri(), "nodeTimeoutMillis", "5000"))) {
            guarding.check();
            look();
        }
        String document = Files.readString(Path.of("..", "..", "docs", "wire.md"));
        assertThat(keys(ROW, document, 1)).isEqualTo(seen);
    }
}
