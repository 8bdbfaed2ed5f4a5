// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

/** What a node tells the guard is not believed: whatever no Redis tells grants nothing. */
@Timeout(60)
class HostileGuardReplyTest extends NodesBehindAFront {

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
}
