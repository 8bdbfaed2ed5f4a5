// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.sharded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.node.Ticket;
import org.holdfast.testkit.ClusterNode;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Releases in a cluster are sent to clients that listen on their shard, wherever that is, and to no other shard. */
@Tag("thorough")
@Timeout(120)
class ShardedReleasesTest {

    private static final Path FILES = Path.of("target", "redis");
    private static final String NAME = "a";
    private static final Owner ADA = new Owner("a".repeat(40));

    private static RedisServer another(RedisCluster cluster, RedisServer than) {
        return cluster.servers().stream()
                .filter(server -> server != than && ClusterNode.isPrimary(server))
                .findFirst()
                .orElseThrow();
    }

    /** Returns another name on the same shard, in another slot. */
    private static String neighbour(RedisCluster cluster, RedisServer owner) {
        return Stream.iterate(0, i -> i + 1)
                .map(i -> "neighbour-" + i)
                .filter(name -> cluster.owner(ShardListener.slot(name)) == owner)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void releases_ofAllKinds_reachTheListenersOfTheShardAndNoOtherShard() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(FILES, 3, 0);
                ShardListener listener = new ShardListener(cluster)) {
            RedisServer owner = cluster.owner(ShardListener.slot(NAME));
            listener.subscribe(NAME);
            listener.awaitSubscribed(NAME, owner);
            listener.assertReceived(NAME);

            listener.assertPublishes(new Command.UseLatch(new Latch(NAME, 0, 2), Set.of("call"), 60_000));
            listener.assertPublishes(new Command.Leave(new Ticket(NAME, ADA, 1, false, true, 1_000), true));
            listener.assertPublishes(release(owner, new Target.Exclusive(NAME)));
            listener.assertPublishes(release(owner, new Target.Shared(NAME)));
            assumeThat(ShardListener.hasShardChannels(owner)).isTrue();
            assertThat(cluster.servers())
                    .noneMatch(server -> server.ask("CLUSTER INFO").contains("stats_messages_publish_"));
        }
    }

    /** Of a lock that was not granted: then a node would have to be inspected before. */
    private static Command release(RedisServer node, Target target) {
        String value = "0 5 " + ADA.value();
        assertThat(node.ask("SET test:{" + NAME + "}:lock \"" + value + "\" PX 60000"))
                .startsWith("+OK");
        long token = System.currentTimeMillis() * 1_000;
        return Command.Release.ofLease(new Claim(target, ADA, token, 60_000, 600_000));
    }

    @Test
    void slotMovedAway_underAListener_isListenedForAtItsNewPlaceAndReleasesAreReceivedThere() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(FILES, 3, 0);
                ShardListener listener = new ShardListener(cluster)) {
            RedisServer from = cluster.owner(ShardListener.slot(NAME));
            assumeThat(ShardListener.hasShardChannels(from)).isTrue();
            String stays = neighbour(cluster, from);
            listener.subscribe(NAME);
            listener.subscribe(stays);
            listener.awaitSubscribed(NAME, from);
            listener.awaitSubscribed(stays, from);
            List<String> connections = ShardListener.connections(from);

            RedisServer to = another(cluster, from);
            cluster.move(ShardListener.slot(NAME), to);
            listener.awaitSubscribed(NAME, to);
            listener.assertReceived(NAME);
            listener.assertReceived(stays);

            cluster.move(ShardListener.slot(NAME), from);
            listener.awaitSubscribed(NAME, from);
            listener.assertReceived(NAME);
            assertThat(ShardListener.connections(from))
                    .as("connections, on which others are listened for too")
                    .isEqualTo(connections);
        }
    }

    @Test
    void slot_thatHasMovedBeforeItIsListenedFor_isFoundAndNoOtherIsDisturbed() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(FILES, 3, 0)) {
            RedisServer from = cluster.owner(ShardListener.slot(NAME));
            assumeThat(ShardListener.hasShardChannels(from)).isTrue();
            String stays = neighbour(cluster, from);
            try (ShardListener listener = new ShardListener(cluster)) {
                listener.subscribe(stays);
                listener.awaitSubscribed(stays, from);
                List<String> connections = ShardListener.connections(from);
                RedisServer to = another(cluster, from);
                cluster.move(ShardListener.slot(NAME), to);

                listener.subscribe(NAME);
                listener.awaitSubscribed(NAME, to);
                listener.assertReceived(NAME);
                listener.assertReceived(stays);
                assertThat(ShardListener.connections(from)).isEqualTo(connections);
            }
        }
    }

    /** Perhaps the replica has another version, as in an upgrade: then it publishes in another way. */
    @Test
    void primary_replacedByItsReplica_isListenedToAfterwards() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(FILES, 3, 3);
                ShardListener listener = new ShardListener(cluster)) {
            RedisServer first = cluster.owner(ShardListener.slot(NAME));
            RedisServer replica = cluster.servers().get(cluster.servers().indexOf(first) + 3);
            listener.subscribe(NAME);
            listener.awaitSubscribed(NAME, first);
            listener.assertReceived(NAME);

            cluster.failOver(replica);
            listener.awaitSubscribed(NAME, replica);
            listener.assertReceived(NAME);

            replica.kill();
            cluster.awaitSuccessor(replica, List.of(first));
            listener.awaitSubscribed(NAME, first);
            listener.assertReceived(NAME);
        }
    }

    /** It answers a ping by an error then. */
    @Test
    void node_thatCannotSaveItsData_isListenedToOnTheSameConnection() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(FILES, 3, 0);
                ShardListener listener = new ShardListener(cluster)) {
            RedisServer owner = cluster.owner(ShardListener.slot(NAME));
            listener.subscribe(NAME);
            listener.awaitSubscribed(NAME, owner);
            List<String> connections = ShardListener.connections(owner);

            owner.command("CONFIG SET save \"3600 1000000\"");
            Path file = Path.of(setting(owner, "dir"), setting(owner, "dbfilename"));
            Files.deleteIfExists(file);
            Files.createDirectories(file.resolve("in its way"));
            owner.command("BGSAVE");
            await().until(() -> owner.ask("PING").startsWith("-MISCONF"));
            await().pollDelay(Duration.ofSeconds(4)).until(() -> true); // a quiet node is asked after 2 s
            owner.command("CONFIG SET save \"\"");
            assertThat(ShardListener.connections(owner)).isEqualTo(connections);
            listener.assertReceived(NAME);
        }
    }

    private static String setting(RedisServer server, String name) throws IOException {
        return server.command("CONFIG GET " + name).lines().skip(4).findFirst().orElseThrow();
    }

    /**
     * Redis 7.4 to 8 ends if a connection that listens is closed while a script keeps it busy that has keys in another
     * slot.
     */
    @Test
    void node_keptBusyByAScript_isListenedToOnTheSameConnection() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(FILES, 3, 0, Duration.ofSeconds(120));
                ShardListener listener = new ShardListener(cluster)) {
            RedisServer owner = cluster.owner(ShardListener.slot(NAME));
            listener.subscribe(NAME);
            listener.awaitSubscribed(NAME, owner);
            List<String> connections = ShardListener.connections(owner);
            String script = "local begun = redis.call('TIME')[1]"
                    + " while redis.call('TIME')[1] - begun < 8 do redis.call('GET', KEYS[1]) end";
            String key = ShardListener.channel(neighbour(cluster, owner));

            try (Socket busy = new Socket("127.0.0.1", owner.port())) {
                busy.getOutputStream()
                        .write(("EVAL \"" + script + "\" 1 " + key + "\r\n").getBytes(StandardCharsets.UTF_8));
                assertThat(busy.getInputStream().read()).as("end of the script").isEqualTo('$');
            }
            assertThat(ShardListener.connections(owner)).isEqualTo(connections);
            listener.assertReceived(NAME);
        }
    }
}
