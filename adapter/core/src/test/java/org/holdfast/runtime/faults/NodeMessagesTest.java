// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.Certificates;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.TlsFront;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an operator reads of a node that cannot be used: the cause, and what to do. */
@Timeout(60)
class NodeMessagesTest {

    private static final String[] MAY_EVICT = {"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"};

    private final LogLines log = LogLines.of("org.holdfast.redis");

    @TempDir
    private Path scratch;

    @AfterEach
    void stop() {
        log.close();
    }

    private static Map<String, String> settings(String nodes) {
        return new HashMap<>(Map.of("nodes", nodes, "nodeTimeoutMillis", "1000"));
    }

    /** Asks twice: what is known from before is reported too. */
    private static String failure(Map<String, String> settings) throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnection connection = locks.getConnection()) {
            LockRequest request = LockRequest.of("order").waitTimeout(Duration.ofMillis(200));
            assertThat(catchThrowable(() -> connection.acquire(request))).isNotNull();
            return catchThrowable(() -> connection.acquire(request)).getMessage();
        }
    }

    private void assertSaid(String failure, String said) {
        assertThat(failure).contains(said).doesNotContain("guard to OFF", "refused: refused");
        assertThat(log.beginningWith("HF0301")).hasSize(1).first().asString().contains(said);
    }

    @Test
    void host_thatIsUnknown_isNamedWithTheReason() throws Exception {
        assertSaid(failure(settings("redis://no-such-host.invalid")), "no-such-host.invalid: ");
    }

    @Test
    void node_thatAsksForAPassword_isNoReasonToWeakenTheGuard() throws Exception {
        try (RedisServer redis = RedisServer.start(scratch)) {
            redis.command("CONFIG SET requirepass secret");
            String failure = failure(settings("redis://127.0.0.1:" + redis.port()));
            assertSaid(failure, "it asks for a password, and its address and the settings have none");
        }
    }

    /** It closes the connection at once: to write on that fails, or to read does. */
    @Test
    void node_thatHasTooManyClients_saysSo_wheneverItIsChecked() throws Exception {
        Map<String, String> settings = settings("");
        try (RedisServer redis = RedisServer.start(scratch)) {
            settings.putAll(Map.of("nodes", redis.uri(), "guard", "OFF"));
            try (LockConnectionFactory locks = Holdfast.connect(settings);
                    LockConnection connection = locks.getConnection()) {
                connection.acquire("order");
                redis.command("CONFIG SET maxclients 1");
                for (int times = 0; times < 50; times++) {
                    assertThat(locks.check().nodes().get(0).cause()).contains("max number of clients");
                }
            }
        }
    }

    @Test
    void node_thatSpeaksTls_isNamedWhereTheAddressDoesNot() throws Exception {
        Certificates authority = Certificates.in(scratch.resolve("authority"));
        Path shown = authority.issue("node", "ip:127.0.0.1");
        try (RedisServer redis = RedisServer.start(scratch);
                TlsFront front = TlsFront.start(redis.port(), shown, authority.trustStore())) {
            Map<String, String> patient = settings("redis://127.0.0.1:" + front.port());
            patient.put("nodeTimeoutMillis", "10000"); // the front says what it says, however late on a busy machine
            assertSaid(failure(patient), "if it expects TLS, its address must begin with rediss://");
        }
    }

    @Test
    void node_thatIsTooOld_isNamedWithTheVersionThatIsNeeded() throws Exception {
        try (RedisServer redis = RedisServer.start(scratch);
                LyingFront front = new LyingFront(redis.port(), "\nINFO\r", look("redis_version:5.0.14"), 0)) {
            front.lie();
            assertSaid(
                    failure(settings("redis://127.0.0.1:" + front.port())),
                    "it is Redis 5.0.14, which is too old: Holdfast needs Redis 6.0 or later");
        }
    }

    /** No mark, no heartbeat, a clock, INFO, and no word of the client. */
    private static byte[] look(String info) {
        return ("$-1\r\n$-1\r\n*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n$" + info.length() + "\r\n" + info + "\r\n$-1\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void node_thatKnowsNoUsers_isTooOld() throws Exception {
        byte[] reply = "-ERR wrong number of arguments for 'auth' command\r\n".getBytes(StandardCharsets.US_ASCII);
        try (RedisServer redis = RedisServer.start(scratch);
                LyingFront front = new LyingFront(redis.port(), "AUTH", reply, 0)) {
            front.lie();
            assertSaid(
                    failure(settings("redis://ada:secret@127.0.0.1:" + front.port())),
                    "a Redis before 6.0 knows no users; Holdfast needs Redis 6.0 or later");
        }
    }

    /** It is in quarantine anew each time that it is looked at. */
    @Test
    void node_thatMayEvict_isReportedOnce() throws Exception {
        try (RedisServer redis = RedisServer.start(scratch, MAY_EVICT)) {
            assertReportedOnce(redis.uri(), () -> {});
        }
    }

    /** Another process, or another look of this one, set the mark between the look and the write. */
    @Test
    void node_thatMayEvict_isReportedThoughAnotherSetTheMarkFirst() throws Exception {
        Supplier<byte[]> tooLate = () ->
                ("*3\r\n:9\r\n:0\r\n:" + System.currentTimeMillis() + "000\r\n").getBytes(StandardCharsets.US_ASCII);
        try (RedisServer redis = RedisServer.start(scratch, MAY_EVICT);
                LyingFront front = new LyingFront(redis.port(), "$4\r\nEVAL\r\n", tooLate, 0)) {
            front.lie();
            assertReportedOnce("redis://127.0.0.1:" + front.port(), front::beHonest);
            assertThat(front.told()).isTrue();
        }
    }

    private void assertReportedOnce(String node, Runnable whenRefused) throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(node))) {
            try (LockConnection connection = locks.getConnection()) {
                catchThrowable(() -> connection.tryAcquire(LockRequest.of("a").waitTimeout(Duration.ZERO)));
            }
            await().until(() -> !log.beginningWith("HF0301").isEmpty());
            whenRefused.run();
            await().during(Duration.ofSeconds(4)).atMost(Duration.ofSeconds(6)).until(() -> true);
        }
        assertThat(log.beginningWith("HF0301")).hasSize(1);
        assertThat(log.beginningWith("HF0303")).hasSize(1);
    }

    @Test
    void quarantine_thatLeavesNoMajority_isAWarningOnce() throws Exception {
        try (RedisServer one = RedisServer.start(scratch.resolve("1"));
                RedisServer two = RedisServer.start(scratch.resolve("2"));
                RedisServer three = RedisServer.start(scratch.resolve("3"))) {
            failure(settings(one.uri() + "," + two.uri() + "," + three.uri()));
            await().during(Duration.ofSeconds(2)).atMost(Duration.ofSeconds(4)).until(() -> true);
            assertThat(log.beginningWith("HF0310"))
                    .singleElement()
                    .asString()
                    .contains("2 of 3 nodes must vote")
                    .contains("in quarantine for another");
        }
    }

    private static String selfDeadlock(LockConnection connection, LockRequest first, LockRequest second)
            throws Exception {
        connection.acquire(first);
        return catchThrowable(() -> connection.acquire(second.waitTimeout(Duration.ofMillis(50))))
                .getMessage();
    }

    @Test
    void timeout_ofAThreadThatWaitsForItself_saysSo() throws Exception {
        try (RedisServer redis = RedisServer.start(scratch);
                LockConnectionFactory locks =
                        Holdfast.connect(Map.of("nodes", redis.uri(), "guard", "OFF", "nodeTimeoutMillis", "5000"));
                LockConnection connection = locks.getConnection()) {
            assertThat(selfDeadlock(connection, LockRequest.of("a").detached(), LockRequest.of("a")))
                    .contains("by the calling thread itself: it has taken a detached lease");
            assertThat(selfDeadlock(
                            connection, LockRequest.of("b"), LockRequest.of("b").detached()))
                    .contains("by the calling thread itself: it has taken the lock as "
                            + Thread.currentThread().getName());
            redis.command("SET holdfast:{c}:lock another PX 60000");
            assertThat(catchThrowable(
                            () -> connection.acquire(LockRequest.of("c").waitTimeout(Duration.ofMillis(50)))))
                    .hasMessageContaining("ms by another holder");
            Lease held = Processes.onAnotherThread(
                    () -> connection.acquire(LockRequest.of("d").detached()));
            assertThat(catchThrowable(
                            () -> connection.acquire(LockRequest.of("d").waitTimeout(Duration.ofMillis(50)))))
                    .hasMessageMatching(
                            "HF0201: lock 'd' was held for the whole wait timeout of 50 ms by '.+' of process "
                                    + ProcessHandle.current().pid() + " on host .* with token " + held.token()
                                    + ", on 1 node");
        }
    }
}
