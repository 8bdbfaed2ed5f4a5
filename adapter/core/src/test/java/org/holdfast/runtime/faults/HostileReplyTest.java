// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a node sends is not believed: whatever no script of ours returns ends in an error, soon, and never in a lock.
 */
@Tag("thorough")
@Timeout(60)
class HostileReplyTest extends NodesBehindAFront {

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
            do { // again if the node was not asked: it has hung for a moment
                assertThatExceptionOfType(LockException.class)
                        .isThrownBy(() -> connection.acquire(request))
                        .withMessageContaining("believed");
            } while (!front.told());
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
