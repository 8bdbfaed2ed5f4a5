// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that hears nothing of a Redis Cluster while that changes, on real processes. */
@Tag("thorough")
@Timeout(150)
class ClusterAbsenceTest {

    private static final String NAME = "absent";

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(4);

    private static final Duration PATIENCE = ofSeconds(60);

    /** So long a primary that is cut off goes on. */
    private static final Duration NODE_TIMEOUT = ofSeconds(30);

    @RegisterExtension
    private final MovingVoters voters = new MovingVoters();

    private static Optional<Lease> tryAcquire(LockConnection locks) throws Exception {
        try {
            return locks.tryAcquire(LockRequest.of(NAME).ttl(MEMORY).waitTimeout(Duration.ZERO));
        } catch (QuorumUnavailableException e) {
            return Optional.empty();
        }
    }

    private static void allow(String user, List<RedisServer> servers) throws Exception {
        for (RedisServer server : servers) {
            server.command("ACL SETUSER " + user + " on >" + user + " ~* &* +@all");
        }
    }

    private static void refuse(String user, List<RedisServer> servers) throws Exception {
        for (RedisServer server : servers) {
            server.command("ACL DELUSER " + user);
        }
    }

    /**
     * To the client that was away the primary is the same as ever. The holder's client counts renewals by the one
     * between for some seconds more.
     */
    @Test
    void primary_thatWasReplacedAndIsBackWhileAClientIsAway_grantsNothingThatTheOneBetweenRenews() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.startLinked(MovingVoters.FILES, 3, NODE_TIMEOUT));
        RedisServer primary = cluster.owner(MovingVoters.slot(NAME));
        RedisServer between = cluster.addReplica(primary);
        List<RedisServer> others =
                cluster.servers().stream().filter(server -> server != between).toList();
        allow("away", cluster.servers());
        allow("here", cluster.servers());
        LockConnection away = voters.connect(cluster.uri("away:away@"), MEMORY);
        LockConnection here = voters.connect(cluster.uri("here:here@"), MEMORY);
        LockRequest request = LockRequest.of(NAME).ttl(MEMORY).waitTimeout(PATIENCE);
        away.acquire(request).release();

        refuse("away", cluster.servers());
        cluster.failOver(between);
        Lease held = here.acquire(request);

        refuse("here", others);
        others.forEach(server -> cluster.ways().cut(between, server));
        cluster.takeOver(primary);
        allow("away", others);
        while (held.isHeld()) {
            Optional<Lease> next = tryAcquire(away);
            assertThat(next.isPresent() && held.isHeld()).as("two holders").isFalse();
        }
        await().atMost(PATIENCE).until(() -> tryAcquire(away).isPresent());
    }
}
