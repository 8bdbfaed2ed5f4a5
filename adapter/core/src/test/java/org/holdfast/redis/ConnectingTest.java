// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.holdfast.GuardMode;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.node.Ticket;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.wire.ConnectionSecurity;
import org.holdfast.redis.wire.NodeConnector;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Channels that connect, with threads and without, while nodes hang. */
@Timeout(60)
class ConnectingTest {

    private static final NodeSet ALL = NodeSet.first(3);
    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

    private static RedisServers redis;

    @BeforeAll
    static void start() {
        redis = RedisServers.start(3, Path.of("target", "redis"));
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static NodeGroup cluster(String nodes, Executor threads) {
        return new NodeGroup(
                new Locators(
                                VoterAddresses.parse(nodes, "nodes", new ArrayList<>()),
                                new NodeConnector(
                                        ConnectionSecurity.DEFAULT, NODE_TIMEOUT, threads, new OneNode.WaitlessTime()),
                                0.01,
                                new OneNode.WaitlessTime())
                        .connector(),
                "test",
                new GuardPolicy(GuardMode.OFF, OneNode.AGREEMENTS),
                new OneNode.WaitlessTime(),
                Recorder.NONE,
                new NodeLogLimiters(new OneNode.WaitlessTime()),
                WakeUp.NONE);
    }

    private static void ownThread(Runnable task) {
        new Thread(task, "works for a cluster").start();
    }

    private static Command.Release release(int number) {
        Owner owner = new Owner(Integer.toHexString(0x10000000 + number).repeat(5));
        return new Command.Release(
                new Claim(new Target.Exclusive("lock-" + number), owner, 7, 10_000, 70_000), false, false);
    }

    private static Map<Integer, Reply> ask(NodeChannel channel, NodeSet nodes) {
        return answers(channel.send(release(1), nodes), nodes.size());
    }

    private static Map<Integer, Reply> answers(Round round, int count) {
        Map<Integer, Reply> replies = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Answer answer = OneNode.answerTo(round);
            replies.put(answer.node(), answer.reply());
        }
        return replies;
    }

