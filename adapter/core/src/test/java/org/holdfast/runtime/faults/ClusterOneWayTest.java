// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.term.Terms;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The primary of a shard and the other nodes of a cluster hear each other in one direction only, on real processes:
 * what the primary makes of that, and that clients on either side of it exclude each other.
 */
@Tag("thorough")
@Timeout(150)
class ClusterOneWayTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    private static final Duration RECOVERY = ofSeconds(40);

    /** A primary that hears no other one goes on for so long: until the next one grants locks. */
    private static final Duration LONG_NODE_TIMEOUT = ofSeconds(20);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private static RedisServer owner(RedisCluster cluster) {
        return cluster.owner(MovingVoters.slot(Contenders.NAME));
    }

    private static List<RedisServer> othersThan(RedisServer primary, RedisCluster cluster) {
        return cluster.servers().stream().filter(server -> server != primary).toList();
    }

    /** Writes a key of the slot of the lock for which callers contend. */
    private static String write(RedisServer server) {
        return server.ask("SET {" + Contenders.NAME + "} written");
    }

    /** A node that waits for an answer sends nothing by itself, but what clients publish goes to all nodes. */
    private void keepTalking(List<RedisServer> servers) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        AutoCloseable end = timer::shutdownNow;
        voters.opened(end);
        timer.scheduleWithFixedDelay(
                () -> servers.forEach(server -> server.ask("PUBLISH any thing")), 0, 100, TimeUnit.MILLISECONDS);
    }

    /** Waits until locks are taken on the side of the next primary: those of the former one are over by then. */
    private static void untilTakenThere(Contenders contenders) {
        await().pollDelay(Terms.COUNTS.plusSeconds(1)).until(() -> true);
        contenders.untilTaken(5, RECOVERY);
    }

    private void reunite(RedisCluster cluster, RedisServer former, Contenders contenders) throws Exception {
        cluster.ways().mend();
        TwoSides.unite(cluster);
        cluster.awaitRole(former, false);
        contenders.untilTaken(5, RECOVERY);
        contenders.assertExclusive();
    }

    /**
     * It finds all other primaries well as long as packets of them come more often than the node timeout, of whatever
     * kind, and so goes on while it does not hear of its replica.
     */
    @Test
    void primary_thatHearsTheOthers_andThatNoNodeHears_givesNoVotesWhenItsReplicaDoes() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.startLinked(MovingVoters.FILES, 3));
        RedisServer primary = owner(cluster);
        RedisServer replica = cluster.addReplica(primary);
        List<RedisServer> others = othersThan(primary, cluster);
        Contenders contenders = TwoSides.contend(voters, cluster, MEMORY);

        keepTalking(others);
        others.forEach(other -> cluster.ways().cutOneWay(primary, other));
        cluster.ways().cutOneWay(replica, primary);
        cluster.holdBack(replica, primary);
        TwoSides.divide(List.of(primary), others);
        cluster.awaitRole(replica, true);
        untilTakenThere(contenders);
        contenders.assertExclusive();
        assertThat(primary.ask("CLUSTER INFO")).contains("cluster_state:ok");
        assertThat(write(primary)).as("it goes on").startsWith("+OK");
        reunite(cluster, primary, contenders);
    }

    /** The others find it well, and it goes on for its node timeout. So an operator replaces it. */
    @Test
    void primary_thatHearsNoOther_andThatTheyHear_givesNoVotesWhenItsReplicaDoes() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.startLinked(MovingVoters.FILES, 3, LONG_NODE_TIMEOUT));
        RedisServer primary = owner(cluster);
        RedisServer replica = cluster.addReplica(primary);
        List<RedisServer> others = othersThan(primary, cluster);
        Contenders contenders = TwoSides.contend(voters, cluster, MEMORY);

        others.forEach(other -> cluster.ways().cutOneWay(other, primary));
        TwoSides.divide(List.of(primary), others);
        replica.command("CLUSTER FAILOVER FORCE");
        cluster.awaitRole(replica, true);
        untilTakenThere(contenders);
        assertThat(write(primary)).as("it goes on").startsWith("+OK");
        contenders.assertExclusive();
        reunite(cluster, primary, contenders);
    }
}
