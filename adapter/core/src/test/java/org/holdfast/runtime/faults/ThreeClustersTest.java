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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.testkit.ClusterNode;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three voters, each of which is a Redis Cluster with three primaries. Of each name no more than one of them loses its
 * vote at a time.
 */
@Tag("thorough")
@Timeout(150)
class ThreeClustersTest {

    private static final System.Logger LOG = System.getLogger(ThreeClustersTest.class.getName());

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofMillis(Integer.getInteger("clusters.memory", 4_000));

    private static final Duration TTL = ofSeconds(4);

    private static final Duration FIRST_USE = ofSeconds(40);

    /** For a shard that has become another node, on a busy machine. */
    private static final Duration RECOVERY = ofSeconds(20).plus(MEMORY);

    /** Within which locks are granted whatever one of the clusters does: some node timeouts, on a busy machine. */
    private static final Duration PAUSE = ofSeconds(4);

    /** Within which all clients have found that a node answers again. */
    private static final Duration ASKED_AGAIN = ofSeconds(2);

    /** After which a node of a cluster has failed: without a replica, all of the cluster is down then. */
    private static final Duration FAILS_OVER = ofMillis(1_500);

    private static final Duration NOTICES_NO_PAUSE = ofSeconds(15);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private List<RedisCluster> clusters;

    /** Callers contend for it on the first shard of each cluster. */
    private Contenders first;

    /** Others do so on the second one. */
    private Contenders second;

    @BeforeEach
    void startAndUse() {
        List<CompletableFuture<RedisCluster>> starting = IntStream.of(1, 0, 0) // the first one has a replica
                .mapToObj(replicas -> CompletableFuture.supplyAsync(() -> RedisCluster.start(
                        MovingVoters.FILES, 3, replicas, replicas > 0 ? FAILS_OVER : NOTICES_NO_PAUSE)))
                .toList();
        clusters =
                starting.stream().map(started -> voters.opened(started.join())).toList();
        first = contenders(nameOn(0, "first-"));
        second = contenders(nameOn(1, "second-"));
        first.untilTaken(5, FIRST_USE);
        second.untilTaken(5, FIRST_USE);
    }

    private Contenders contenders(String name) {
        Contenders contenders = voters.opened(new Contenders(name, ofSeconds(2)));
        for (int i = 0; i < 3; i++) {
            contenders.add(MovingVoters.settings(nodes(), MEMORY), ofMillis(100));
        }
        return contenders;
    }

    private String nodes() {
        return clusters.stream().map(RedisCluster::uri).collect(Collectors.joining(","));
    }

    /** Returns a name on one of the shards: all clusters have the same slots on each of theirs. */
    private String nameOn(int shard, String prefix) {
        RedisCluster cluster = clusters.get(0);
        return IntStream.range(0, 1_000)
                .mapToObj(i -> prefix + i)
                .filter(name -> cluster.owner(MovingVoters.slot(name))
                        == cluster.servers().get(shard))
                .findFirst()
                .orElseThrow();
    }

    /** A lock that is held all the time, and waited for. */
    private record Kept(Lease lease, CompletableFuture<Lease> waiter) {

        void handOn() throws Exception {
            assertThat(lease.isHeld()).as(lease.name()).isTrue();
            assertThat(waiter).isNotDone();
            lease.release();
            Lease next = waiter.get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
            assertThat(next.token()).isGreaterThan(lease.token());
            next.release();
        }
    }

    private static Kept keep(LockConnection locks, LockConnection others, String name) throws Exception {
        LockRequest request = LockRequest.of(name).ttl(TTL).waitTimeout(FIRST_USE);
        return new Kept(locks.acquire(request), others.acquireAsync(request.waitTimeout(ofSeconds(120))));
    }

    @Test
    void clusters_ofWhichOneIsPausedKilledOrReshardedAtATime_loseNoLeaseAndLeaveNothingBehind() throws Exception {
        LockConnection locks = voters.connect(nodes(), MEMORY);
        LockConnection others = voters.connect(nodes(), MEMORY);
        List<Kept> kept = List.of(keep(locks, others, nameOn(0, "kept-")), keep(locks, others, nameOn(1, "kept-")));
        List<Integer> slots = Stream.of(kept.get(1).lease().name(), nameOn(1, "second-"))
                .map(MovingVoters::slot)
                .toList();

        RedisServer paused = clusters.get(1).servers().get(1);
        long begun = System.nanoTime();
        paused.freeze();
        await().pollDelay(TTL).until(() -> true);
        report("paused", begun);
        paused.thaw();
        await().pollDelay(ASKED_AGAIN).until(() -> true);

        RedisServer killed = clusters.get(0).servers().get(0);
        RedisServer replica = clusters.get(0).servers().get(3);
        RedisServer from = clusters.get(2).servers().get(1);
        RedisServer to = clusters.get(2).servers().get(2);
        CompletableFuture<Void> promoted = reportVote("promoted", replica, nameOn(0, "first-"));
        begun = System.nanoTime();
        killed.kill();
        clusters.get(0).awaitSuccessor(killed, List.of(replica)); // until then no shard of that cluster votes
        report("killed", begun);
        await().pollDelay(ASKED_AGAIN).until(() -> true);
        CompletableFuture<Void> resharded = reportVote("resharded", to, nameOn(1, "second-"));
        begun = System.nanoTime();
        slots.forEach(slot -> clusters.get(2).move(slot, to));
        promoted.join();
        resharded.join();
        report("resharded", begun);

        for (Kept each : kept) {
            each.handOn();
        }
        first.assertExclusive();
        second.assertExclusive();
        slots.forEach(slot -> assertThat(ClusterNode.keys(slot, from)).isEmpty());
        first.close();
        second.close();
        clusters.forEach(MovingVoters::assertNothingIsKeptForEver);
    }

    private void report(String event, long begun) {
        List<Duration> pauses = List.of(first.longestPause(begun), second.longestPause(begun));
        LOG.log(System.Logger.Level.INFO, event + ": no lease for " + pauses + " at the most");
        assertThat(pauses).allMatch(pause -> pause.compareTo(PAUSE) < 0);
    }

    /** Reports after what time a node that becomes the shard of a name grants a lock. */
    private static CompletableFuture<Void> reportVote(String event, RedisServer node, String name) {
        long begun = System.nanoTime();
        return CompletableFuture.runAsync(() -> {
            MovingVoters.awaitVote(node, name, RECOVERY);
            long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
            LOG.log(System.Logger.Level.INFO, event + ": it grants a lock after " + millis + " ms");
        });
    }
}