    static Stream<Named<Executor>> executorsWithoutThreads() {
        return Stream.of(
                Named.of("refuses", task -> {
                    throw new RejectedExecutionException("no thread now");
                }),
                Named.of("fails", task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                }),
                Named.of("never begins", task -> {}),
                Named.of("begins at once, on the same thread", Runnable::run));
    }

    @ParameterizedTest
    @MethodSource("executorsWithoutThreads")
    void channel_withoutThreads_connectsToAllNodes(Executor threads) {
        try (NodeGroup cluster = cluster(redis.uris(), threads);
                NodeChannel channel = cluster.open()) {
            await().untilAsserted(
                            () -> { // one after the other, on a machine that may be busy
                                channel.prepare();
                                assertThat(ask(channel, ALL).values()).containsOnly(new Reply.Gone());
                            });
        }
    }

    @Test
    void channel_whoseConnectingFailed_connectsLater() {
        AtomicBoolean exhausted = new AtomicBoolean(true);
        Executor threads = task -> {
            if (exhausted.getAndSet(false)) {
                throw new StackOverflowError();
            }
            task.run();
        };
        try (NodeGroup cluster = cluster(redis.uris(), threads);
                NodeChannel channel = cluster.open()) {
            assertThatExceptionOfType(StackOverflowError.class).isThrownBy(channel::prepare);
            await().untilAsserted(() -> {
                channel.prepare();
                assertThat(ask(channel, ALL).values()).containsOnly(new Reply.Gone());
            });
        }
    }

    @ParameterizedTest
    @MethodSource("executorsWithoutThreads")
    void channel_withoutThreads_whileANodeHangs_waitsForOneNodeTimeout_andBlamesThatNodeOnly(Executor threads) {
        redis.get(0).freeze();
        try (NodeGroup cluster = cluster(redis.uris(), threads);
                NodeChannel channel = cluster.open()) {
            long begun = System.nanoTime();
            channel.prepare();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isLessThan(NODE_TIMEOUT.multipliedBy(17).dividedBy(10));
            List<String> states = List.copyOf(cluster.describeNodes().values());
            assertThat(states.get(0)).contains("suspected");
            assertThat(states.subList(1, 3)).containsOnly("up");
            await().untilAsserted(() -> {
                Map<Integer, Reply> replies = ask(channel, ALL);
                assertThat(replies.get(0)).isInstanceOf(Reply.NotSent.class);
                assertThat(replies.get(1)).isEqualTo(new Reply.Gone());
                assertThat(replies.get(2)).isEqualTo(new Reply.Gone());
            });
        } finally {
            redis.all().forEach(RedisServer::thaw);
        }
    }

    @Test
    void requests_toConnectedNodes_areAnswered_whileAnotherThreadConnectsToOneThatHangs() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
                NodeGroup cluster = cluster(
                        redis.get(0).uri() + "," + redis.get(1).uri() + ",redis://127.0.0.1:" + silent.getLocalPort(),
                        ConnectingTest::ownThread);
                NodeChannel channel = cluster.open()) {
            CountDownLatch connecting = new CountDownLatch(1);
            Thread first = new Thread(() -> {
                connecting.countDown();
                channel.prepare();
            });
            long begun = System.nanoTime();
            first.start();
            connecting.await();
            silent.accept(); // else this thread may be the one that connects to it
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> ask(channel, NodeSet.first(2)).get(0) instanceof Reply.Gone);
            Map<Integer, Reply> replies = ask(channel, ALL);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(NODE_TIMEOUT);
            assertThat(replies.get(1)).isEqualTo(new Reply.Gone());
            assertThat(replies.get(2)).isInstanceOf(Reply.NotSent.class);
            first.join();
            await().untilAsserted(
                            () -> { // unless no thread had time for it: then it is not known yet
                                channel.prepare();
                                assertThat(List.copyOf(cluster.describeNodes().values())
                                                .get(2))
                                        .contains("suspected");
                            });
        }
    }

    @Test
    void commandThatAwaitsNoConnection_onANewChannel_waitsForNothing_andHasItsNodesConnected() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
                NodeGroup cluster = cluster(
                        redis.get(0).uri() + "," + redis.get(1).uri() + ",redis://127.0.0.1:" + silent.getLocalPort(),
                        ConnectingTest::ownThread);
                NodeChannel channel = cluster.open()) {
            Owner owner = new Owner("0123456789".repeat(4));
            Command leave = new Command.Leave(new Ticket("a", owner, 1, false, true, 1_000), false);
            long begun = System.nanoTime();
            assertThat(answers(channel.send(leave, ALL), 3).get(2)).isInstanceOf(Reply.NotSent.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(NODE_TIMEOUT.dividedBy(2));
            await().untilAsserted(() -> {
                Map<Integer, Reply> replies = answers(channel.send(leave, ALL), 3);
                assertThat(replies.get(0)).isEqualTo(new Reply.Noted());
                assertThat(replies.get(1)).isEqualTo(new Reply.Noted());
            });
        }
    }

    @Test
    void release_whileAQuorumIsConnected_waitsForNoConnectionToANodeThatHangs() {
        try (NodeGroup cluster = cluster(redis.uris(), ConnectingTest::ownThread);
                NodeChannel channel = cluster.open()) {
            channel.prepare();
            redis.get(2).ask("client kill type normal");
            redis.get(2).freeze();
            await().pollDelay(Duration.ofMillis(200)).until(() -> true); // a connection in use is not looked at
            long begun = System.nanoTime();
            Map<Integer, Reply> replies = ask(channel, ALL);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(NODE_TIMEOUT.dividedBy(2));
            assertThat(replies.get(0)).isEqualTo(new Reply.Gone());
            assertThat(replies.get(1)).isEqualTo(new Reply.Gone());
            assertThat(replies.get(2)).isInstanceOf(Reply.NotSent.class);
        } finally {
            redis.get(2).thaw();
        }
    }

    @Test
    void close_whileItConnectsToANodeThatHangs_waitsForNothing_andLeavesNoConnection() throws Exception {
        redis.get(0).freeze();
        try (NodeGroup cluster = cluster(redis.uris(), ConnectingTest::ownThread)) {
            NodeChannel channel = cluster.open();
            Thread connecting = new Thread(channel::prepare);
            connecting.start();
            await().until(() -> connecting.getState() == Thread.State.RUNNABLE && connections() == 2);
            long begun = System.nanoTime();
            channel.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(NODE_TIMEOUT.dividedBy(2));
            redis.get(0).thaw();
            connecting.join();
            await().until(() -> connections() == 0);
        } finally {
            redis.get(0).thaw();
        }
    }

    private static long connections() throws Exception {
        long sum = 0;
        for (RedisServer node : redis.all().subList(1, 3)) {
            sum += node.command("CLIENT LIST")
                    .lines()
                    .filter(client -> client.contains(" name=holdfast"))
                    .count();
        }
        return sum;
    }

    @Test
    void close_whileAnswersAreOnTheirWay_readsThem() {
        redis.all().forEach(node -> node.ask("CONFIG RESETSTAT"));
        try (NodeGroup cluster = cluster(redis.uris(), ConnectingTest::ownThread)) {
            NodeChannel channel = cluster.open();
            channel.prepare();
            List<Reply> late = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                channel.send(release(i), ALL).leave(answer -> late.add(answer.reply()));
            }
            // no node hangs for longer than a channel waits when it closes
            await().until(() -> redis.all().stream()
                    .allMatch(node -> node.ask("INFO commandstats").matches("(?s).*cmdstat_del:calls=\\d{3}.*")));
            channel.close();
            assertThat(late).hasSize(300).containsOnly(new Reply.Gone());
        }
    }

    @Test
    void close_whenItsTimeIsOver_readsWhatHasCome() {
        redis.all().forEach(node -> node.ask("CONFIG RESETSTAT"));
        try (NodeGroup cluster = cluster(redis.uris(), ConnectingTest::ownThread)) {
            NodeChannel channel = cluster.open();
            channel.prepare();
            List<Reply> late = new ArrayList<>();
            channel.send(release(1), ALL).leave(answer -> late.add(answer.reply()));
            await().until(() -> redis.all().stream()
                    .allMatch(node -> node.ask("INFO commandstats").contains("cmdstat_del:calls=")));
            redis.all().forEach(node -> node.ask("PING")); // all that was executed before is answered by now
            channel.close(System.nanoTime());
            assertThat(late).hasSize(3).containsOnly(new Reply.Gone());
        }
    }

    @Test
    void close_whileANodeHangs_waitsForAMoment() {
        try (NodeGroup cluster = cluster(redis.uris(), ConnectingTest::ownThread)) {
            NodeChannel channel = cluster.open();
            channel.prepare();
            redis.get(0).freeze();
            List<Answer> late = new ArrayList<>();
            channel.send(release(1), ALL).leave(late::add);
            long begun = System.nanoTime();
            channel.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(NODE_TIMEOUT.dividedBy(2));
            assertThat(late)
                    .hasSize(3)
                    .anyMatch(answer -> answer.node() == 0 && answer.reply() instanceof Reply.NoAnswer);
        } finally {
            redis.get(0).thaw();
        }
    }
}
