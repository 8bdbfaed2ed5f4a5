// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

/** The user that docs/operations.md tells to create can do everything, and with one permission less something says so. */
@Timeout(120)
class LeastPrivilegeTest {

    /** Without these something is done in another way: see docs/operations.md. */
    private static final List<String> OPTIONAL =
            List.of("+subscribe", "+unsubscribe", "+ping", "+config|get", "+client|setname", "+script|load");

    private static RedisServers redis;

    @BeforeAll
    static void start() {
        redis = RedisServers.start(3, Path.of("target", "redis"));
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    /** The words of the one line that begins with ACL SETUSER. */
    private static List<String> documented() throws Exception {
        String line = Files.readAllLines(Path.of("..", "..", "docs", "operations.md")).stream()
                .filter(l -> l.startsWith("ACL SETUSER holdfast "))
                .findFirst()
                .orElseThrow();
        return Arrays.asList(line.substring("ACL SETUSER holdfast ".length()).split(" "));
    }

    static Stream<String> required() throws Exception {
        return documented().stream().filter(word -> word.startsWith("+") && !OPTIONAL.contains(word));
    }

    private static void setUser(List<String> rules) {
        for (var node : redis.all()) {
            try (Jedis jedis = new Jedis("127.0.0.1", node.port())) {
                jedis.flushAll();
                jedis.scriptFlush();
                jedis.aclDelUser("holdfast");
                jedis.aclSetUser("holdfast", rules.toArray(String[]::new));
            }
        }
    }

    /** Everything that there is, once. */
    private static void useEverything() throws Exception {
        Map<String, String> settings = Map.of(
                "nodes",
                redis.uris(),
                "user",
                "holdfast",
                "password",
                "secret",
                "maxLeaseTtlMillis",
                "1500",
                "nodeTimeoutMillis",
                "750",
                "waitTimeoutMillis",
                "5000"); // as long as nodes that were flushed are in quarantine, and more than once
        try (LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnection connection = locks.getConnection()) {
            for (LockRequest request : List.of(
                    LockRequest.of("a"),
                    LockRequest.of("a").fair(true),
                    LockRequest.of("a").mode(LockMode.READ),
                    LockRequest.of("a").mode(LockMode.WRITE),
                    LockRequest.allOf("a", "b"),
                    LockRequest.permit("p", 2))) {
                Lease lease = connection.acquire(request);
                if (!lease.renew()) {
                    throw new IllegalStateException("not renewed: " + request);
                }
                lease.release();
            }
            everyPermitAndWhoWaits(locks, connection);
        }
    }

    private static void everyPermitAndWhoWaits(LockConnectionFactory locks, LockConnection connection)
            throws Exception {
        LockRequest permit = LockRequest.permit("p", 2);
        Lease one = connection.acquire(permit);
        Lease other = connection.acquire(permit);
        assertThat(connection.tryAcquire(permit.waitTimeout(ofMillis(100)))).isEmpty();
        one.release();
        other.release();
        Lease lease =
                connection.acquire(LockRequest.of("a").mode(LockMode.WRITE).detached());
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (LockMode mode : List.of(LockMode.READ, LockMode.WRITE)) {
            waiting.add(connection
                    .acquireAsync(LockRequest.of("a")
                            .mode(mode)
                            .waitTimeout(ofSeconds(8))
                            .detached())
                    .thenAccept(Lease::release));
        }
        awaitRefreshOfTickets(waiting);
        lease.release();
        for (CompletableFuture<Void> each : waiting) {
            each.get(10, SECONDS);
        }
        connection.acquire(LockRequest.of("held").detached());
        assertThat(locks.holders("held")).hasSize(1);
        assertThat(locks.forceRelease("held")).hasSize(1);
    }

    /** A node knows a script from when it was asked to run it. */
    private static void awaitRefreshOfTickets(List<CompletableFuture<Void>> waiting) throws Exception {
        try (InputStream script = Lease.class.getResourceAsStream("redis/refresh.lua");
                Jedis jedis = new Jedis("127.0.0.1", redis.get(0).port())) {
            byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(script.readAllBytes());
            String name = HexFormat.of().formatHex(sha1);
            await().until(() -> jedis.scriptExists(name) || waiting.stream().anyMatch(CompletableFuture::isDone));
        }
    }

    @Test
    void documentedUser_canDoEverything() throws Exception {
        setUser(documented());
        useEverything();
    }

    @ParameterizedTest
    @MethodSource("required")
    void user_withOnePermissionLess_isToldWhich(String permission) throws Exception {
        List<String> rules = new ArrayList<>(documented());
        assertThat(rules.remove(permission)).isTrue();
        setUser(rules);
        Throwable failure = catchThrowable(LeastPrivilegeTest::useEverything);
        assertThat(failure).as("without " + permission).isNotNull();
        String command = permission.substring(1).split("\\|")[0];
        assertThat(failure.toString() + failure.getCause())
                .as("without " + permission)
                .containsIgnoringCase(command);
    }
}
