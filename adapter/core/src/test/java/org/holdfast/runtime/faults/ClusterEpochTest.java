// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.ClusterNode;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A primary of a Redis Cluster that takes all its slots back by a larger epoch, on real processes. */
@Tag("thorough")
@Timeout(150)
class ClusterEpochTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(8);

    private static final Duration PATIENCE = ofSeconds(60);

    @RegisterExtension
    private final MovingVoters voters = new MovingVoters();

    private static String nameOn(RedisCluster cluster, RedisServer owner, String prefix) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> prefix + i)
                .filter(name -> cluster.owner(MovingVoters.slot(name)) == owner)
                .findFirst()
                .orElseThrow();
    }

    /** Of two nodes with the same epoch the one with the smaller id takes the next. */
    private RedisCluster startWhereAPrimaryHasASmallerIdThanItsReplica() {
        while (true) {
            RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 3));
            if (firstOf(cluster).isPresent()) {
                return cluster;
            }
        }
    }

    private static Optional<Integer> firstOf(RedisCluster cluster) {
        List<RedisServer> servers = cluster.servers();
        return IntStream.range(0, 2) // the third has the largest epoch, and takes no larger one by a move
                .boxed()
                .filter(i -> ClusterNode.id(servers.get(i)).compareTo(ClusterNode.id(servers.get(i + 3))) < 0)
                .findFirst();
    }

    private static Optional<Lease> tryAcquire(LockConnection locks, String name) throws Exception {
        try {
            return locks.tryAcquire(LockRequest.of(name).ttl(MEMORY).waitTimeout(Duration.ZERO));
        } catch (QuorumUnavailableException e) {
            return Optional.empty();
        }
    }

    /**
     * The primary hangs while a slot is moved to it. The command that ends the move waits in its socket, and is the
     * first that it runs when it goes on: it has not heard of the failover yet.
     */
    @Test
    void primary_thatTakesItsSlotsBackFromItsSuccessor_grantsNothingThatThatHasGranted() throws Exception {
        RedisCluster cluster = startWhereAPrimaryHasASmallerIdThanItsReplica();
        int first = firstOf(cluster).orElseThrow();
        RedisServer primary = cluster.servers().get(first);
        RedisServer replica = cluster.servers().get(first + 3);
        RedisServer another = cluster.servers().get(2);
        LockConnection locks = voters.connect(cluster.uri(), MEMORY);
        LockConnection others = voters.connect(cluster.uri(), MEMORY);
        String name = nameOn(cluster, primary, "name-");
        locks.acquire(LockRequest.of(nameOn(cluster, primary, "used-")).waitTimeout(PATIENCE))
                .release();

        int moved = MovingVoters.slot(nameOn(cluster, another, "moved-"));
        cluster.beginMove(moved, another, primary);
        byte[] command = ("CLUSTER SETSLOT " + moved + " NODE " + ClusterNode.id(primary) + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        try (Socket operator = new Socket(InetAddress.getLoopbackAddress(), primary.port())) {
            primary.freeze();
            operator.getOutputStream().write(command);
            cluster.awaitSuccessor(primary, List.of(replica));
            Lease held = locks.acquire(LockRequest.of(name).ttl(MEMORY).waitTimeout(PATIENCE));
            primary.thaw();

            cluster.awaitRole(replica, false);
            while (held.isHeld()) {
                Optional<Lease> next = tryAcquire(others, name);
                assertThat(next.isPresent() && held.isHeld()).as("two holders").isFalse();
            }
            await().atMost(PATIENCE).until(() -> tryAcquire(others, name).isPresent());
        }
    }
}
