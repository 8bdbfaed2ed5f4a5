// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.ClusterNode;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What operators do to a Redis Cluster that is a voter, and should not, on real processes. */
@Tag("thorough")
@Timeout(150)
class ClusterOperatorTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    /** For a lock that is kept longer than a slot takes to settle. */
    private static final Duration LONG_MEMORY = ofSeconds(18);

    private static final Duration RECOVERY = ofSeconds(40);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private static void use(LockConnection locks, String name) throws Exception {
        try (Lease lease = locks.acquire(LockRequest.of(name).ttl(ofSeconds(2)).waitTimeout(RECOVERY))) {
            lease.requireHeld();
        }
    }

    private static String nameOn(RedisCluster cluster, RedisServer server) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "name-" + i)
                .filter(name -> cluster.owner(MovingVoters.slot(name)) == server)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void primary_thatStartsWithoutItsFiles_takesNoVoteButItsOwn() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer lost = cluster.servers().get(2);
        String itsName = nameOn(cluster, lost);
        String other = nameOn(cluster, cluster.servers().get(0));
        LockConnection locks = voters.connect(cluster.uri(), MEMORY);
        use(locks, itsName);
        use(locks, other);
        lost.kill();
        lost.loseFiles();
        lost.start();
        cluster.awaitForgottenAddress(lost);
        await().pollDelay(ofSeconds(6)).until(() -> true); // no answer of before counts any more
        use(locks, other);
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> locks.acquire(LockRequest.of(itsName).waitTimeout(Duration.ZERO)));
    }

    @Test
    void slot_thatGoesAndComesBackWhileNoClientLooks_grantsNothingThatIsKept() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        int slot = MovingVoters.slot("kept");
        RedisServer from = cluster.owner(slot);
        RedisServer to = cluster.servers().stream()
                .filter(server -> server != from)
                .findFirst()
                .orElseThrow();
        long until;
        try (LockConnectionFactory locks = voters.locks(cluster.uri(), LONG_MEMORY);
                LockConnection connection = locks.getConnection()) {
            use(connection, "kept");
            connection
                    .acquire(LockRequest.of("kept").atLeast(ofSeconds(16)).waitTimeout(RECOVERY))
                    .release();
            until = System.nanoTime() + ofSeconds(16).toNanos();
        }
        cluster.beginMove(slot, from, to);
        cluster.endMove(slot, to); // without its keys
        cluster.beginMove(slot, to, from);
        cluster.endMove(slot, from);
        LockConnection next = voters.connect(cluster.uri(), LONG_MEMORY);
        next.acquire(LockRequest.of("kept").waitTimeout(RECOVERY.multipliedBy(2)))
                .release();
        assertThat(System.nanoTime() - until).as("nanoseconds after its end").isPositive();
    }

    @Test
    void host_thatHangs_keepsNoClientFromStarting() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        ServerSocket hangs = voters.opened(new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1")));
        String nodes = "redis+cluster://127.0.0.1:" + hangs.getLocalPort() + ",127.0.0.1:"
                + cluster.servers().get(0).port();
        use(voters.connect(nodes, MEMORY), "started");
    }

    @Test
    void hosts_ofTwoClusters_areNoVoter() throws Exception {
        RedisCluster one = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisCluster other = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        String nodes = one.uri() + "," + other.uri().substring("redis+cluster://".length());
        LockConnection locks = voters.connect(nodes, MEMORY);
        await().atMost(ofSeconds(15)).untilAsserted(() -> assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> locks.acquire(LockRequest.of("mixed").waitTimeout(ofMillis(500)))
                        .release())
                .withMessageContaining("belong to different clusters"));
    }

    /**
     * Of two nodes with the same slots one remains. It has had them all the time, as its record says: the clients of
     * the other one have heard something else.
     */
    @Test
    void clusters_thatAreMergedWhileTheyAreUsed_grantNothingThatIsHeld() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisCluster stranger = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer lost = cluster.servers().get(0);
        RedisServer remains = stranger.servers().get(0);
        remains.command("CLUSTER BUMPEPOCH"); // else it would take a larger epoch by itself, and forget its record
        String name = nameOn(cluster, lost);
        LockConnection locks = voters.connect(cluster.uri(), LONG_MEMORY);
        LockConnection others = voters.connect(cluster.uri(), LONG_MEMORY);
        LockRequest request = LockRequest.of(name).ttl(ofSeconds(5)).waitTimeout(RECOVERY);
        voters.connect(stranger.uri(), LONG_MEMORY).acquire(request).release();
        others.acquire(request).release();
        Lease held = locks.acquire(request.fixedTtl(LONG_MEMORY));

        lost.command("CLUSTER MEET 127.0.0.1 " + remains.port());
        while (held.isHeld()) {
            boolean granted = isGranted(others, name);
            assertThat(granted && held.isHeld()).as("two holders").isFalse();
        }
        assertThat(lost.ask("GET holdfast:{" + name + "}:lock"))
                .as("it has lost its slots")
                .startsWith("-MOVED");
    }

    private static boolean isGranted(LockConnection locks, String name) throws Exception {
        try {
            return locks.tryAcquire(LockRequest.of(name).ttl(ofSeconds(2)).waitTimeout(Duration.ZERO))
                    .isPresent();
        } catch (QuorumUnavailableException e) {
            return false;
        }
    }

    /** A replica is promoted by votes of which one voter never learns what came, and the primary goes on. */
    @Test
    void primary_cutOffFromAReplicaThatIsForcedInItsPlace_hasTheVoteOrTheReplicaHasIt() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.startLinked(MovingVoters.FILES, 3));
        RedisServer primary = cluster.owner(MovingVoters.slot(Contenders.NAME));
        List<RedisServer> others =
                cluster.servers().stream().filter(server -> server != primary).toList();
        RedisServer replica = cluster.addReplica(primary);
        Contenders contenders = TwoSides.contend(voters, cluster, MEMORY);

        RedisServer voter = others.get(0);
        RedisServer witness = others.get(1);
        cluster.ways().cut(primary, replica);
        cluster.ways().cut(primary, witness);
        cluster.ways().cutAfterVote(replica, voter);
        replica.command("CLUSTER FAILOVER FORCE");
        cluster.awaitRole(replica, true);
        TwoSides.divide(List.of(primary, voter), List.of(replica, witness));
        await().pollDelay(ofSeconds(30)).atMost(ofSeconds(31)).until(() -> true);
        assertThat(ClusterNode.isPrimary(primary)).as("both are primaries").isTrue();
        contenders.assertExclusive();
        cluster.ways().mend();
    }

    /** Clients hear it all the time. It names itself, and knows no primary that comes after it was forgotten. */
    @Test
    void primary_thatIsCutOffAndForgotten_takesNoVoteOfOthers_alsoWhenANewOneComes() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.startLinked(MovingVoters.FILES, 3));
        RedisServer lost = cluster.servers().get(2);
        RedisServer replica = cluster.addReplica(lost);
        List<RedisServer> others =
                cluster.servers().stream().filter(server -> server != lost).toList();
        LockConnection locks = voters.connect(cluster.uri(), MEMORY);
        use(locks, nameOn(cluster, cluster.servers().get(0)));
        others.forEach(other -> cluster.ways().cut(lost, other));
        cluster.awaitSuccessor(lost, List.of(replica));
        String id = ClusterNode.id(lost);
        for (RedisServer other : others) { // the replica is one of them
            assertThat(other.command("CLUSTER FORGET " + id)).startsWith("+OK");
        }

        cluster.servers().remove(lost);
        RedisServer added = cluster.addPrimary();
        cluster.move(100, added);
        await().pollDelay(ofSeconds(6)).until(() -> true);
        use(locks, nameOn(cluster, cluster.servers().get(0)));
        assertThat(ClusterNode.isPrimary(lost)).as("it goes on").isTrue();
    }

    @Test
    void primary_cutOffWithClientsOnItsSide_givesNoVotesWhenTheOtherSideDoes() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.startLinked(MovingVoters.FILES, 3));
        RedisServer primary = cluster.owner(MovingVoters.slot(Contenders.NAME));
        RedisServer replica = cluster.addReplica(primary);
        List<RedisServer> others =
                cluster.servers().stream().filter(server -> server != primary).toList();
        Contenders contenders = TwoSides.contend(voters, cluster, MEMORY);

        others.forEach(server -> cluster.ways().cut(primary, server));
        TwoSides.divide(List.of(primary), others);
        cluster.awaitRole(replica, true);
        contenders.untilTaken(5, RECOVERY);
        contenders.assertExclusive();

        cluster.ways().mend();
        TwoSides.unite(cluster);
        cluster.awaitRole(primary, false);
        contenders.untilTaken(5, RECOVERY);
        contenders.assertExclusive();
    }
}
