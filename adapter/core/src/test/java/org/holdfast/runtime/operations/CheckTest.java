// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.CheckReport;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.testkit.ClockShim;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One look at all nodes, with everything that is wrong, on real processes. */
@Timeout(60)
class CheckTest {

    private static RedisServer start(String... options) {
        return RedisServer.start(Path.of("target", "redis"), options);
    }

    private static LockConnectionFactory connect(List<String> uris, String... more) {
        Map<String, String> settings =
                new HashMap<>(Map.of("nodes", String.join(",", uris), "nodeTimeoutMillis", "1000"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return Holdfast.connect(settings);
    }

    private static List<CheckReport.State> states(CheckReport report) {
        return report.nodes().stream().map(CheckReport.Node::state).collect(Collectors.toList());
    }

    @Test
    void check_nodesThatVote_isReadyAndLeavesNoKey() throws Exception {
        try (RedisServer node = start();
                LockConnectionFactory locks = connect(List.of(node.uri()), "guard", "OFF")) {
            CheckReport report = locks.check();
            assertThat(states(report)).containsExactly(CheckReport.State.VOTES);
            assertThat(report.isReady()).isTrue();
            assertThat(report.isUsable()).isTrue();
            assertThat(report).hasToString("1 of 1 nodes vote, 1 must");
            assertThat(node.command("DBSIZE")).isEqualTo(":0\r\n");
        }
    }

    @Test
    void status_ofNodes_isWhatTheLastLooksFound() {
        try (RedisServer killed = start();
                RedisServer second = start();
                RedisServer third = start()) {
            LockConnectionFactory locks = connect(List.of(killed.uri(), second.uri(), third.uri()), "guard", "OFF");
            await().untilAsserted(() -> assertThat(states(locks.status())).containsOnly(CheckReport.State.VOTES));
            killed.kill();
            await().untilAsserted(() -> assertThat(states(locks.status()))
                    .containsExactly(CheckReport.State.UNUSABLE, CheckReport.State.VOTES, CheckReport.State.VOTES));
            assertThat(locks.status().isReady()).isTrue();
            assertThat(locks.status().nodes().get(0).cause()).contains("suspected");
            locks.close();
            assertThatIllegalStateException().isThrownBy(locks::status);
        }
    }

    @Test
    void status_ofAFreshNode_isThatOfItsQuarantine() {
        try (RedisServer node = start();
                LockConnectionFactory locks = connect(List.of(node.uri()))) {
            await().untilAsserted(
                            () -> assertThat(states(locks.status())).containsExactly(CheckReport.State.QUARANTINED));
            assertThat(locks.status().isReady()).isFalse();
            assertThat(locks.status().isUsable()).isTrue();
        }
    }

    @Test
    void check_freshNode_isUsableAndTheReportSaysForHowLongNot() throws Exception {
        try (RedisServer node = start();
                LockConnectionFactory locks = connect(List.of(node.uri()))) {
            CheckReport report = locks.check();
            assertThat(states(report)).containsExactly(CheckReport.State.QUARANTINED);
            assertThat(report.isReady()).isFalse();
            assertThat(report.isUsable()).isTrue();
            assertThat(report.nodes().get(0).quarantine()).isBetween(Duration.ofSeconds(30), Duration.ofMinutes(2));
            assertThat(report.toString()).contains("in quarantine for another", "0 of 1 nodes vote, 1 must");
        }
    }

    @Test
    void check_severalFaults_reportsEachWithItsNode() throws Exception {
        try (RedisServer good = start();
                RedisServer locked = start();
                RedisServer replica = start("--replicaof", "127.0.0.1", Integer.toString(good.port()));
                RedisServer limited = start();
                RedisServer hanging = start()) {
            locked.command("CONFIG SET requirepass s3cret");
            limited.command("ACL SETUSER default -eval -evalsha");
            String nowhere = "redis://127.0.0.1:" + FreePort.find();
            List<String> uris = Stream.of(good, locked, replica, limited, hanging)
                    .map(RedisServer::uri)
                    .collect(Collectors.toList());
            uris.addAll(List.of(nowhere, "redis://no-such-host.invalid"));
            hanging.freeze();
            try (LockConnectionFactory locks = connect(uris)) {
                CheckReport report = locks.check();
                assertThat(states(report))
                        .startsWith(CheckReport.State.QUARANTINED)
                        .filteredOn(CheckReport.State.UNUSABLE::equals)
                        .hasSize(6);
                assertThat(report.isUsable()).isFalse();
                assertThat(report.nodes())
                        .extracting(CheckReport.Node::cause)
                        .satisfiesExactly(
                                cause -> assertThat(cause).contains("in quarantine"),
                                cause -> assertThat(cause).contains("NOAUTH"),
                                cause -> assertThat(cause).contains("replica"),
                                cause -> assertThat(cause).contains("NOPERM"),
                                cause -> assertThat(cause).isNotEmpty(),
                                cause -> assertThat(cause).contains("refused"),
                                cause -> assertThat(cause).contains("no-such-host.invalid"));
            } finally {
                hanging.thaw();
            }
        }
    }

    @Test
    void check_nodeThatComesBack_votesAtOnce() throws Exception {
        try (RedisServer node = start();
                LockConnectionFactory locks = connect(List.of(node.uri()), "guard", "OFF")) {
            node.kill();
            assertThat(states(locks.check())).containsExactly(CheckReport.State.UNUSABLE);
            node.start();
            assertThat(states(locks.check())).containsExactly(CheckReport.State.VOTES);
        }
    }

    @Test
    void check_nodesThatTakeNoNewConnection_costsNoHolderItsLease() throws Exception {
        try (RedisServer node = start();
                LockConnectionFactory locks = connect(List.of(node.uri()), "guard", "OFF", "ttlMillis", "2000");
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("a");
            // renewals have a connection of their own, which must stay in use: wait for the first one
            await().until(() -> lease.remaining().toMillis() < 1_500);
            await().until(() -> lease.remaining().toMillis() > 1_600);
            long until = System.nanoTime() + Duration.ofSeconds(6).toNanos(); // three times as long as it lasts
            node.command("CONFIG SET requirepass s3cret");
            while (System.nanoTime() < until && lease.isHeld()) {
                assertThat(locks.check().nodes())
                        .extracting(CheckReport.Node::cause)
                        .singleElement()
                        .asString()
                        .contains("NOAUTH");
            }
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void check_fullNode_saysSo() throws Exception {
        try (RedisServer node = start();
                LockConnectionFactory locks = connect(List.of(node.uri()))) {
            assertThat(locks.check().isUsable()).isTrue();
            node.command("CONFIG SET maxmemory 1");
            assertThat(locks.check().isUsable()).isFalse();
            assertThat(locks.check().toString()).contains("OOM");
            node.command("CONFIG SET maxmemory 0");
            assertThat(locks.check().isUsable()).isTrue();
        }
    }

    @Test
    void check_withoutAGuard_saysWhereNoLockCouldBeWritten() throws Exception {
        try (RedisServer replica = start("--replicaof", "127.0.0.1", "1");
                RedisServer lonely = start("--min-replicas-to-write", "1");
                RedisServer limited = start()) {
            limited.command("ACL SETUSER default -set");
            List<String> uris =
                    Stream.of(replica, lonely, limited).map(RedisServer::uri).collect(Collectors.toList());
            try (LockConnectionFactory locks = connect(uris, "guard", "OFF")) {
                assertThat(locks.check().nodes())
                        .extracting(CheckReport.Node::cause)
                        .satisfiesExactly(
                                cause -> assertThat(cause).contains("READONLY"),
                                cause -> assertThat(cause).contains("NOREPLICAS"),
                                cause -> assertThat(cause).contains("'SET'"));
            }
        }
    }

    @Test
    void check_withoutAGuard_seesThatTheWallClockIsWrong() {
        ClockShim clock = ClockShim.in(Path.of("target", "redis")).orElse(null);
        assumeThat(clock).as(ClockShim.NEEDS).isNotNull();
        clock.set(Duration.ofMinutes(20));
        try (RedisServer node = RedisServer.startWithClock(Path.of("target", "redis"), clock);
                LockConnectionFactory locks = connect(List.of(node.uri()), "guard", "OFF")) {
            assertThat(locks.check().clockFault()).contains("wall clock of this machine");
            clock.setRight();
            assertThat(locks.check().clockFault()).isEmpty();
        }
    }

    @Test
    void check_ofAClosedFactory_isRefused() throws Exception {
        LockConnectionFactory locks = connect(List.of("redis://127.0.0.1:" + FreePort.find()));
        locks.close();
        assertThatIllegalStateException().isThrownBy(locks::check);
    }

    @Test
    void checkAtStart_noMajority_failsAndNamesEachNode() {
        List<String> nowhere = List.of(
                "redis://127.0.0.1:" + FreePort.find(),
                "redis://127.0.0.1:" + FreePort.find(),
                "redis://127.0.0.1:" + FreePort.find());
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> connect(nowhere, "checkAtStart", "true"))
                .withMessageStartingWith("HF0110: ")
                .withMessageContainingAll(nowhere.toArray(String[]::new));
    }

    @Test
    void checkAtStart_nodesInQuarantine_starts() {
        try (RedisServer node = start();
                LockConnectionFactory locks = connect(List.of(node.uri()), "checkAtStart", "true")) {
            assertThat(locks.check().isUsable()).isTrue();
        }
    }
}
