// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.ScriptBridge;
import org.holdfast.testkit.ClockShim;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

/** Wall clocks of real nodes that are set, while the guard watches. */
@Tag("thorough")
@Timeout(60)
class NodeClockTest {

    private static final Duration QUARANTINE = ofSeconds(3);
    private static final Path DIRECTORY = Path.of("target", "redis");

    private ClockShim clock;
    private RedisServer node;
    private LockConnectionFactory locks;

    @BeforeEach
    void start() {
        clock = ClockShim.in(DIRECTORY).orElse(null);
        assumeTrue(clock != null, ClockShim.NEEDS);
        node = RedisServer.startWithClock(DIRECTORY, clock);
        locks = connect();
    }

    private LockConnectionFactory connect() {
        return connect(QUARANTINE, Duration.ofDays(1));
    }

    private LockConnectionFactory connect(Duration maxLeaseTtl, Duration fenceRetention) {
        return Holdfast.connect(Map.of(
                "nodes",
                node.uri(),
                "maxLeaseTtlMillis",
                Long.toString(maxLeaseTtl.toMillis()),
                "fenceRetentionMillis",
                Long.toString(fenceRetention.toMillis()),
                "nodeTimeoutMillis",
                "1500")); // a machine that stands still for a second is not a node that hangs
    }

    @AfterEach
    void stop() {
        if (locks != null) {
            locks.close();
            node.close();
        }
    }

    /** Clients with other settings may come then. */
    private void forgetSettings() throws Exception {
        locks.close();
        node.command("FLUSHALL");
    }

    private static void acquireAndRelease(LockConnection connection) throws InterruptedException {
        connection
                .acquire(LockRequest.of("a").waitTimeout(QUARANTINE.plusSeconds(4)))
                .release();
    }

    private long markedSince() throws Exception {
        return Long.parseLong(node.command("GET holdfast:birth").split("\\s+")[1]);
    }

    private void awaitLook() throws Exception {
        String before = node.command("GET holdfast:birth");
        await().pollInterval(ofMillis(10))
                .until(() -> !node.command("GET holdfast:birth").equals(before));
    }

