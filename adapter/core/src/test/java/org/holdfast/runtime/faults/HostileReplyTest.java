// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

/**
 * What a node sends is not believed: whatever no script of ours returns ends in an error, soon, and never in a lock.
 */
@Timeout(60)
class HostileReplyTest {

    private static RedisServers all;
    private static RedisServer redis;

    @BeforeAll
    static void start() {
        all = RedisServers.start(3, Path.of("target", "redis"));
        redis = all.get(0);
    }

    @AfterAll
    static void stop() {
        all.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$2147483000\\r\\n", // memory for that is not there
                "*2147483000\\r\\n",
                "*1\\r\\n$-7\\r\\n",
                "*-7\\r\\n",
                "*3\\r\\n:1x\\r\\n:0\\r\\n:0\\r\\n", // not a number, but a careless reader takes it for one
                "*3\\r\\n:\\r\\n:0\\r\\n:0\\r\\n",
                "*3\\r\\n:99999999999999999999\\r\\n:0\\r\\n:0\\r\\n",
                "*3\\r\\n:-9\\r\\n:0\\r\\n:0\\r\\n",
                "*3\\r\\n:77\\r\\n:0\\r\\n:0\\r\\n",
                "*3\\r\\n$1\\r\\n0\\r\\n$1\\r\\n0\\r\\n$1\\r\\n0\\r\\n",
                "*4\\r\\n:0\\r\\n:0\\r\\n:0\\r\\n:0\\r\\n",
                "*2\\r\\n:0\\r\\n:0\\r\\n",
                "*3\\r\\n-ERR no\\r\\n:0\\r\\n:0\\r\\n",
                "*0\\r\\n",
                "*-1\\r\\n",
                "$-1\\r\\n",
                "$2\\r\\nOKnoend",
                "+OK\\r\\n",
                ":0\\r\\n",
                "-\\r\\n",
                "-OOM command not allowed when used memory > 'maxmemory'.\\r\\n",
                "-MOVED 1 127.0.0.1:1\\r\\n",
                "HTTP/1.1 400 Bad Request\\r\\n\\r\\n",
                "\\0\\0\\0\\0",
                ">3\\r\\n:0\\r\\n:0\\r\\n:0\\r\\n",
                "%1\\r\\n:0\\r\\n:0\\r\\n",
            })
    void reply_thatIsNone_grantsNothing(String reply) throws Exception {
        assertRefused(bytes(reply), 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"*1\\r\\n", "+", "-", ":", "*3\\r\\n:0\\r\\n:0\\r\\n:", "$1000000\\r\\n", "$1"})
    void reply_thatGoesOnForEver_isGivenUp(String beginning) throws Exception {
        boolean digits = beginning.matches("\\$1|.*:");
        assertRefused(bytes(beginning), beginning.startsWith("*1") ? -1 : digits ? '0' : 'x');
    }

    @Test
    void handshake_thatGoesOnForEver_isGivenUp() throws Exception {
        byte[] record = {22, 3, 3, 63, 0, 2, 0, 62, (byte) 252}; // the first of a long greeting
        try (LyingFront front = new LyingFront(redis.port(), "", record, 1);
                LockConnectionFactory locks = Holdfast.connect(Map.of(
                        "nodes", "rediss://127.0.0.1:" + front.port(), "guard", "OFF", "nodeTimeoutMillis", "300"));
                LockConnection connection = locks.getConnection()) {
            front.lie();
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> connection.acquire(LockRequest.of("believed")))
                    .withMessageContaining("there is no TLS with it: ");
            assertThat(front.told()).as("the node lied").isTrue();
        }
    }

    /** Connects to two nodes that are honest, and one that is not. */
    private static LockConnectionFactory connectToAMajority(LyingFront front, String nodeTimeoutMillis) {
        return connectTo(
                "redis://127.0.0.1:" + front.port() + "," + all.get(1).uri() + ","
                        + all.get(2).uri(),
                nodeTimeoutMillis);
    }

    private static LockConnectionFactory connectTo(String nodes) {
        return connectTo(nodes, "300");
    }

    private static LockConnectionFactory connectTo(String nodes, String nodeTimeoutMillis) {
        return Holdfast.connect(Map.of("nodes", nodes, "guard", "OFF", "nodeTimeoutMillis", nodeTimeoutMillis));
    }

    @Test
    void node_thatNeverKnowsAScript_isSentItOnce() throws Exception {
        byte[] reply = bytes("-NOSCRIPT not again\\r\\n");
        try (LyingFront front = new LyingFront(redis.port(), "EVAL", reply, 0);
                LockConnectionFactory locks = connectTo("redis://127.0.0.1:" + front.port(), "5000");
                LockConnection connection = locks.getConnection()) {
            front.lie();
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(
                            () -> connection.acquire(LockRequest.of("believed").waitTimeout(ofMillis(50))))
                    .withMessageContaining("NOSCRIPT not again");
        }
    }

    @Test
    void node_thatStopsInTheMiddleOfItsAnswers_costsOneTimeoutAndNotOneForEach() throws Exception {
        try (LyingFront front = new LyingFront(redis.port(), "EVAL", bytes("*3\\r\\n"), 0);
                LockConnectionFactory locks = connectToAMajority(front, "300");
                LockConnection connection = locks.getConnection()) {
            front.lie();
            long begun = System.nanoTime();
            for (int i = 0; i < 50; i++) {
                connection.acquire(LockRequest.of("believed")).release();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isLessThan(ofSeconds(10)); // 50 times 300 ms are 15 s
            assertThat(front.told()).as("the node lied").isTrue();
        }
    }

    @Test
    void permit_thatThereIsNot_isNotTaken() throws Exception {
        String looks = bytesOf("permit-0:lock\\r\\n$29\\r\\nholdfast:{pool}:permit-1:lock");
        LockRequest request = LockRequest.semaphore("pool", 2).detached();
        try (LyingFront front = new LyingFront(redis.port(), looks, bytes("*3\\r\\n:13\\r\\n:-1\\r\\n:1\\r\\n"), 0);
                LockConnectionFactory locks = connectToAMajority(front, "2000");
                LockConnection connection = locks.getConnection()) {
            Lease one = connection.acquire(request);
            Lease other = connection.acquire(request);
            front.lie();
            assertThat(connection.tryAcquire(request.waitTimeout(ofSeconds(2)))).isEmpty();
            await().until(front::told); // two others are a quorum: it may be the last to answer
            one.release();
            other.release();
        }
    }

    private static String bytesOf(String text) {
        return new String(bytes(text));
    }

    /** What a lenient reader could take for a lock. */
    static Stream<String> lies() {
        return Stream.of(
                "*3\\r\\n:1x\\r\\n:0\\r\\n:0\\r\\n",
                "*3\\r\\n:77\\r\\n:0\\r\\n:0\\r\\n",
                "*3\\r\\n$1\\r\\n0\\r\\n$1\\r\\n0\\r\\n$1\\r\\n0\\r\\n",
                "*4\\r\\n:0\\r\\n:0\\r\\n:0\\r\\n:0\\r\\n",
                "*3\\r\\n-ERR no\\r\\n:0\\r\\n:0\\r\\n",
                "*-1\\r\\n",
                "+OK\\r\\n",
                ":0\\r\\n");
    }

    static List<LockRequest> kinds() {
        return List.of(
                LockRequest.of("believed").mode(LockMode.READ),
                LockRequest.of("believed").mode(LockMode.WRITE),
                LockRequest.of("believed").fair(true),
                LockRequest.allOf("believed", "too"),
                LockRequest.semaphore("believed", 2));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void reply_thatIsNone_grantsNoOtherKindOfLock(LockRequest kind) throws Exception {
        for (String lie : lies().toList()) {
            assertRefused(kind, bytes(lie), 0);
        }
    }

    @ParameterizedTest
    @MethodSource("lies")
    void reply_toARenewal_extendsNothing(String lie) throws Exception {
        for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.READ)) {
            try (LyingFront front = new LyingFront(redis.port(), "EVAL", bytes(lie), 0);
                    LockConnectionFactory locks = connectTo("redis://127.0.0.1:" + front.port(), "2000");
                    LockConnection connection = locks.getConnection()) {
                Lease lease = connection.acquire(LockRequest.of("believed")
                        .mode(mode)
                        .fixedTtl(ofSeconds(3))
                        .waitTimeout(ofSeconds(20)));
                assertThat(lease.renew()).as("the script is known").isTrue();
                front.lie();
                long ends = lease.remaining().toNanos() + System.nanoTime();
                assertThat(lease.renew()).isFalse();
                long now = System.nanoTime();
                assertThat(now + lease.remaining().toNanos() - ends).isNotPositive();
                assertThat(front.told()).as("the node lied").isTrue();
                front.beHonest();
                lease.release();
            }
        }
    }

    /** What a guard receives: the five answers that it reads in one go. */
    private record Told(String mark, String heartbeat, String time, String info, String client) {

        static Told truth() {
            try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
                List<String> time = jedis.time();
                return new Told(
                        bulk(jedis.get("holdfast:birth")),
                        bulk(jedis.get("holdfast:heartbeat")),
                        list(bulk(time.get(0)), bulk(time.get(1))),
                        bulk(jedis.info()),
                        bulk("id=7 addr=127.0.0.1:7"));
            }
        }

        /** With other answers in the places of these; null for the same. */
        Told but(String mark, String heartbeat, String time, String info) {
            return new Told(
                    mark == null ? this.mark : mark,
                    heartbeat == null ? this.heartbeat : heartbeat,
                    time == null ? this.time : time,
                    info == null ? this.info : info,
                    client);
        }

        /** With another answer to the question how the node sees the client. */
        Told butSeen(String as) {
            return new Told(mark, heartbeat, time, info, as);
        }

        /** With another value of a field of INFO. */
        Told but(String field, String value) {
            String text = info.substring(info.indexOf('\n') + 1, info.length() - 2);
            return but(null, null, null, bulk(text.replaceAll("(?m)^" + field + ":.*$", field + ":" + value)));
        }

        /** Returns the moments of a mark that was looked at just now. */
        String seen() {
            String[] words = mark.split("\\s+");
            return words[1] + " " + words[2] + " " + words[3];
        }

        byte[] all() {
            return (mark + heartbeat + time + info + client).getBytes();
        }

        static String bulk(String text) {
            return "$" + text.length() + "\r\n" + text + "\r\n";
        }

        static String list(String... parts) {
            return "*" + parts.length + "\r\n" + String.join("", parts);
        }
    }

    private static final String NOTHING = "$-1\r\n";
    private static final String NUMBER = ":7\r\n";
    private static final String NUMBERS = Told.list(NUMBER, NUMBER);
    private static final String NONSENSE = "the guard is told what no Redis tells";

    /** Each with what is to be reported of the node. */
    static Stream<Arguments> liesToTheGuard() {
        String keepsChanging = "its birth mark keeps changing";
        String overflow = "9".repeat(18);
        return Stream.of(
                lie("a mark that is a number", keepsChanging, t -> t.but(NUMBER, null, null, null)),
                lie("a mark that is none", keepsChanging, t -> t.but(Told.bulk("1 2"), null, null, null)),
                lie(
                        "a mark of the far future",
                        keepsChanging,
                        t -> t.but(
                                Told.bulk(overflow + " " + overflow + " 1 a 0 - 1000/600000/0.01"), null, null, null)),
                lie(
                        "settings that are none",
                        keepsChanging,
                        t -> t.but(Told.bulk("1 1 1 a 0 - - 0 0 0 1/" + overflow + "/NaN"), null, null, null)),
                lie(
                        "settings that no process has",
                        "fenceRetentionMillis=999999999999999",
                        t -> t.but(Told.bulk(t.seen() + " a 0 - - 0 0 0 1000/999999999999999/0.01"), null, null, null)),
                lie("a heartbeat that is gone", keepsChanging, t -> t.but(null, NOTHING, null, null)),
                lie("a time that is a number", NONSENSE, t -> t.but(null, null, NUMBER, null)),
                lie("a time that is nothing", NONSENSE, t -> t.but(null, null, NOTHING, null)),
                lie("a time that is empty", NONSENSE, t -> t.but(null, null, "*0\r\n", null)),
                lie("a time of numbers", NONSENSE, t -> t.but(null, null, NUMBERS, null)),
                lie(
                        "a time in words",
                        NONSENSE,
                        t -> t.but(null, null, Told.list(Told.bulk("now"), Told.bulk("0")), null)),
                lie(
                        "a time that is too much for us",
                        NONSENSE,
                        t -> t.but(null, null, Told.list(Told.bulk(overflow), Told.bulk("0")), null)),
                lie("INFO that is nothing", NONSENSE, t -> t.but(null, null, null, NOTHING)),
                lie("INFO that is a number", NONSENSE, t -> t.but(null, null, null, NUMBER)),
                lie("INFO that is empty", "INFO does not tell ", t -> t.but(null, null, null, Told.bulk(""))),
                lie("evictions in words", NONSENSE, t -> t.but("evicted_keys", "x".repeat(100_000))),
                lie("a run id that is too long", NONSENSE, t -> t.but("run_id", "x".repeat(100_000))),
                lie("a run id with a space", NONSENSE, t -> t.but("run_id", "a b")),
                lie("another process", "it has no birth mark of its own", t -> t.but("run_id", "another")));
    }

    private static Arguments lie(String what, String said, UnaryOperator<Told> lie) {
        return Arguments.of(Named.of(what, lie), said);
    }

    @ParameterizedTest
    @MethodSource("liesToTheGuard")
    void answer_toTheGuard_thatIsNone_grantsNothing(UnaryOperator<Told> lie, String said) throws Exception {
        String refusal = await().atMost(ofSeconds(30)) // a busy machine may be late with any answer
                .until(() -> refusalByOneThatTells(lie), message -> message.contains(said));
        assertThat(refusal).hasSizeLessThan(1_000).doesNotContain("\u0007");
    }

    private static String refusalByOneThatTells(UnaryOperator<Told> lie) throws Exception {
        try {
            acquireFromOneThatTells(lie, ofMillis(50));
        } catch (QuorumUnavailableException e) {
            return e.getMessage();
        }
        throw new IllegalStateException("it has granted the lock");
    }

    /** Else the others would prove nothing. */
    @Test
    void answer_toTheGuard_thatIsTrue_grantsALock() throws Exception {
        // longer than the quarantine lasts for a client that has not watched the node since it began
        acquireFromOneThatTells(UnaryOperator.identity(), ofSeconds(20));
    }

    static Stream<String> wordsOnTheClient() {
        return Stream.of(
                NOTHING,
                NUMBER,
                "-ERR unknown subcommand\r\n",
                Told.bulk("addr=:999999"),
                Told.bulk("x".repeat(100_000)));
    }

    /** It decides only whether scripts ask for the process, which they do if the node does not say it. */
    @ParameterizedTest
    @MethodSource("wordsOnTheClient")
    void answer_onWhereTheClientIs_keepsNoLockFromBeingGranted(String words) throws Exception {
        acquireFromOneThatTells(told -> told.butSeen(words), ofSeconds(20));
    }

    private static void acquireFromOneThatTells(UnaryOperator<Told> lie, Duration waitTimeout) throws Exception {
        Map<String, String> guarded =
                Map.of("maxLeaseTtlMillis", "1000", "nodeTimeoutMillis", "500", "nodes", redis.uri());
        LockRequest request = LockRequest.of("believed");
        try (LockConnectionFactory others = Holdfast.connect(guarded);
                LockConnection connection = others.getConnection()) {
            connection.acquire(request.waitTimeout(ofSeconds(20))).release(); // the mark is there and old enough
        }
        Map<String, String> lied = new HashMap<>(guarded);
        try (LyingFront front = new LyingFront(
                redis.port(), "\nINFO\r", () -> lie.apply(Told.truth()).all(), 0)) {
            lied.put("nodes", "redis://127.0.0.1:" + front.port());
            front.lie();
            try (LockConnectionFactory locks = Holdfast.connect(lied);
                    LockConnection connection = locks.getConnection()) {
                connection.acquire(request.waitTimeout(waitTimeout)).release();
            } finally {
                assertThat(front.told()).as("the node lied").isTrue();
            }
        }
    }

    /** @param rest what follows again and again: 0 for nothing, -1 for the reply itself */
    private static void assertRefused(byte[] reply, int rest) throws Exception {
        assertRefused(LockRequest.of("believed"), reply, rest);
    }

    private static void assertRefused(LockRequest kind, byte[] reply, int rest) throws Exception {
        try (LyingFront front = new LyingFront(redis.port(), "EVAL", reply, rest);
                LockConnectionFactory locks = connectTo("redis://127.0.0.1:" + front.port());
                LockConnection connection = locks.getConnection()) {
            LockRequest request = kind.ttl(ofMillis(500)).waitTimeout(ofMillis(50));
            connection.acquire(request.waitTimeout(ofSeconds(20))).release(); // everything is known and open
            front.lie();
            assertThatExceptionOfType(LockException.class)
                    .isThrownBy(() -> connection.acquire(request))
                    .withMessageContaining("believed");
            await().until(front::told); // perhaps no caller has waited for it
            front.beHonest();
            connection.acquire(request.waitTimeout(ofSeconds(20))).release();
        }
    }

    private static byte[] bytes(String text) {
        return text.replace("\\r", "\r")
                .replace("\\n", "\n")
                .replace("\\0", "\0")
                .getBytes();
    }
}
