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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that forget, on real processes: restarts, flushes, replicas, eviction, and users that may not look. */
@Timeout(60)
class GuardTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    /** For leases that outlive a restart, which takes its time on a busy machine. */
    private static final Duration LONG_MEMORY = ofSeconds(6);

    private static final Pattern UPTIME = Pattern.compile("uptime_in_seconds:(\\d+)");

    private final List<RedisServer> nodes = new ArrayList<>();
    private LockConnectionFactory locks;

    @AfterEach
    void stop() {
        if (locks != null) {
            locks.close();
        }
        nodes.forEach(RedisServer::close);
    }

    private RedisServer node(String... options) {
        RedisServer node = RedisServer.start(Path.of("target", "redis"), options);
        nodes.add(node);
        return node;
    }

    private LockConnection connect() {
        return connect(nodes.stream().map(RedisServer::uri).toList());
    }

    private LockConnection connect(List<String> uris) {
        return connect(uris, MEMORY);
    }

    private LockConnection connect(List<String> uris, Duration memory) {
        locks = factory(uris, memory);
        return locks.getConnection();
    }

    private static LockConnectionFactory factory(List<String> uris, Duration memory) {
        return Holdfast.connect(Map.of(
                "nodes",
                String.join(",", uris),
                "maxLeaseTtlMillis",
                Long.toString(memory.toMillis()),
                "nodeTimeoutMillis",
                "1500")); // a machine that stands still for a second is not a node that hangs
    }

    private static LockRequest within(Duration wait) {
        return LockRequest.of("a").waitTimeout(wait);
    }

    private static void assertRefused(LockConnection connection, String... parts) {
        var thrown = assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> connection.acquire(within(ofMillis(300))));
        for (String part : parts) {
            thrown.withMessageContaining(part);
        }
    }

    private static void acquireAfterQuarantine(LockConnection connection) throws InterruptedException {
        acquireAfterQuarantine(connection, MEMORY);
    }

    private static void acquireAfterQuarantine(LockConnection connection, Duration memory) throws InterruptedException {
        connection.acquire(within(memory.plusSeconds(3))).release();
    }

    @Test
    void node_startedJustNow_votesWhenTheLongestTtlHasPassed() throws Exception {
        node();
        LockConnection connection = connect();
        assertRefused(connection, nodes.get(0).uri() + ": in quarantine for another", "may have forgotten locks");
        acquireAfterQuarantine(connection);
        assertThat(nodes.get(0).command("PTTL holdfast:birth")).isEqualTo(":-1\r\n");
    }

    @Test
    void node_thatForgotALockInACrash_doesNotHelpToGrantItAgain() throws Exception {
        for (int i = 0; i < 3; i++) {
            node();
        }
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        nodes.get(2).freeze(); // the lease is on two nodes
        Lease lease = connection.acquire(LockRequest.of("a").fixedTtl(ofMillis(2_900)));
        nodes.get(2).thaw();
        nodes.get(0).kill();
        nodes.get(0).start(); // and one of them forgets it

        try (LockConnectionFactory other =
                        factory(nodes.stream().map(RedisServer::uri).toList(), MEMORY);
                LockConnection contender = other.getConnection()) {
            while (lease.isHeld()) {
                try {
                    assertThat(contender.tryAcquire(within(Duration.ZERO)))
                            .matches(granted -> granted.isEmpty() || !lease.isHeld());
                } catch (QuorumUnavailableException e) {
                    assertThat(e.failures()).containsKey(nodes.get(0).uri());
                }
            }
            acquireAfterQuarantine(contender);
        }
    }

    @Test
    void node_flushedBySomebody_isInQuarantineFromThenOn() throws Exception {
        node();
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        nodes.get(0).command("FLUSHALL");
        assertRefused(connection, "in quarantine for another");
        acquireAfterQuarantine(connection);
    }

    @Test
    void durableNode_votesAtOnceAfterARestart() throws Exception {
        RedisServer node = node("--appendonly", "yes", "--appendfsync", "always");
        LockConnection connection = connect(List.of(node.uri() + "?durable=true"), LONG_MEMORY);
        acquireAfterQuarantine(connection, LONG_MEMORY);
        Lease lease = connection.acquire(LockRequest.of("kept").detached());
        nodes.get(0).kill();
        nodes.get(0).start();
        connection.acquire(within(ofSeconds(4))).release();
        assertThat(lease.isHeld()).as("its lock was not forgotten").isTrue();
    }

    @Test
    void lease_onANodeInQuarantine_isRenewedWhereItIsStillThere() throws Exception {
        RedisServer node = node("--appendonly", "yes", "--appendfsync", "everysec");
        LockConnection connection = connect(List.of(node.uri()), LONG_MEMORY);
        acquireAfterQuarantine(connection, LONG_MEMORY);
        Lease lease = connection.acquire(LockRequest.of("kept"));
        await().pollDelay(ofMillis(1_200)).until(() -> true); // on disk by now
        nodes.get(0).kill();
        nodes.get(0).start();
        await().pollDelay(LONG_MEMORY).until(() -> true);
        assertThat(lease.isHeld()).isTrue();
    }

    /** As by a sentinel, with the same name or address for whichever node is the primary. */
    @ParameterizedTest(name = "appendonly {0}")
    @ValueSource(strings = {"no", "yes"})
    void replica_promotedInThePlaceOfItsPrimary_isInQuarantine(String appendOnly) throws Exception {
        RedisServer primary = node();
        RedisServer replica = node(
                "--appendonly",
                appendOnly,
                "--appendfsync",
                "always",
                "--replicaof",
                "127.0.0.1",
                Integer.toString(primary.port()));
        acquireAfterQuarantine(connect(List.of(primary.uri())));
        await().until(() -> replica.command("EXISTS holdfast:birth"), ":1\r\n"::equals);
        awaitLongerUpThanAnyLock(replica);
        primary.kill();
        replica.command("REPLICAOF NO ONE");
        try (LockConnectionFactory other = factory(List.of(replica.uri()), MEMORY);
                LockConnection contender = other.getConnection()) {
            assertRefused(contender, "in quarantine for another");
            acquireAfterQuarantine(contender);
        }
    }

    @Test
    void standby_thatTookThePlaceOfANode_isInQuarantine() throws Exception {
        RedisServer first = node();
        RedisServer standby = node();
        try (LyingFront front = new LyingFront(first.port(), "", new byte[0], 0)) { // never told to lie
            LockConnection connection = connect(List.of("redis://127.0.0.1:" + front.port()));
            acquireAfterQuarantine(connection);
            awaitLongerUpThanAnyLock(standby);
            front.standBefore(standby.port());
            await().untilAsserted(() -> assertRefused(connection, "in quarantine for another"));
            acquireAfterQuarantine(connection);
        }
    }

    /** Nothing but the process that comes can be asked, and it does not know how the one before it persisted. */
    @Test
    void node_thatPersistsEveryWriteNow_isInQuarantineAfterARestart() throws Exception {
        RedisServer node = node("--appendonly", "yes", "--appendfsync", "always");
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        node.command("CONFIG SET appendonly no");
        connection.acquire(LockRequest.of("forgotten").detached().fixedTtl(MEMORY));
        node.kill();
        node.start();
        await().untilAsserted(() -> assertRefused(connection, "in quarantine for another"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"appendfsync, everysec", "no-appendfsync-on-rewrite, yes", "appendonly, no"})
    void durableNode_thatMayLoseWrites_isRefused(String setting, String value) throws Exception {
        RedisServer node = node("--appendonly", "yes", "--appendfsync", "always");
        LockConnection connection = connect(List.of(node.uri() + "?durable=true"));
        acquireAfterQuarantine(connection);
        node.command("CONFIG SET " + setting + " " + value);
        await().untilAsserted(() -> assertRefused(connection, "said to be durable", setting + " is " + value));
    }

    @Test
    void durableNode_restoredFromABackup_isInQuarantine() throws Exception {
        RedisServer node = node("--appendonly", "yes", "--appendfsync", "always");
        LockConnection connection = connect(List.of(node.uri() + "?durable=true"));
        acquireAfterQuarantine(connection);
        Path backup = node.copyFiles();
        connection.acquire(LockRequest.of("forgotten").detached());
        String mark = node.command("GET holdfast:birth");
        await().until(() -> !node.command("GET holdfast:birth").equals(mark)); // a look later than the copy is noted
        node.kill();
        node.restoreFiles(backup);
        node.start();
        await().untilAsserted(() -> assertRefused(connection, "in quarantine for another"));
    }

    /** Redis rounds its uptime down, so no guard may use it: restarted at .95 of a second it seems a second older. */
    @Test
    void node_restartedAtTheEndOfASecond_isInQuarantineFromTheFirstLook() throws Exception {
        RedisServer node = node();
        acquireAfterQuarantine(connect());
        locks.close(); // a process that is still running would look first
        node.kill();
        awaitFractionOfSecond(0.9);
        node.start();
        awaitFractionOfSecond(0.0);
        long looked = System.currentTimeMillis() * 1_000;
        try (LockConnectionFactory other = factory(List.of(node.uri()), MEMORY);
                LockConnection contender = other.getConnection()) {
            assertRefused(contender, "in quarantine for another");
            assertThat(markedSince(node)).isGreaterThanOrEqualTo(looked);
        }
    }

    private static void awaitFractionOfSecond(double fraction) {
        long millis = (long) (fraction * 1_000);
        await().pollDelay(Duration.ZERO).pollInterval(ofMillis(1)).until(() -> {
            long now = System.currentTimeMillis() % 1_000;
            return now >= millis && now < millis + 50;
        });
    }

    private static long markedSince(RedisServer node) throws Exception {
        Matcher since = Pattern.compile("\r\n(\\d+) ").matcher(node.command("GET holdfast:birth"));
        assertThat(since.find()).isTrue();
        return Long.parseLong(since.group(1));
    }

    @Test
    void node_flushed_withItsStatisticsReset_isInQuarantine() throws Exception {
        RedisServer node = node();
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        node.command("FLUSHALL");
        node.command("CONFIG RESETSTAT");
        assertRefused(connection, "in quarantine for another");
    }

    @Test
    void memory_thatIsReloadedWithoutSaving_isInQuarantine() throws Exception {
        RedisServer node = nodeThatReloads();
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        node.command("SAVE");
        connection.acquire(LockRequest.of("forgotten").detached());
        String mark = node.command("GET holdfast:birth");
        await().until(() -> !node.command("GET holdfast:birth").equals(mark));
        long before = markedSince(node);
        assertThat(node.command("DEBUG RELOAD NOSAVE")).isEqualTo("+OK\r\n");
        await().until(() -> markedSince(node) > before);
        assertRefused(connection, "in quarantine for another");
    }

    /** Redis counts since 7.0 what it loads: so also what no look could know is noticed. */
    @Test
    void memory_thatIsReloadedBeforeTheNextLook_isInQuarantine() throws Exception {
        RedisServer node = nodeThatReloads();
        assumeTrue(node.command("INFO persistence").contains("rdb_last_load_keys_loaded"), "needs Redis 7.0 or later");
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        long before = markedSince(node);
        node.command("SAVE");
        connection.acquire(LockRequest.of("forgotten").detached());
        assertThat(node.command("DEBUG RELOAD NOSAVE")).isEqualTo("+OK\r\n");
        await().until(() -> markedSince(node) > before);
        assertRefused(connection, "in quarantine for another");
    }

    /** Redis allows it from version 7 on only where it is told to, in a way that older versions do not know. */
    private RedisServer nodeThatReloads() throws Exception {
        RedisServer node = node();
        if (!node.command("DEBUG RELOAD").startsWith("-ERR DEBUG command not allowed")) {
            return node;
        }
        node.close();
        nodes.remove(node);
        return node("--enable-debug-command", "local");
    }

    /**
     * Redis draws a new replication id when the first replica attaches, and another when the last has been gone for
     * long.
     */
    @Test
    void replica_thatComesAndGoes_costsThePrimaryNothing() throws Exception {
        RedisServer primary = node("--repl-backlog-ttl", "1", "--repl-diskless-sync-delay", "0");
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        long since = markedSince(primary);
        String before = replicationId(primary);
        RedisServer replica = node("--replicaof", "127.0.0.1", Integer.toString(primary.port()));
        await().until(() -> replica.command("INFO replication").contains("master_link_status:up"));
        String attached = replicationId(primary);
        assertThat(attached).isNotEqualTo(before);
        awaitTwoLooks(primary);
        assertThat(connection.tryAcquire(within(Duration.ZERO))).isPresent();
        replica.kill();
        await().atMost(ofSeconds(30)).until(() -> !replicationId(primary).equals(attached));
        awaitTwoLooks(primary);
        assertThat(markedSince(primary)).isEqualTo(since);
    }

    private static String replicationId(RedisServer node) throws Exception {
        Matcher id = Pattern.compile("master_replid:(\\w+)").matcher(node.command("INFO replication"));
        assertThat(id.find()).isTrue();
        return id.group(1);
    }

    private static void awaitTwoLooks(RedisServer node) throws Exception {
        for (int look = 0; look < 2; look++) {
            String mark = node.command("GET holdfast:birth");
            await().until(() -> !node.command("GET holdfast:birth").equals(mark));
        }
    }

    @Test
    void process_withAShorterLongestTtl_isRefused_andCutsNoLock() throws Exception {
        RedisServer node = node();
        LockConnection connection = connect(List.of(node.uri()), LONG_MEMORY);
        acquireAfterQuarantine(connection, LONG_MEMORY);
        Lease lease = connection.acquire(LockRequest.of("a").fixedTtl(LONG_MEMORY));
        try (LockConnectionFactory other = factory(List.of(node.uri()), ofSeconds(3));
                LockConnection contender = other.getConnection()) {
            assertRefused(contender, "maxLeaseTtlMillis=6000", "maxLeaseTtlMillis=3000", "previous...");
            await().until(() -> !lease.isHeld() || lease.remaining().compareTo(ofMillis(500)) < 0);
            if (lease.isHeld()) {
                assertThat(node.command("EXISTS holdfast:{a}:lock")).isEqualTo(":1\r\n");
            }
        }
    }

    @Test
    void longestTtl_isRaised_whileProcessesRun() throws Exception {
        RedisServer node = node();
        LockConnection old = connect();
        acquireAfterQuarantine(old);
        long since = markedSince(node);
        Map<String, String> raised = Map.of("nodes", node.uri(), "maxLeaseTtlMillis", "6000");
        Map<String, String> changing = new HashMap<>(raised);
        changing.put("previousMaxLeaseTtlMillis", Long.toString(MEMORY.toMillis()));
        try (LockConnectionFactory between = Holdfast.connect(changing);
                LockConnection first = between.getConnection()) {
            first.acquire(LockRequest.of("b")).release();
            old.acquire(LockRequest.of("b")).release();
            locks.close(); // the last process that knows the old value only
            try (LockConnectionFactory after = Holdfast.connect(raised);
                    LockConnection last = after.getConnection()) {
                last.acquire(LockRequest.of("b").ttl(ofSeconds(6)).waitTimeout(MEMORY.plusSeconds(9)))
                        .release(); // when those that it knew are over
                first.acquire(LockRequest.of("b")).release();
            }
        }
        assertThat(markedSince(node)) // a process that has just started adds what it has not watched
                .as("no vote was lost")
                .isBetween(since, since + 1_000_000);
    }

    private static void awaitLongerUpThanAnyLock(RedisServer node) {
        await().until(() -> {
            Matcher seconds = UPTIME.matcher(node.command("INFO server"));
            return seconds.find() && Long.parseLong(seconds.group(1)) > MEMORY.toSeconds() + 1;
        });
    }

    @Test
    void replica_isRefused() throws Exception {
        RedisServer primary = node();
        RedisServer replica = RedisServer.start(
                Path.of("target", "redis"), "--replicaof", "127.0.0.1", Integer.toString(primary.port()));
        nodes.add(replica);
        assertRefused(connect(List.of(replica.uri())), "replica", "independent primary");
    }

    @Test
    void node_thatMayEvict_isRefusedAndToldWhatToSet() {
        node("--maxmemory", "100mb", "--maxmemory-policy", "volatile-lru");
        assertRefused(connect(), "may evict locks", "maxmemory-policy noeviction");
    }

    @Test
    void node_thatDoesNotLetUsLook_isRefusedAndToldWhatToAllow() throws Exception {
        RedisServer node = node();
        node.command("ACL SETUSER app on >secret ~* +@all -info");
        node.command("ACL SETUSER app &*"); // which Redis 6.0 does not know
        assertRefused(
                connect(List.of("redis://app:secret@127.0.0.1:" + node.port())),
                "the guard cannot look at it: allow INFO to its user");
    }

    @Test
    void user_withoutConfig_isNoReasonToRefuse() throws Exception {
        RedisServer node = node();
        node.command("ACL SETUSER app on >secret ~* +@all -config");
        node.command("ACL SETUSER app &*"); // which Redis 6.0 does not know
        acquireAfterQuarantine(connect(List.of("redis://app:secret@127.0.0.1:" + node.port())));
    }

    @Test
    void node_thatMayEvictFromNowOn_isRefused_andInQuarantineWhenThatIsOver() throws Exception {
        RedisServer node = node();
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        node.command("CONFIG SET maxmemory 100mb");
        node.command("CONFIG SET maxmemory-policy volatile-lru");
        await().untilAsserted(() -> assertRefused(connection, "may evict locks"));
        node.command("CONFIG SET maxmemory-policy noeviction");
        assertThat(connection.tryAcquire(within(MEMORY.plusSeconds(6)))).isPresent(); // it is looked at once a second
    }

    @Test
    void node_madeAReplicaWhileItRuns_isRefused() throws Exception {
        RedisServer node = node();
        RedisServer other = node();
        LockConnection connection = connect(List.of(node.uri()));
        acquireAfterQuarantine(connection);
        node.command("REPLICAOF 127.0.0.1 " + other.port());
        await().untilAsserted(() -> assertRefused(connection, "replica"));
    }

    @Test
    void node_ofARedisCluster_isRefused_andMayBeUsedWithoutTheGuardIfItHasAllSlots() throws Exception {
        RedisServer node = node("--cluster-enabled", "yes");
        for (int first = 0; first < 16_384; first += 4_096) {
            String slots = IntStream.range(first, first + 4_096)
                    .mapToObj(Integer::toString)
                    .collect(Collectors.joining(" "));
            node.command("CLUSTER ADDSLOTS " + slots);
        }
        assertRefused(connect(), "part of a Redis Cluster", "independent");
        try (LockConnectionFactory unguarded = Holdfast.connect(Map.of("nodes", node.uri(), "guard", "OFF"));
                LockConnection connection = unguarded.getConnection()) {
            await().ignoreExceptions()
                    .until(() -> connection.tryAcquire(within(ofSeconds(1))).isPresent());
        }
    }

    @Test
    void mark_deletedBySomebodyTogetherWithLocks_isSetToNow() throws Exception {
        RedisServer node = node();
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        node.command("DEL holdfast:birth holdfast:heartbeat holdfast:{a}:lock holdfast:{a}:fence");
        assertRefused(connection);
        acquireAfterQuarantine(connection);
    }
}
