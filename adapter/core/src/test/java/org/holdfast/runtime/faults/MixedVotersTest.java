// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.CheckReport;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.holdfast.testkit.SentinelGroup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Voters of one service that are of different kinds: a primary behind Sentinels, a Redis Cluster, single nodes. */
@Tag("thorough")
@Timeout(500)
class MixedVotersTest {

    private static final System.Logger LOG = System.getLogger(MixedVotersTest.class.getName());

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(6);

    /** Of locks that are held while a voter moves. */
    private static final Duration TTL = ofSeconds(6);

    private static final Duration FIRST_USE = ofSeconds(100);

    /** For a failover, for clients to learn of it, and for the quarantine, on a busy machine. */
    private static final Duration RECOVERY = ofSeconds(100);

    /** Within which locks are granted whatever one of the voters does: some node timeouts, on a busy machine. */
    private static final Duration PAUSE = ofSeconds(5);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private SentinelGroup group;
    private RedisCluster cluster;
    private String nodes;
    private Contenders contenders;
    private LockConnectionFactory locks;
    private Lease held;
    private CompletableFuture<Lease> waiter;

    /** @param singles how many voters there are beside the Sentinels' and the cluster */
    private void start(int singles, int replicas) throws Exception {
        group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1));
        cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, replicas));
        RedisServers others = voters.opened(RedisServers.start(singles, MovingVoters.FILES));
        nodes = String.join(",", group.uri(), cluster.uri(), others.uris());
        locks = voters.locks(nodes, MEMORY);
        await().atMost(FIRST_USE).until(() -> allVote());
        contenders = voters.opened(new Contenders(ofSeconds(3)));
        for (int i = 0; i < 3; i++) {
            contenders.add(MovingVoters.settings(nodes, MEMORY), ofMillis(100));
        }
        contenders.untilTaken(10, FIRST_USE);
        MovingVoters.awaitVote(group.servers().get(0), Contenders.NAME, FIRST_USE); // for callers that began later
        MovingVoters.awaitVote(cluster.owner(MovingVoters.slot(Contenders.NAME)), Contenders.NAME, FIRST_USE);
        LockConnection connection = voters.opened(locks.getConnection());
        LockRequest request = LockRequest.of("kept").ttl(TTL).waitTimeout(FIRST_USE);
        held = connection.acquire(request);
        waiter = voters.connect(nodes, MEMORY).acquireAsync(request.waitTimeout(ofSeconds(400)));
    }

    /** Returns whether no voter is in quarantine, or down. */
    private boolean allVote() {
        return locks.check().nodes().stream().allMatch(node -> node.state() == CheckReport.State.VOTES);
    }

    private void assertUnharmed(String event, long begun) {
        Duration pause = contenders.longestPause(begun);
        LOG.log(System.Logger.Level.INFO, event + ": no lease for " + pause.toMillis() + " ms at the most");
        assertThat(pause).isLessThan(PAUSE);
        assertThat(held.isHeld()).isTrue();
        assertThat(waiter).isNotDone();
        contenders.assertExclusive();
    }

    private void handOn() throws Exception {
        held.release();
        Lease next = waiter.get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(held.token());
        next.release();
    }

    @Test
    void sentinelsClusterAndSingleNode_ofWhichOneFailsOverAtATime_loseNoLeaseAndGoOn() throws Exception {
        start(1, 3);

        long begun = System.nanoTime();
        RedisServer primary = group.servers().get(0);
        primary.kill();
        group.awaitOtherThan(primary.port());
        await().atMost(RECOVERY).until(this::allVote);
        assertUnharmed("the primary behind Sentinels", begun);

        begun = System.nanoTime();
        RedisServer shard = cluster.owner(MovingVoters.slot(Contenders.NAME));
        RedisServer replica = cluster.servers().get(cluster.servers().indexOf(shard) + 3);
        shard.kill();
        cluster.awaitSuccessor(shard, List.of(replica));
        contenders.untilTaken(10, RECOVERY);
        MovingVoters.awaitVote(replica, Contenders.NAME, RECOVERY);
        assertUnharmed("the shard of the cluster", begun);
        handOn();
    }

    @Test
    void fiveVoters_ofWhichOneMoves_loseNoLeaseAndGoOn() throws Exception {
        start(3, 0);
        int slot = MovingVoters.slot(Contenders.NAME);
        RedisServer from = cluster.owner(slot);
        RedisServer to = cluster.servers().stream()
                .filter(server -> server != from)
                .findFirst()
                .orElseThrow();
        long begun = System.nanoTime();
        cluster.move(slot, to);
        cluster.move(MovingVoters.slot("kept"), cluster.owner(MovingVoters.slot("kept")) == to ? from : to);
        contenders.untilTaken(10, RECOVERY);
        MovingVoters.awaitVote(to, Contenders.NAME, RECOVERY);
        assertUnharmed("the slot of the cluster", begun);

        begun = System.nanoTime();
        RedisServer primary = group.servers().get(0);
        primary.kill();
        group.awaitOtherThan(primary.port());
        await().atMost(RECOVERY).until(this::allVote);
        assertUnharmed("the primary behind Sentinels", begun);
        handOn();
    }
}
