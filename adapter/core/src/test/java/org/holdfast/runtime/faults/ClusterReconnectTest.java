// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.holdfast.CheckReport;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client cannot reach a cluster for a moment, and nothing is wrong with its nodes. */
@Timeout(150)
class ClusterReconnectTest {

    private static final Duration MEMORY = ofSeconds(3);

    /** Until a cluster is used for the first time, on a busy machine. */
    private static final Duration FIRST_USE = ofSeconds(40);

    /** A request that waits for so long has missed no second look at the cluster. */
    private static final Duration SHORT = ofMillis(600);

    /** For the looks, one a second, that find the connections closed, and open them again. */
    private static final Duration LOOKS = ofSeconds(4);

    private static final int TIMES = 2;

    /** One at a time, these take half a minute. */
    private static final int MANY = 300;

    /** Until a node that is back is asked again, on a busy machine. */
    private static final Duration BACK = ofSeconds(15);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    /** Returns a name for each primary. */
    private static List<String> names(RedisCluster cluster) {
        return cluster.servers().stream()
                .map(server -> IntStream.iterate(0, i -> i + 1)
                        .mapToObj(i -> "name-" + i)
                        .filter(name -> cluster.owner(MovingVoters.slot(name)) == server)
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    @Test
    void connections_thatAllEndAtOnce_keepNoNewLockWaiting() throws Exception {
        voters.whileLooking(() -> {
            RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
            List<String> names = names(cluster);
            List<Link> ways = voters.ways(cluster);
            String nodes = "redis+cluster://127.0.0.1:" + ways.get(0).port();
            Map<String, String> settings = new HashMap<>(MovingVoters.settings(nodes, MEMORY));
            settings.put("nodeTimeoutMillis", "300");
            LockConnection locks =
                    voters.opened(voters.opened(Holdfast.connect(settings)).getConnection());
            for (String name : names) {
                use(locks, name, FIRST_USE);
            }
            ways.get(2).delayFirst(ofMillis(150)); // its connection is the last to be open
            for (int times = 0; times < TIMES; times++) {
                for (RedisServer server : cluster.servers()) {
                    server.command("CLIENT KILL TYPE normal");
                }
                long until = System.nanoTime() + LOOKS.toNanos();
                while (System.nanoTime() - until < 0) {
                    for (String name : names) {
                        use(locks, name, SHORT);
                    }
                }
            }
        });
    }

    /** As a cluster that starts with the client. */
    @Test
    void status_ofAClusterThatDidNotAnswerAtFirst_saysThatItVotesWhenItDoes() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0, ofSeconds(120)));
        use(voters.connect(cluster.uri(), MEMORY), "first", FIRST_USE);
        cluster.servers().forEach(RedisServer::freeze);
        LockConnectionFactory locks = voters.locks(cluster.uri(), MEMORY);
        LockConnection connection = voters.opened(locks.getConnection());
        LockRequest request = LockRequest.of("first").ttl(ofSeconds(2));
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> connection.acquire(request.waitTimeout(SHORT)));
        assertThat(locks.status().nodes().get(0).state()).isEqualTo(CheckReport.State.UNUSABLE);
        cluster.servers().forEach(RedisServer::thaw);

        use(connection, "first", FIRST_USE);
        await().atMost(ofSeconds(10))
                .untilAsserted(() -> assertThat(locks.status().nodes())
                        .extracting(CheckReport.Node::state)
                        .containsExactly(CheckReport.State.VOTES));
    }

    @Test
    void status_ofAClusterSomeOfWhoseSlotsNoNodeHas_saysThatItCannotBeUsed() throws Exception {
        RedisCluster cluster =
                voters.opened(RedisCluster.startWith(MovingVoters.FILES, 3, "--cluster-require-full-coverage", "no"));
        LockConnectionFactory locks = voters.locks(cluster.uri(), MEMORY);
        use(voters.opened(locks.getConnection()), "first", FIRST_USE);
        await().atMost(FIRST_USE).until(() -> locks.status().nodes().get(0).state() == CheckReport.State.VOTES);
        int slot = MovingVoters.slot("first");
        cluster.servers().forEach(server -> server.ask("CLUSTER DELSLOTS " + slot));
        await().atMost(ofSeconds(20))
                .untilAsserted(() ->
                        assertThat(locks.status().nodes().get(0).cause()).contains("which node has some of its slots"));
    }

    /** As after a restart of the application, or where the operator has forgotten them. */
    @Test
    void statusAndCheck_ofAClusterSomeOfWhoseSlotsHadNoNodeAtFirst_sayThatItCannotBeUsed() throws Exception {
        RedisCluster cluster =
                voters.opened(RedisCluster.startWith(MovingVoters.FILES, 3, "--cluster-require-full-coverage", "no"));
        int slot = MovingVoters.slot("first");
        cluster.servers().forEach(server -> server.ask("CLUSTER DELSLOTS " + slot));
        LockConnectionFactory locks = voters.locks(cluster.uri(), MEMORY);
        use(voters.opened(locks.getConnection()), "second", FIRST_USE);
        assertThat(locks.check().nodes().get(0).state()).isEqualTo(CheckReport.State.UNUSABLE);
        assertThat(locks.status().nodes().get(0).cause()).contains("which node has some of its slots");
    }

    /** A node that hangs is asked about one of its releases at a time, ten times a second. */
    @Test
    void release_thatAShardHasMissed_isSentAgainAtOnceWhenItIsBack_thoughAnotherShardHangsWithMany() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0, ofSeconds(120)));
        Map<String, String> settings = new HashMap<>(MovingVoters.settings(cluster.uri(), ofSeconds(10)));
        settings.putAll(Map.of("nodeTimeoutMillis", "300", "keyPrefix", "missed"));
        LockConnection locks =
                voters.opened(voters.opened(Holdfast.connect(settings)).getConnection());
        RedisServer hanging = cluster.owner(MovingVoters.slot("0"));
        RedisServer back = cluster.owner(MovingVoters.slot("last"));
        List<Lease> many = new ArrayList<>();
        for (int i = 0; many.size() < MANY; i++) {
            if (cluster.owner(MovingVoters.slot("" + i)) == hanging) {
                many.add(locks.acquire(LockRequest.of("" + i).waitTimeout(FIRST_USE)));
            }
        }
        Lease last = locks.acquire(LockRequest.of("last").waitTimeout(FIRST_USE));
        hanging.freeze();
        many.forEach(Lease::release);
        back.freeze();
        last.release();
        await().until(() -> unconfirmed() == MANY + 1); // one may be under way
        back.thaw();
        await().atMost(BACK).during(ofMillis(500)).until(() -> unconfirmed() <= MANY);
        hanging.thaw();
        await().atMost(FIRST_USE).until(() -> unconfirmed() == 0);
    }

    private static int unconfirmed() throws Exception {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName ofTest = new ObjectName("org.holdfast:type=LockService,prefix=missed,*");
        return (int)
                beans.getAttribute(beans.queryNames(ofTest, null).iterator().next(), "UnconfirmedReleases");
    }

    private static void use(LockConnection locks, String name, Duration patience) throws Exception {
        LockRequest request = LockRequest.of(name).ttl(ofSeconds(2)).waitTimeout(patience);
        assertThat(locks.acquire(request).release()).isNotNull();
    }
}
