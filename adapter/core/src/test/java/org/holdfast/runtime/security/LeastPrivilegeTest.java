// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.security;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

/**
 * The user of docs/operations.md can do everything. With one permission less, a message reports what is missing.
 *
 * <p>Most of the time goes by in quarantines and in waiting for what is not allowed. So each case has a user and a
 * prefix of its own, and all run at once.
 */
@Timeout(120)
class LeastPrivilegeTest {

    /** Without these something is done in another way: see docs/operations.md. */
    private static final List<String> OPTIONAL = List.of(
            "+publish",
            "&holdfast:*",
            "+subscribe",
            "+unsubscribe",
            "+ping",
            "+config|get",
            "+client|setname",
            "+client|info");

    private static final String PATTERNS = "[~&]holdfast:\\*";

    private static RedisServers redis;
    private static final ExecutorService EACH = Executors.newCachedThreadPool();

    /** What became of each case; null where everything could be done. */
    private static final Map<String, Future<Throwable>> WITHOUT = new HashMap<>();

    @BeforeAll
    static void start() throws Exception {
        redis = RedisServers.start(3, Path.of("target", "redis"));
        setUser("holdfast", documented());
        useEverything("holdfast", ""); // first: later one could not see that tickets were refreshed
        for (String word : Stream.concat(required(), OPTIONAL.stream()).toList()) {
            begin(word, word, "");
        }
        begin("+select", "", "/3");
    }

    /** @param absent the word that is left out of the rules */
    private static void begin(String name, String absent, String database) throws Exception {
        String prefix = "case-" + WITHOUT.size();
        setUser(
                prefix,
                documented().stream()
                        .filter(word -> !word.equals(absent))
                        .map(word -> word.matches(PATTERNS) ? word.replace("holdfast", prefix) : word)
                        .toList());
        WITHOUT.put(name, EACH.submit(() -> catchThrowable(() -> useEverything(prefix, database))));
    }

    @AfterAll
    static void stop() {
        EACH.shutdownNow();
        redis.close();
    }

    /** The words of the one line that begins with ACL SETUSER. */
    private static List<String> documented() throws Exception {
        String line = Files.readAllLines(Path.of("..", "..", "docs", "operations.md")).stream()
                .filter(l -> l.startsWith("ACL SETUSER holdfast "))
                .findFirst()
                .orElseThrow();
        boolean channels = knowsChannels();
        return Arrays.stream(line.substring("ACL SETUSER holdfast ".length()).split(" "))
                .filter(word -> channels || !word.matches("resetchannels|&.*"))
                .toList();
    }

    /** Redis 6.0 has no rules for channels. */
    private static boolean knowsChannels() throws IOException {
        return redis.get(0).command("ACL SETUSER any resetchannels").startsWith("+OK");
    }

    static Stream<String> required() throws Exception {
        return documented().stream()
                .filter(word -> word.startsWith("+") || word.matches(PATTERNS))
                .filter(word -> !OPTIONAL.contains(word));
    }

    static List<String> optional() {
        return OPTIONAL;
    }

    private static void setUser(String name, List<String> rules) {
        for (var node : redis.all()) {
            try (Jedis jedis = new Jedis("127.0.0.1", node.port())) {
                jedis.aclSetUser(name, rules.toArray(String[]::new));
            }
        }
    }

    private static String uris(String database) {
        return redis.all().stream().map(node -> node.uri() + database).collect(Collectors.joining(","));
    }

    /** Everything that there is, once. */
    private static void useEverything(String userAndPrefix, String database) throws Exception {
        Map<String, String> settings = Map.of(
                "nodes",
                uris(database),
                "user",
                userAndPrefix,
                "password",
                "secret",
                "keyPrefix",
                userAndPrefix,
                "maxLeaseTtlMillis",
                "3000",
                "nodeTimeoutMillis",
                "1500", // many go on at once
                "waitTimeoutMillis",
                "6000"); // as long as nodes that see a prefix for the first time are in quarantine, and more
        try (LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnection connection = locks.getConnection()) {
            for (LockRequest request : List.of(
                    LockRequest.of("a"),
                    LockRequest.of("a").fair(true),
                    LockRequest.of("a").mode(LockMode.READ),
                    LockRequest.of("a").mode(LockMode.WRITE),
                    LockRequest.allOf("a", "b"),
                    LockRequest.semaphore("p", 2))) {
                Lease lease = acquire(connection, request);
                await().atMost(ofSeconds(20)).until(() -> lease.renew() || !lease.isHeld()); // a node may be busy once
                lease.requireHeld(); // says why
                lease.release();
            }
            connection.latch("l", 0, 1).countDown();
            assertThat(connection.latch("l", 0, 1).await(ofSeconds(6))).isTrue();
            everyPermitAndWhoWaits(locks, connection, userAndPrefix, database);
        }
    }

