// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.runtime.scheduling.StandaloneScheduling;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;
import redis.clients.jedis.params.SetParams;

@Timeout(120)
class LockSpacesTest {

    private static final int PREFIXES = 8;

    /** Threads that open connections hang where the node does, until the node timeout: nothing may wait for them. */
    @Test
    void close_withManyPrefixesAndANodeThatHangs_takesNoLongerThanWithOne() throws Exception {
        try (RedisServers redis = RedisServers.start(1)) {
            LockSpaces spaces =
                    new LockSpaces(settings(redis, 0), Transactions.NONE, new StandaloneScheduling(new SystemTime()));
            try (Jedis jedis = new Jedis("127.0.0.1", redis.get(0).port())) {
                for (int i = 0; i < PREFIXES; i++) {
                    jedis.set(
                            "prefix" + i + ":{a}:lock",
                            "somebody",
                            SetParams.setParams().px(60_000));
                    LockSession session = session(spaces, settings(redis, i));
                    session.acquireAsync(
                            LockRequest.of("a").waitTimeout(ofSeconds(60)).detached());
                }
                await().until(() -> jedis.pubsubChannels("*").size() == PREFIXES);
                jedis.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
            }
            redis.get(0).freeze(); // before they connect again, half a second after they were cut off
            await().until(() -> connecting() == PREFIXES);
            long begun = System.nanoTime();
            spaces.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(ofSeconds(PREFIXES));
        }
    }

    @Test
    void close_withManyPrefixesAndANodeThatHangs_losesTheLeasesOfAllAndLeavesThemToTheirTtl() throws Exception {
        try (RedisServers redis = RedisServers.start(3)) {
            LockSpaces spaces =
                    new LockSpaces(settings(redis, 0), Transactions.NONE, new StandaloneScheduling(new SystemTime()));
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < PREFIXES; i++) {
                LockSession session = session(spaces, settings(redis, i));
                leases.add(session.acquireAsync(LockRequest.of("a").detached()).join());
            }
            redis.get(2).freeze();
            long begun = System.nanoTime();
            spaces.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(ofSeconds(PREFIXES));
            redis.get(2).thaw();
            assertThat(leases).noneMatch(Lease::isHeld);
            for (int i = 0; i < PREFIXES; i++) {
                assertThat(redis.get(0).command("EXISTS prefix" + i + ":{a}:lock"))
                        .isEqualTo(":1\r\n");
            }
        }
    }

    @Test
    void node_thatFailsForManyPrefixes_isOneLineASecondInTheLog() throws Exception {
        try (RedisServers redis = RedisServers.start(1);
                LockSpaces spaces = new LockSpaces(
                        settings(redis, 0), Transactions.NONE, new StandaloneScheduling(new SystemTime()));
                LogLines log = LogLines.of("org.holdfast.redis")) {
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < PREFIXES; i++) {
                LockSession session = session(spaces, settings(redis, i));
                leases.add(session.acquireAsync(LockRequest.of("a").detached()).join());
            }
            long begun = System.nanoTime();
            redis.get(0).kill();
            assertThat(leases).noneMatch(Lease::renew); // each service has noticed by then, and tries to connect
            await().until(() -> !log.beginningWith("HF0301").isEmpty());
            assertOneLineASecond(log.beginningWith("HF0301"), begun);
        }
    }

    @Test
    void node_thatIsNewToManyPrefixes_isSaidToRememberOnceASecond() throws Exception {
        try (RedisServers redis = RedisServers.start(1);
                LogLines log = LogLines.of("org.holdfast.redis");
                LockSpaces spaces = new LockSpaces(
                        guarded(redis, 0), Transactions.NONE, new StandaloneScheduling(new SystemTime()))) {
            long begun = System.nanoTime();
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < PREFIXES; i++) {
                waiting.add(session(spaces, guarded(redis, i))
                        .acquireAsync(LockRequest.of("a")
                                .ttl(ofSeconds(1))
                                .waitTimeout(ofSeconds(30))
                                .detached()));
            }
            waiting.forEach(CompletableFuture::join); // after the quarantine that each prefix has
            assertOneLineASecond(log.beginningWith("HF0303"), begun);
        }
    }

    @Test
    void service_whenClosed_isNone() {
        try (RedisServers redis = RedisServers.start(1)) {
            LockSpaces spaces =
                    new LockSpaces(settings(redis, 0), Transactions.NONE, new StandaloneScheduling(new SystemTime()));
            assertThat(spaces.service(settings(redis, 0))).isPresent();
            spaces.close();
            assertThat(spaces.service(settings(redis, 0))).isEmpty();
            assertThat(spaces.service(settings(redis, 1))).isEmpty();
        }
    }

    private static void assertOneLineASecond(List<String> lines, long begun) {
        long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
        assertThat(lines).hasSizeBetween(1, (int) seconds + 1);
    }

    private static LockSession session(LockSpaces spaces, Settings settings) {
        return spaces.service(settings).orElseThrow().newSession();
    }

    /** Returns how many threads that receive releases wait for the first reply of a node. */
    private static long connecting() {
        return Thread.getAllStackTraces().values().stream()
                .filter(frames -> calls(frames, "SubscriberConnection$Opening", "run")
                        && calls(frames, "AnswerDeadline", "await"))
                .count();
    }

    private static boolean calls(StackTraceElement[] frames, String type, String method) {
        return Arrays.stream(frames)
                .anyMatch(frame -> frame.getClassName().endsWith("." + type)
                        && frame.getMethodName().equals(method));
    }

    private static Settings guarded(RedisServers redis, int number) {
        return Settings.of(Map.of(
                "nodes",
                redis.uris(),
                "keyPrefix",
                "prefix" + number,
                "maxLeaseTtlMillis",
                "1000",
                "ttlMillis",
                "1000"));
    }

    private static Settings settings(RedisServers redis, int number) {
        return Settings.of(Map.of(
                "nodes",
                redis.uris(),
                "guard",
                "OFF",
                "keyPrefix",
                "prefix" + number,
                "nodeTimeoutMillis",
                "15000",
                "ttlMillis",
                "60000"));
    }
}
