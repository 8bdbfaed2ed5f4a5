// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.sharded;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.GuardMode;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.NodeChannel;
import org.holdfast.redis.NodeGroup;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.cluster.Slot;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.releases.ReleaseSubscriber;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.wire.ConnectionSecurity;
import org.holdfast.redis.wire.NodeConnector;
import org.holdfast.runtime.SystemTime;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;

/**
 * A client of a cluster that listens for releases, and does not attempt anything by itself: what it receives was sent
 * to it. It takes over where slots are when something that it was sent says that they have moved, and when a test says.
 */
final class ShardListener implements AutoCloseable {

    private static final String PREFIX = "test";
    private static final Duration PATIENCE = ofSeconds(20);
    private static final SystemTime TIME = new SystemTime();

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(12);
    private final RedisCluster cluster;
    private final Locators locators;
    private final ShardedNodes nodes;
    private final NodeChannel channel;
    private final ReleaseSubscriber subscriber;
    private final BlockingQueue<String> released = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> forced = new LinkedBlockingQueue<>();
    private final AtomicLong lastToken = new AtomicLong();

    ShardListener(RedisCluster cluster) {
        this.cluster = cluster;
        this.locators = new Locators(
                VoterAddresses.parse(cluster.uri(), "nodes", new ArrayList<>()),
                new NodeConnector(
                        ConnectionSecurity.DEFAULT,
                        ofSeconds(1),
                        task -> CompletableFuture.runAsync(task, threads),
                        TIME),
                0.01,
                TIME);
        GuardPolicy trusting =
                new GuardPolicy(GuardMode.OFF, new AcceptedSettings(new SharedSettings(60_000, 600_000, 0.01)));
        this.nodes = new ShardedNodes(
                locators,
                new ScriptCodec(PREFIX, 0),
                connector -> new NodeGroup(
                        connector, PREFIX, trusting, TIME, Recorder.NONE, new NodeLogLimiters(TIME), WakeUp.NONE),
                TIME);
        locators.onMisdirected(nanos -> threads.execute(this::locate));
        threads.scheduleWithFixedDelay(locators::confirm, 0, 500, TimeUnit.MILLISECONDS); // else it trusts no shard
        threads.scheduleWithFixedDelay(nodes::look, 0, 200, TimeUnit.MILLISECONDS);
        await().atMost(PATIENCE).until(() -> !locators.slots().isEmpty());
        nodes.rearrange();
        this.channel = nodes.open();
        this.subscriber = nodes.subscriber(threads);
        subscriber.onRelease((name, message) -> released.add(name));
        subscriber.onForcedRelease((name, token) -> forced.add(token));
    }

    /** Takes over where slots are by now. */
    void locate() {
        locators.confirm();
        nodes.rearrange();
    }

    /** Returns the slot of a name. */
    static int slot(String name) {
        return Slot.of(channel(name));
    }

    static String channel(String name) {
        return PREFIX + ":{" + name + "}:released";
    }

    void subscribe(String name) {
        subscriber.subscribe(name);
    }

    void awaitSubscribed(String name) {
        await().atMost(PATIENCE).until(() -> subscriber.isSubscribed(name));
    }

    /** Waits until a node itself says that a connection listens there. */
    void awaitSubscribed(String name, RedisServer at) {
        String command = hasShardChannels(at) ? "PUBSUB SHARDNUMSUB " : "PUBSUB NUMSUB ";
        await().atMost(PATIENCE)
                .until(() -> at.ask(command + channel(name)).contains("\r\n:1\r\n") && subscriber.isSubscribed(name));
    }

    static boolean hasShardChannels(RedisServer server) {
        return !server.ask("INFO server").contains("redis_version:6.");
    }

    /** Returns the ids of the connections that listen for releases on a node. */
    static List<String> connections(RedisServer server) {
        return server.ask("CLIENT LIST TYPE pubsub")
                .lines()
                .filter(line -> line.startsWith("id="))
                .map(line -> line.split(" ")[0])
                .toList();
    }

    /** Has a lock taken away from a holder that there is not, and waits until its release is received. */
    void assertReceived(String name) throws Exception {
        forced.clear();
        RedisServer owner = cluster.owner(slot(name));
        assertThat(owner.ask("SET " + PREFIX + ":{" + name + "}:lock x")).startsWith("+OK");
        long token = lastToken.updateAndGet(last -> Math.max(last + 1, TIME.epochMicros()));
        Command release = new Command.ForceRelease(List.of(new Target.Exclusive(name)), token, 1_000, 10_000_000);
        await().atMost(PATIENCE).until(() -> send(release) instanceof Reply.Seen); // when the node is asked again
        assertThat(forced.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(token);
        released.clear(); // what comes from now on was published after that
    }

    /** Waits until what a command publishes on a name is received, after {@link #assertReceived}. */
    void assertPublishes(Command command) throws Exception {
        released.clear();
        Reply reply = send(command);
        assertThat(released.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("what " + command + " publishes, which is answered by " + reply)
                .isNotNull();
    }

    private Reply send(Command command) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Answer answer = channel.send(command, NodeSet.of(0)).next(deadline);
        assertThat(answer).as("answer to " + command).isNotNull();
        return answer.reply();
    }

    @Override
    public void close() {
        subscriber.close();
        channel.close();
        nodes.stopLooking();
        nodes.close();
        locators.close();
        threads.shutdownNow();
    }
}
