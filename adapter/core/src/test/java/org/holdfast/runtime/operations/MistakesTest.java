// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.testkit.Certificates;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.TlsFront;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What people do wrong first, and the message that each mistake gets: the table of docs/troubleshooting.md. */
@Timeout(120)
class MistakesTest {

    private static final Path PAGE = Path.of("..", "..", "docs", "troubleshooting.md");

    /** A row: its number, the mistake, a part of the message in backquotes, what to do. */
    private static final Pattern ROW = Pattern.compile("^\\| (\\d+) \\| [^|]+ \\| `([^`]+)` \\|", Pattern.MULTILINE);

    @TempDir
    Path scratch;

    /** Something that goes wrong. */
    private interface Mistake {
        void make() throws Exception;
    }

    private static Map<Integer, String> rows() throws IOException {
        Map<Integer, String> rows = new LinkedHashMap<>();
        ROW.matcher(Files.readString(PAGE))
                .results()
                .forEach(row -> rows.put(Integer.valueOf(row.group(1)), row.group(2)));
        return rows;
    }

    private RedisServer node(String... options) {
        return RedisServer.start(scratch, options);
    }

    private static void lock(String nodes, String... settings) throws Exception {
        Map<String, String> all =
                new HashMap<>(Map.of("nodes", nodes, "nodeTimeoutMillis", "5000")); // on a busy machine
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        try (LockConnectionFactory locks = Holdfast.connect(all);
                LockConnection connection = locks.getConnection()) {
            LockRequest request = LockRequest.of("order").waitTimeout(Duration.ofMillis(200));
            catchThrowable(
                    () -> connection.acquire(request)); // the second caller gets what is known of the node by then
            connection.acquire(request);
        }
    }

    private interface Use {
        void with(LockConnection connection) throws Exception;
    }

    private void use(Use use) throws Exception {
        try (RedisServer redis = node();
                LockConnectionFactory locks =
                        Holdfast.connect(Map.of("nodes", redis.uri(), "guard", "OFF", "nodeTimeoutMillis", "5000"));
                LockConnection connection = locks.getConnection()) {
            use.with(connection);
        }
    }

    private Map<Integer, Mistake> mistakes() {
        Map<Integer, Mistake> all = new LinkedHashMap<>();
        all.put(1, () -> lock("redis://127.0.0.1:" + FreePort.find()));
        all.put(2, () -> lock("redis://no-such-host.invalid"));
        all.put(3, this::noRedis);
        all.put(4, () -> passwordAsked(""));
        all.put(5, () -> passwordAsked(":wrong@"));
        all.put(6, this::tlsWithoutRediss);
        all.put(7, this::redissWithoutTls);
        all.put(8, this::certificateOfAStranger);
        all.put(9, this::replica);
        all.put(10, () -> misused("--cluster-enabled", "yes"));
        all.put(11, () -> lock("redis://a,redis://b"));
        all.put(12, () -> lock("redis://a,redis://a,redis://b"));
        all.put(13, () -> lock("redis://a", "ttlMilis", "500"));
        all.put(14, () -> lock("redis://a", "guard", "on"));
        all.put(15, () -> lock("redis://a", "ttlMillis", "30s"));
        all.put(16, this::misused);
        all.put(17, this::noMajority);
        all.put(18, this::hanging);
        all.put(19, this::userWithoutRights);
        all.put(20, () -> misused("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"));
        all.put(21, () -> use(c -> c.acquire(LockRequest.of("x").ttl(Duration.ofHours(1)))));
        all.put(22, () -> use(MistakesTest::waitForOneself));
        all.put(23, () -> use(MistakesTest::useReleased));
        all.put(24, () -> use(MistakesTest::useClosed));
        all.put(25, () -> use(MistakesTest::upgrade));
        return all;
    }

