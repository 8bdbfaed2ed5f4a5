// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.holdfast.redis.NodeWithClock.ADA;
import static org.holdfast.redis.NodeWithClock.ALONE;
import static org.holdfast.redis.NodeWithClock.BOB;
import static org.holdfast.redis.NodeWithClock.CAT;
import static org.holdfast.redis.NodeWithClock.GRANTED;
import static org.holdfast.redis.NodeWithClock.READING;
import static org.holdfast.redis.NodeWithClock.claim;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RespProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Behind a proxy that speaks Redis, a connection outlives the process that it leads to. */
@Timeout(60)
class ProxyTest {

    @TempDir
    Path directory;

    private RedisServer redis;
    private RespProxy proxy;
    private NodeChannel first;
    private NodeChannel second;

    static Stream<Target> targets() {
        return Stream.of(ALONE, new Target.Exclusive(List.of("x", "y")), READING, new Target.Permit("x", 0));
    }

    @BeforeEach
    void start() throws Exception {
        redis = RedisServer.start(directory);
        proxy = RespProxy.start(redis.port());
        try (NodeChannel early = OneNode.open(redis, true)) {
            early.prepare();
        }
        OneNode.endQuarantine(redis);
        first = OneNode.open(proxy.uri(), true);
        second = OneNode.open(proxy.uri(), true);
        first.prepare();
        second.prepare();
    }

    @AfterEach
    void stop() throws Exception {
        first.close();
        second.close();
        proxy.close();
        redis.close();
    }

    private static Reply ask(NodeChannel client, Command command) {
        return OneNode.answerTo(client.send(command, NodeSet.of(0))).reply();
    }

    private void restartWithOldFiles() {
        redis.kill();
        redis.start();
    }

    @ParameterizedTest
    @MethodSource("targets")
    void lock_thatAnOlderFileDoesNotHave_isGrantedToNoOtherOnAConnectionThatStayed(Target target) throws Exception {
        Claim wanted = claim(target instanceof Target.Shared ? ALONE : target, BOB, 9);
        assertThat(ask(second, NodeWithClock.acquire(claim(ALONE, CAT, 3)))).isEqualTo(GRANTED);
        assertThat(ask(second, NodeWithClock.end(claim(ALONE, CAT, 3)))).isEqualTo(new Reply.Released(0));
        redis.command("SAVE");
        assertThat(ask(first, NodeWithClock.acquire(claim(target, ADA, 7)))).isEqualTo(GRANTED);

        restartWithOldFiles();

        assertThat(ask(second, NodeWithClock.acquire(wanted))).isNotEqualTo(GRANTED);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void lease_thatAnOlderFileDoesNotHave_isNotHealedOnAConnectionThatStayed(Target target) throws Exception {
        redis.command("SAVE");
        Claim held = claim(target, ADA, 7);
        assertThat(ask(first, NodeWithClock.acquire(held))).isEqualTo(GRANTED);

        restartWithOldFiles();

        assertThat(ask(first, NodeWithClock.renew(held))).isInstanceOf(Reply.Forgotten.class);
    }

    /** In one call, which the process refuses for all of them. */
    @Test
    void leases_thatAreRenewedTogether_areNotHealedByAnotherProcess_andTheConnectionIsDropped() throws Exception {
        redis.command("SAVE");
        List<Command> renewals = new ArrayList<>();
        for (int lease = 0; lease < 3; lease++) { // as many as a reply has numbers
            Claim held = claim(new Target.Exclusive("held-" + lease), ADA, 7);
            assertThat(ask(first, NodeWithClock.acquire(held))).isEqualTo(GRANTED);
            renewals.add(NodeWithClock.renew(held));
        }
        assertThat(askAll(renewals)).containsOnly(GRANTED);

        restartWithOldFiles();

        List<Reply> replies = askAll(renewals);
        assertThat(replies.get(0)).isInstanceOf(Reply.Forgotten.class);
        assertThat(replies).hasSize(3).doesNotContain(GRANTED);
        first.prepare(); // connects anew, and sees that it is another process
        assertThat(askAll(renewals)).hasOnlyElementsOfType(Reply.Quarantined.class);
    }

    private List<Reply> askAll(List<Command> commands) {
        return first.sendAll(commands, NodeSet.of(0)).stream()
                .map(round -> OneNode.answerTo(round).reply())
                .toList();
    }

    @Test
    void lock_afterAFailoverToAReplica_isGrantedToNoOtherOnAConnectionThatStayed() throws Exception {
        try (RedisServer replica =
                RedisServer.start(directory, "--replicaof", "127.0.0.1", Integer.toString(redis.port()))) {
            await().until(() -> replica.command("INFO replication").contains("master_link_status:up"));
            replica.command("REPLICAOF NO ONE");
            assertThat(ask(first, NodeWithClock.acquire(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);

            proxy.turnTo(replica.port());

            assertThat(ask(second, NodeWithClock.acquire(claim(ALONE, BOB, 9)))).isInstanceOf(Reply.Forgotten.class);
            second.prepare(); // connects anew, and finds another process than the mark names
            assertThat(ask(second, NodeWithClock.acquire(claim(ALONE, BOB, 9)))).isInstanceOf(Reply.Quarantined.class);
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void lock_afterAFailoverAndBackToWhatWasNeverAReplica_isGrantedToNoOtherOnAConnectionThatStayed(Target target)
            throws Exception {
        try (RedisServer other = RedisServer.start(directory)) {
            proxy.turnTo(other.port());
            for (NodeChannel client : List.of(first, second)) {
                assertThat(ask(client, NodeWithClock.acquire(claim(ALONE, CAT, 3))))
                        .isNotEqualTo(GRANTED);
                client.prepare(); // looks at it
            }

            proxy.turnTo(redis.port()); // it was frozen, and its mark is its own

            Claim held = claim(target, ADA, 7); // at the other
            assertThat(ask(first, NodeWithClock.renew(held))).isInstanceOf(Reply.Forgotten.class);
            Claim wanted = claim(target instanceof Target.Shared ? ALONE : target, BOB, 9);
            assertThat(ask(second, NodeWithClock.acquire(wanted))).isInstanceOf(Reply.Forgotten.class);
            second.prepare();
            assertThat(ask(second, NodeWithClock.acquire(wanted))).isNotEqualTo(GRANTED);
        }
    }

    @Test
    void process_isAskedForByScripts_whereAProxyIsInBetween_andNowhereElse() throws Exception {
        try (NodeChannel direct = OneNode.open(redis, true)) {
            direct.prepare();
            long before = askedInScripts();
            assertThat(ask(direct, NodeWithClock.acquire(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
            assertThat(ask(direct, NodeWithClock.renew(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
            assertThat(ask(direct, NodeWithClock.end(claim(ALONE, ADA, 7)))).isEqualTo(new Reply.Released(0));
            assertThat(askedInScripts()).isEqualTo(before + 1); // by the test
        }
        long before = askedInScripts();
        assertThat(ask(first, NodeWithClock.acquire(claim(ALONE, BOB, 9)))).isEqualTo(GRANTED);
        assertThat(askedInScripts()).isEqualTo(before + 2);
    }

    /** Returns how often the node was asked for INFO, each time by this method or by a script. */
    private long askedInScripts() throws Exception {
        Matcher calls = Pattern.compile("cmdstat_info:calls=(\\d+)").matcher(redis.command("INFO commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }
}