    /**
     * Redis deletes what seems to have expired by itself, ten times a second: also locks, if their clock jumps far
     * enough.
     */
    @Test
    void clock_thatWentFarAheadAndCameBackBetweenTwoLooks_isNoticed() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            acquireAndRelease(connection);
            awaitLook();
            long before = markedSince();
            clock.set(Duration.ofHours(1));
            await().pollInterval(ofMillis(10)).until(() -> node.command("INFO stats"), this::hasExpiredKeys);
            clock.setRight();
            await().until(() -> markedSince() > before);
            acquireAndRelease(connection);
        }
    }

    /** The clocks are watched once a second, but a lock may be asked for at once. */
    @Test
    void clock_thatCameBackJustNow_grantsNoLockThatItHasDeleted() throws Exception {
        try (LockConnection connection = locks.getConnection();
                LockConnectionFactory others = connect();
                LockConnection other = others.getConnection()) {
            Lease held = holdAndSeeItDeleted(connection, other, () -> {});
            assertNotGrantedWhileHeld(other, held);
        }
    }

    /** Its look renews what shows that the clock went ahead. */
    @Test
    void clock_thatCameBackAfterAFreshProcessHasLooked_grantsNoLockThatItHasDeleted() throws Exception {
        try (LockConnection connection = locks.getConnection();
                LockConnectionFactory others = connect();
                LockConnection other = others.getConnection()) {
            Lease held = holdAndSeeItDeleted(connection, other, () -> {
                try (LockConnectionFactory fresh = connect();
                        LockConnection third = fresh.getConnection()) {
                    third.tryAcquire(LockRequest.of("b").waitTimeout(Duration.ZERO));
                } catch (LockException e) {
                    // it may be told of a quarantine
                }
            });
            assertNotGrantedWhileHeld(other, held);
        }
    }

    /**
     * Redis also deletes what seems to have expired when it is looked at; that may be all that happens while the clock
     * is ahead.
     */
    @ParameterizedTest
    @MethodSource("looks")
    void clock_thatCameBackJustNow_grantsNoLockThatALookHasDeleted(Command command) throws Exception {
        try (LockConnection connection = locks.getConnection();
                LockConnectionFactory others = connect();
                LockConnection other = others.getConnection();
                Jedis jedis = new Jedis("127.0.0.1", node.port())) {
            node.command("DEBUG SET-ACTIVE-EXPIRE 0");
            acquireAndRelease(connection);
            acquireAndRelease(other);
            ScriptCall call =
                    ScriptBridge.call(command, "holdfast", TimeUnit.MILLISECONDS.toMicros(QUARANTINE.toMillis()));
            Lease held = connection.acquire(LockRequest.of("x").fixedTtl(QUARANTINE));
            awaitLook();
            clock.set(Duration.ofHours(1));
            jedis.eval(call.source(), call.keys(), call.arguments());
            clock.setRight();
            assertThat(jedis.exists(ScriptBridge.lockKey("holdfast", "x"))).isFalse();
            assertNotGrantedWhileHeld(other, held);
        }
    }

    /** Each looks at the lock x. */
    static Stream<Command> looks() {
        Claim late = claim(new Target.Exclusive(List.of("x")));
        return Stream.of(
                new Command.Release(late, true, true),
                new Command.Release(late, false, false),
                new Command.Release(claim(new Target.Shared("x")), true, true),
                new Command.Inspect(List.of(new Target.Exclusive(List.of("x")))));
    }

    private static Claim claim(Target target) {
        return new Claim(target, new Owner("0123456789".repeat(4)), 1, 1, QUARANTINE.toMillis(), 86_400_000);
    }

    /** The attempt overwrites the lock, which seems over, and is undone: nothing is left of the lock then. */
    @Test
    void clock_thatWentAheadByLessThanTheQuarantine_doesNotLetAnUndoneAttemptFreeALock() throws Exception {
        Duration longest = ofSeconds(5);
        Duration ttl = ofMillis(2_900);
        forgetSettings();
        try (LockConnectionFactory one = connect(longest, Duration.ofDays(1));
                LockConnectionFactory two = connect(longest, Duration.ofDays(1));
                LockConnectionFactory three = connect(longest, Duration.ofDays(1));
                LockConnection connection = one.getConnection();
                LockConnection attempting = two.getConnection();
                LockConnection other = three.getConnection()) {
            for (LockConnection each : List.of(connection, attempting, other)) {
                each.acquire(LockRequest.of("a").waitTimeout(longest.plusSeconds(4)))
                        .release();
            }
            awaitLook();
            Lease held = connection.acquire(LockRequest.of("x").fixedTtl(ttl));
            clock.set(ttl.plusMillis(50));
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() ->
                            attempting.tryAcquire(LockRequest.of("x").ttl(ttl).waitTimeout(Duration.ZERO)));
            clock.setRight();
            assertNotGrantedWhileHeld(other, held);
        }
    }

    /** Else the token of the next lease could be smaller, if the wall clocks of clients differ. */
    @Test
    void clock_thatWentAheadByLessThanTheQuarantine_leavesTheLastToken() throws Exception {
        forgetSettings();
        try (LockConnectionFactory factory = connect(ofSeconds(5), ofSeconds(2));
                LockConnection connection = factory.getConnection()) {
            connection
                    .acquire(LockRequest.of("x").ttl(ofMillis(400)).waitTimeout(ofSeconds(9)))
                    .release();
            awaitLook();
            clock.set(ofSeconds(3));
            assertThat(node.command("EXISTS holdfast:{x}:fence")).contains(":1");
            clock.setRight();
        }
    }

    private interface Meanwhile {
        void run() throws InterruptedException;
    }

    private Lease holdAndSeeItDeleted(LockConnection connection, LockConnection other, Meanwhile meanwhile)
            throws Exception {
        acquireAndRelease(connection);
        acquireAndRelease(other);
        Lease held = connection.acquire(LockRequest.of("x").fixedTtl(QUARANTINE));
        awaitLook();
        clock.set(Duration.ofHours(1));
        await().pollInterval(ofMillis(10))
                .until(() -> node.command("INFO stats"), told -> !told.matches("(?s).*expired_keys:[01]\r\n.*"));
        meanwhile.run();
        clock.setRight();
        return held;
    }

    private static void assertNotGrantedWhileHeld(LockConnection other, Lease held) throws InterruptedException {
        int asked = 0;
        while (held.isHeld()) {
            try {
                Optional<Lease> got = other.tryAcquire(LockRequest.of("x").waitTimeout(Duration.ZERO));
                assertThat(got.isPresent() && held.isHeld()).as("two holders").isFalse();
            } catch (LockException e) {
                assertThat(e).isInstanceOf(QuorumUnavailableException.class);
            }
            asked++;
        }
        assertThat(asked).isPositive();
    }

    private boolean hasExpiredKeys(String statistics) {
        return !statistics.contains("expired_keys:0\r\n");
    }

    /** Redis reckons with its wall clock: it says that it has been up for less than nothing. */
    @Test
    void clock_setBackByMoreThanTheProcessIsOld_keepsNoVoteForLongerThanAQuarantine() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            acquireAndRelease(connection);
            clock.set(Duration.ofHours(-1));
            assertThat(node.command("INFO server")).containsPattern("uptime_in_seconds:-?\\d+");
            await().atMost(QUARANTINE.plusSeconds(10)).ignoreExceptions().until(() -> {
                acquireAndRelease(connection);
                return true;
            });
        }
        try (LockConnectionFactory later = connect();
                LockConnection connection = later.getConnection()) {
            acquireAndRelease(connection);
        }
    }
}
