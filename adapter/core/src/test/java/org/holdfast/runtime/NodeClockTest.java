// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.ClockShim;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Wall clocks of real nodes that are set, while the guard watches. */
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
        return Holdfast.connect(Map.of(
                "nodes",
                node.uri(),
                "maxLeaseTtlMillis",
                Long.toString(QUARANTINE.toMillis()),
                "fenceRetentionMillis",
                "86400000",
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

    /** Redis deletes what seems to have expired by itself, ten times a second: also locks, if their clock jumps far enough. */
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
