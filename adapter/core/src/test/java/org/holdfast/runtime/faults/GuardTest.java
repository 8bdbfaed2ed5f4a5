// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that forget, on real processes: restarts, flushes, promoted replicas, files that are loaded again. */
@Timeout(60)
class GuardTest extends GuardOnProcesses {

    private static final Pattern UPTIME = Pattern.compile("uptime_in_seconds:(\\d+)");

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

    private static void awaitLongerUpThanAnyLock(RedisServer node) {
        await().until(() -> {
            Matcher seconds = UPTIME.matcher(node.command("INFO server"));
            return seconds.find() && Long.parseLong(seconds.group(1)) > MEMORY.toSeconds() + 1;
        });
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