    /** What a caller may not take back is held until its TTL ends: a request may learn only that, on a busy machine. */
    private static Lease acquire(LockConnection connection, LockRequest request) throws InterruptedException {
        for (int attempts = 1; ; attempts++) {
            try {
                return connection.acquire(request);
            } catch (LockTimeoutException e) {
                if (attempts == 4) {
                    throw e;
                }
            }
        }
    }

    private static void everyPermitAndWhoWaits(
            LockConnectionFactory locks, LockConnection connection, String prefix, String database) throws Exception {
        LockRequest permit = LockRequest.semaphore("p", 2);
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
        awaitTickets(prefix, database, waiting);
        awaitRefreshOfTickets(waiting);
        lease.release();
        for (CompletableFuture<Void> each : waiting) {
            each.get(10, SECONDS);
        }
        connection.acquire(LockRequest.of("held").detached());
        assertThat(locks.holders("held")).hasSize(1);
        assertThat(locks.forceRelease("held")).hasSize(1);
    }

    /** A caller that is granted the lock at its first attempt has no ticket, and removes none. */
    private static void awaitTickets(String prefix, String database, List<CompletableFuture<Void>> waiting) {
        try (Jedis jedis = new Jedis("127.0.0.1", redis.get(0).port())) {
            if (!database.isEmpty()) {
                jedis.select(Integer.parseInt(database.substring(1)));
            }
            await().atMost(ofSeconds(20))
                    .until(() -> jedis.zcard(prefix + ":{a}:tickets") == waiting.size()
                            || waiting.stream().anyMatch(CompletableFuture::isDone));
        }
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

    /** That it can do everything is seen before the first test. */
    @Test
    void documentedUser_wasRefusedNothing() {
        for (var node : redis.all()) {
            try (Jedis jedis = new Jedis("127.0.0.1", node.port())) {
                assertThat(jedis.aclLog())
                        .extracting(entry -> entry.getUsername())
                        .doesNotContain("holdfast");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("required")
    void user_withOnePermissionLess_isToldWhereAndWhich(String permission) throws Exception {
        assertTold(permission, "");
    }

    @Test
    void user_ofAnotherDatabase_needsSelect() throws Exception {
        assertTold("+select", "/3");
        List<String> rules = new ArrayList<>(documented());
        rules.add("+select");
        setUser("holdfast", rules);
        useEverything("holdfast", "/3");
    }

    /** Redis names the command where it was sent; where a script came upon it the line does. */
    private static void assertTold(String permission, String database) throws Exception {
        Throwable failure = WITHOUT.get(permission).get();
        assertThat(failure).as("without " + permission).isNotNull();
        Throwable told = failure instanceof ExecutionException ? failure.getCause() : failure;
        assertThat(told)
                .isInstanceOfAny(QuorumUnavailableException.class, LeaseLostException.class, LockException.class);
        String sent = permission.startsWith("~")
                ? "NOPERM .*access (one of the keys|a key).*"
                : "NOPERM .*'" + permission.substring(1) + "' command.*";
        String command = permission.substring(1);
        String inScript = "ERR .*(can't run this command|has no permissions to).*, in:"
                + " .*redis\\.call\\('?(?i:" + Pattern.quote(command)
                + ")'?,.*: grant its user the commands of docs/operations.md.*";
        for (var node : redis.all()) {
            assertThat(said(told, node.uri() + database))
                    .as("without " + permission)
                    .matches("(the guard cannot look at it: .*: )?(" + sent + "|" + inScript + ")");
        }
        assertThat(told).hasMessageContaining(redis.get(0).uri() + database);
    }

    /** What is said of a node: of a lease that was lost, by the last renewal. */
    private static String said(Throwable told, String node) {
        if (told instanceof QuorumUnavailableException unavailable) {
            return unavailable.failures().get(node);
        }
        String message = told.getMessage();
        if (message.startsWith("HF0316")) { // of a look
            return message.substring(message.indexOf(node + ": ") + node.length() + 2)
                    .split("; redis://")[0];
        }
        return message.substring(message.indexOf(node + "=") + node.length() + 1);
    }

    @ParameterizedTest
    @MethodSource("optional")
    void user_withoutAPermissionForWhichThereIsAnotherWay_canDoEverything(String permission) throws Exception {
        assertThat(WITHOUT.get(permission).get()).as("without " + permission).isNull();
    }
}
