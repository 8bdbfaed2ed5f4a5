// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.GuardMode;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.wire.ConnectorBridge;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three real nodes, of which one is known by its name only, and a name server that hangs. */
@Timeout(60)
class HangingNameServerTest {

    private static final NodeSet ALL = NodeSet.first(3);
    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(3);

    private final AtomicInteger lookups = new AtomicInteger();
    private final CountDownLatch hanging = new CountDownLatch(1);
    private final OneNode.WaitlessTime time = new OneNode.WaitlessTime();
    private RedisServers redis;
    private NodeGroup cluster;
    private RedisProbe inspection;

    @BeforeEach
    void start() {
        redis = RedisServers.start(3, Path.of("target", "redis"));
        String nodes = redis.uris().replaceFirst("127\\.0\\.0\\.1", "a.example");
        cluster = cluster(nodes, this::resolve);
        inspection = cluster.probe();
    }

    private NodeGroup cluster(String nodes, ConnectorBridge.NameServer names) {
        return new NodeGroup(
                new Locators(
                                VoterAddresses.parse(nodes, "nodes", new ArrayList<>()),
                                ConnectorBridge.connector(
                                        names,
                                        NODE_TIMEOUT,
                                        task -> new Thread(task, "asks a name server").start(),
                                        task -> new Thread(task, "works for a cluster").start(),
                                        time),
                                0.01,
                                time)
                        .connector(),
                "test",
                new GuardPolicy(GuardMode.OFF, OneNode.AGREEMENTS),
                time,
                Recorder.NONE,
                new NodeLogLimiters(time),
                WakeUp.NONE);
    }

    private InetAddress[] resolve(String host) throws UnknownHostException {
        if (host.equals("a.example")) {
            lookups.incrementAndGet();
            awaitAnswer();
        }
        return InetAddress.getAllByName("127.0.0.1");
    }

    private void awaitAnswer() {
        try {
            hanging.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() {
        hanging.countDown();
        inspection.close();
        cluster.close();
        redis.close();
    }

    private static List<Reply> acquire(NodeChannel channel, int number) {
        Owner owner = new Owner(Integer.toHexString(0x10000000 + number).repeat(5));
        Command acquire = AnyToken.acquire(new Claim(new Target.Exclusive("lock-" + number), owner, 7, 10_000, 70_000));
        Round round = channel.send(acquire, ALL);
        Reply[] replies = new Reply[3];
        for (int i = 0; i < replies.length; i++) {
            Answer answer = OneNode.answerTo(round);
            replies[answer.node()] = answer.reply();
        }
        return List.of(replies);
    }

    /** How long it takes to have a lock on the other nodes, over connections that must be made. */
    private Duration acquireWithoutIt(int number) {
        try (NodeChannel channel = cluster.open()) {
            long begun = System.nanoTime();
            channel.prepare();
            List<Reply> replies = acquire(channel, number);
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            assertThat(replies.get(0)).isInstanceOfSatisfying(Reply.NotSent.class, reply -> assertThat(reply.reason())
                    .contains("the name server has not said in time where host a.example is"));
            assertThat(replies.subList(1, 3)).containsOnly(new Reply.Granted());
            return took;
        }
    }

    @Test
    void nameServer_thatHangs_costsOneNodeTimeout_andThenNothing() {
        Duration first = acquireWithoutIt(0);
        assertThat(first).isBetween(NODE_TIMEOUT, NODE_TIMEOUT.multipliedBy(2));
        Duration all = Duration.ZERO;
        for (int number = 1; number < 10; number++) {
            all = all.plus(acquireWithoutIt(number));
        }
        assertThat(all).isLessThan(NODE_TIMEOUT);
        assertThat(lookups).hasValue(1);
    }

    @Test
    void nodes_thatAreConnected_areAsked_thoughTheNameServerHangsForAnotherChannel() {
        String nodes = redis.uris()
                .replaceFirst("127\\.0\\.0\\.1", "a.example")
                .replaceFirst("127\\.0\\.0\\.1", "b.example")
                .replaceFirst("127\\.0\\.0\\.1", "c.example");
        AtomicBoolean hangs = new AtomicBoolean();
        NodeGroup all = cluster(nodes, host -> {
            if (hangs.get()) {
                awaitAnswer();
            }
            return InetAddress.getAllByName("127.0.0.1");
        });
        try (NodeChannel holder = all.open();
                NodeChannel another = all.open()) {
            holder.prepare();
            assertThat(acquire(holder, 1)).containsOnly(new Reply.Granted());
            hangs.set(true);
            another.prepare();
            assertThat(acquire(holder, 2)).containsOnly(new Reply.Granted());
        }
        all.close();
    }

    @Test
    void node_isUsedAgain_whenTheNameServerHasAnswered() {
        acquireWithoutIt(0);
        inspection.look(0);
        assertThat(cluster.describeNodes().values()).anyMatch(state -> state.contains("name server"));

        hanging.countDown();
        await().untilAsserted(() -> {
            inspection.look(0);
            assertThat(cluster.describeNodes().values()).containsOnly("up");
        });
        assertThat(lookups).hasValue(1);
        try (NodeChannel channel = cluster.open()) {
            channel.prepare();
            assertThat(acquire(channel, 1)).containsOnly(new Reply.Granted());
        }
    }
}