    private void noRedis() throws Exception {
        try (ServerSocket web = new ServerSocket(0)) {
            Thread server = new Thread(() -> {
                while (true) {
                    try (var socket = web.accept()) {
                        socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            server.setDaemon(true);
            server.start();
            lock("redis://127.0.0.1:" + web.getLocalPort());
        }
    }

    private void passwordAsked(String given) throws Exception {
        try (RedisServer redis = node()) {
            redis.command("CONFIG SET requirepass secret");
            lock("redis://" + given + "127.0.0.1:" + redis.port());
        }
    }

    private void tlsWithoutRediss() throws Exception {
        Certificates authority = Certificates.in(scratch.resolve("authority"));
        Path shown = authority.issue("node", "ip:127.0.0.1");
        try (RedisServer redis = node();
                TlsFront front = TlsFront.start(redis.port(), shown, authority.trustStore())) {
            lock("redis://127.0.0.1:" + front.port());
        }
    }

    private void redissWithoutTls() throws Exception {
        try (RedisServer redis = node()) {
            lock("rediss://127.0.0.1:" + redis.port());
        }
    }

    private void certificateOfAStranger() throws Exception {
        Certificates authority = Certificates.in(scratch.resolve("stranger"));
        Path shown = authority.issue("node", "ip:127.0.0.1");
        try (RedisServer redis = node();
                TlsFront front = TlsFront.start(redis.port(), shown, authority.trustStore())) {
            lock("rediss://127.0.0.1:" + front.port());
        }
    }

    private void replica() throws Exception {
        try (RedisServer primary = node();
                RedisServer replica = node("--replicaof", "127.0.0.1", Integer.toString(primary.port()))) {
            lock(replica.uri());
        }
    }

    private void misused(String... options) throws Exception {
        try (RedisServer redis = node(options)) {
            lock(redis.uri());
        }
    }

    private void noMajority() throws Exception {
        try (RedisServer redis = node()) {
            lock(redis.uri() + ",redis://127.0.0.1:" + FreePort.find() + ",redis://127.0.0.1:" + FreePort.find());
        }
    }

    private void hanging() throws Exception {
        try (RedisServer redis = node()) {
            redis.freeze();
            try {
                lock(redis.uri(), "nodeTimeoutMillis", "1000");
            } finally {
                redis.thaw();
            }
        }
    }

    private void userWithoutRights() throws Exception {
        try (RedisServer redis = node()) {
            redis.command("ACL SETUSER default -eval -evalsha");
            lock(redis.uri(), "guard", "OFF");
        }
    }

    private static void waitForOneself(LockConnection connection) throws InterruptedException {
        LockRequest request = LockRequest.of("x").waitTimeout(Duration.ofMillis(100));
        connection.acquire(request.detached());
        connection.acquire(request);
    }

    private static void useReleased(LockConnection connection) throws InterruptedException {
        Lease lease = connection.acquire("x");
        lease.release();
        lease.requireHeld();
    }

    private static void useClosed(LockConnection connection) throws InterruptedException {
        connection.close();
        connection.acquire("x");
    }

    private static void upgrade(LockConnection connection) throws InterruptedException {
        connection.acquire(LockRequest.of("x").mode(LockMode.READ));
        connection.acquire(LockRequest.of("x").mode(LockMode.WRITE));
    }

    @TestFactory
    Stream<DynamicTest> message_ofEachMistake_isThatOfThePage() throws IOException {
        Map<Integer, String> rows = rows();
        return mistakes().entrySet().stream()
                .map(each -> DynamicTest.dynamicTest("mistake " + each.getKey(), () -> {
                    Throwable thrown = catchThrowable(each.getValue()::make);
                    assertThat(thrown).isNotNull();
                    assertThat(thrown.getMessage())
                            .contains(rows.get(each.getKey()))
                            .doesNotContain("secret", "wrong@");
                }));
    }

    @Test
    void page_hasARowForEachMistake() throws IOException {
        assertThat(rows().keySet()).containsAll(mistakes().keySet());
        assertThat(List.copyOf(rows().keySet())).isSorted();
    }
}
