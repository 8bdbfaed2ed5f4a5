// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three voters, each of which is a Redis Cluster, and a network that falls in two: one side has a primary of the first
 * cluster and all of the second one, the other side has the rest. Votes of that primary would be a majority for the
 * first side, and those of the replica in its place for the other one.
 *
 * <p>These are ten processes. Eighteen would be needed for a replica of each primary; no other primary fails here, and
 * a replica that is not promoted has no part in a vote.
 */
@Tag("thorough")
@Timeout(500)
class DividedClustersTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(4);

    private static final Duration FIRST_USE = ofSeconds(100);

    /** For a failover, for clients to learn of it, and for the quarantine, on a busy machine. */
    private static final Duration RECOVERY = ofSeconds(100);

    private static final Duration NOTICES_NO_PAUSE = ofSeconds(15);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private List<RedisCluster> clusters;
    private RedisServer primary;
    private RedisServer replica;

    private void start() {
        Supplier<RedisCluster> linked = () -> RedisCluster.startLinked(MovingVoters.FILES, 3);
        Supplier<RedisCluster> whole = () -> RedisCluster.start(MovingVoters.FILES, 3, 0, NOTICES_NO_PAUSE);
        List<CompletableFuture<RedisCluster>> starting = Stream.of(linked, whole, whole)
                .map(CompletableFuture::supplyAsync)
                .toList();
        clusters =
                starting.stream().map(started -> voters.opened(started.join())).toList();
        primary = clusters.get(0).owner(MovingVoters.slot(Contenders.NAME));
        replica = clusters.get(0).addReplica(primary);
        assertThat(primary.ask("CONFIG SET cluster-node-timeout 120000")).startsWith("+OK"); // it goes on for so long
    }

    private List<RedisServer> servers() {
        return clusters.stream().flatMap(cluster -> cluster.servers().stream()).toList();
    }

    private String nodes(String user) {
        return clusters.stream()
                .map(cluster -> cluster.uri(user + ":" + user + "@"))
                .collect(Collectors.joining(","));
    }

    private static void allow(String user, List<RedisServer> servers) throws Exception {
        for (RedisServer server : servers) {
            assertThat(server.command("ACL SETUSER " + user + " on >" + user + " ~* &* +@all"))
                    .startsWith("+OK");
        }
    }

    private static void shutOut(String user, List<RedisServer> servers) throws Exception {
        for (RedisServer server : servers) {
            assertThat(server.command("ACL DELUSER " + user)).startsWith(":1");
        }
    }

    @Test
    void primary_ofOneOfThreeClusters_cutOffWithClientsAndAnotherCluster_givesThemNoMajority() throws Exception {
        start();
        allow("left", servers());
        allow("right", servers());
        Contenders contenders = voters.opened(new Contenders(ofSeconds(2)));
        for (int i = 0; i < 4; i++) {
            contenders.add(
                    MovingVoters.settings(nodes(i % 2 == 0 ? "left" : "right"), MEMORY),
                    i < 2 ? ofMillis(100) : ofSeconds(3));
        }
        contenders.untilTaken(5, FIRST_USE);
        LockConnection left = voters.connect(nodes("left"), MEMORY);
        LockConnection right = voters.connect(nodes("right"), MEMORY);
        LockRequest request = LockRequest.of(Contenders.NAME).ttl(ofSeconds(2)).waitTimeout(RECOVERY);

        List<RedisServer> besideIt = Stream.concat(Stream.of(primary), clusters.get(1).servers().stream())
                .toList();
        List<RedisServer> others =
                servers().stream().filter(server -> !besideIt.contains(server)).toList();
        clusters.get(0).servers().stream()
                .filter(server -> server != primary)
                .forEach(server -> clusters.get(0).ways().cut(primary, server));
        shutOut("left", others);
        shutOut("right", besideIt);
        clusters.get(0).awaitRole(replica, true);
        right.acquire(request).release(); // with the replica's vote
        assertThat(primary.ask("GET holdfast:{" + Contenders.NAME + "}:lock"))
                .as("it goes on")
                .doesNotStartWith("-");
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(
                        () -> left.acquire(request.waitTimeout(Duration.ZERO)).release());
        contenders.untilTaken(5, RECOVERY);
        contenders.assertExclusive();

        assertThat(primary.ask("CONFIG SET cluster-node-timeout 1500")).startsWith("+OK");
        clusters.get(0).ways().mend();
        allow("left", others);
        allow("right", besideIt);
        clusters.get(0).awaitRole(primary, false);
        left.acquire(request).release();
        contenders.untilTaken(5, RECOVERY);
        contenders.assertExclusive();
    }
}
