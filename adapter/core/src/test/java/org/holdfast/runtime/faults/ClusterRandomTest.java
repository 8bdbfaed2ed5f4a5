// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.stream.Collectors.joining;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.holdfast.redis.cluster.Slot;
import org.holdfast.testkit.ClusterNode;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A voter that is a Redis Cluster to which one thing after another is done at random, while callers contend for a lock,
 * each with a lock service of its own. Callers end and start meanwhile, and slots are moved in which nodes keep what
 * they know of themselves.
 */
@Tag("thorough")
class ClusterRandomTest {

    private static final System.Logger LOG = System.getLogger(ClusterRandomTest.class.getName());

    private static final Duration MEMORY = ofSeconds(3);
    private static final Duration FIRST_USE = ofSeconds(40);
    private static final Duration RECOVERY = ofSeconds(90);
    private static final int PRIMARIES = 3;

    /** Looks are a second apart: what is undone sooner is excluded in writing. */
    private static final int LOOKS_MILLIS = 2_000;

    private final int lockSlot = MovingVoters.slot(Contenders.NAME);
    private final long seed = Long.getLong("cluster.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** What was done, and at which millisecond of the test. */
    private final List<String> story = new ArrayList<>();

    private final long begun = System.nanoTime();

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private RedisCluster cluster;

    /** An operator mends links, and gives up the moves that the cluster refused to end, before leases are expected. */
    @Test
    @Timeout(600)
    void cluster_toWhichAnythingIsDone_neverHasTwoHolders() throws Exception {
        cluster = voters.opened(RedisCluster.startLinked(MovingVoters.FILES, PRIMARIES));
        for (RedisServer primary : List.copyOf(cluster.servers())) {
            cluster.addReplica(primary);
        }
        Contenders contenders = voters.opened(new Contenders(ofSeconds(2)));
        for (int i = 0; i < 6; i++) {
            contenders.add(MovingVoters.settings(cluster.uri(), MEMORY), holding(i));
        }
        contenders.untilTaken(3, FIRST_USE);
        long end = System.nanoTime()
                + ofSeconds(Integer.getInteger("cluster.seconds", 60)).toNanos();
        while (System.nanoTime() - end < 0) {
            int times = 1 + random.nextInt(3); // the next one may come before the last one is over
            for (int i = 0; i < times; i++) {
                act(random.nextInt(12), contenders);
                pause(random.nextInt(3_000));
            }
            cluster.ways().mend();
            cluster.servers().stream().filter(RedisServer::isAlive).forEach(ClusterNode::abandonMoves);
            check(contenders);
        }
        LOG.log(System.Logger.Level.INFO, "seed " + seed + ": " + contenders.acquisitions() + " leases");
    }

    private void check(Contenders contenders) {
        try {
            contenders.untilTaken(1, RECOVERY);
            contenders.assertExclusive();
        } catch (AssertionError e) {
            String views = cluster.servers().stream()
                    .filter(RedisServer::isAlive)
                    .map(server -> "\n" + server.port() + ":\n" + server.ask("CLUSTER NODES"))
                    .collect(joining());
            throw new AssertionError("seed " + seed + ", slot " + lockSlot + ": " + story + views, e);
        }
    }

    private static Duration holding(int caller) {
        return caller % 2 == 0 ? ofMillis(100) : ofSeconds(3);
    }

    private void act(int action, Contenders contenders) throws Exception {
        story.add(action + " at " + Duration.ofNanos(System.nanoTime() - begun).toMillis());
        try {
            int slot = random.nextInt(3) == 0 ? homeSlot(cluster.owner(lockSlot)) : lockSlot;
            RedisServer owner = cluster.owner(slot);
            switch (action) {
                case 0 -> cluster.move(slot, otherThan(owner));
                case 1 -> move(slot, owner, false, true);
                case 2 -> move(slot, owner, true, false);
                case 3 -> move(slot, owner, true, true);
                case 4 -> freeze(owner);
                case 5 -> kill(owner);
                case 6 -> failOver();
                case 7 -> owner.command("FLUSHALL");
                case 8 -> owner.command("CLUSTER BUMPEPOCH");
                case 9 -> cluster.ways().cut(any(), any());
                default ->
                    contenders.replaceOne(MovingVoters.settings(cluster.uri(), MEMORY), holding(random.nextInt(2)));
            }
        } catch (IllegalStateException e) { // the cluster refuses that now
            story.add(e.getMessage());
        }
    }

    /** Returns the slot in which a node keeps what it knows of itself, or one in which it did. */
    private static int homeSlot(RedisServer node) {
        return node.ask("KEYS holdfast:{*}:birth")
                .lines()
                .filter(line -> line.startsWith("holdfast"))
                .findFirst()
                .map(Slot::of)
                .orElseThrow(() -> new IllegalStateException("no mark"));
    }

    private RedisServer any() {
        List<RedisServer> running =
                cluster.servers().stream().filter(RedisServer::isAlive).toList();
        return running.get(random.nextInt(running.size()));
    }

    private RedisServer otherThan(RedisServer owner) {
        List<RedisServer> others = cluster.servers().stream()
                .filter(server -> server != owner && server.isAlive() && ClusterNode.isPrimary(server))
                .toList();
        return others.get(random.nextInt(others.size()));
    }

    /** Moves a slot with some of its keys, or with none, and ends that or gives it up. */
    private void move(int slot, RedisServer from, boolean some, boolean ends) throws Exception {
        RedisServer to = otherThan(from);
        cluster.beginMove(slot, from, to);
        pause(LOOKS_MILLIS);
        cluster.moveKeys(slot, from, to, key -> some && random.nextBoolean());
        pause(random.nextInt(LOOKS_MILLIS));
        if (ends) {
            cluster.endMove(slot, to);
        } else {
            cluster.abandonMove(slot, from, to);
        }
    }

    private void freeze(RedisServer owner) throws Exception {
        owner.freeze();
        pause(random.nextInt(5_000));
        owner.thaw();
    }

    private void kill(RedisServer owner) throws Exception {
        owner.kill();
        pause(random.nextInt(5_000));
        owner.start();
    }

    private void failOver() throws Exception {
        List<RedisServer> replicas = IntStream.range(0, cluster.servers().size())
                .mapToObj(cluster.servers()::get)
                .filter(server -> server.isAlive() && !ClusterNode.isPrimary(server))
                .toList();
        String[] ways = {"", " FORCE", " TAKEOVER"};
        if (!replicas.isEmpty()) {
            replicas.get(random.nextInt(replicas.size()))
                    .command("CLUSTER FAILOVER" + ways[random.nextInt(ways.length)]);
        }
    }

    private static void pause(int millis) throws InterruptedException {
        Thread.sleep(millis);
    }
}
