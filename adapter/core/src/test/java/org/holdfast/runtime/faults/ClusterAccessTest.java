// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.testkit.Certificates;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** How the nodes of a Redis Cluster are entered, at which addresses, and what wrong addresses are told. */
@Tag("thorough")
@Timeout(120)
class ClusterAccessTest {

    private static final Duration MEMORY = ofSeconds(3);
    private static final Duration FIRST_USE = ofSeconds(30);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private void use(Map<String, String> settings) throws Exception {
        LockConnectionFactory locks = voters.opened(Holdfast.connect(settings));
        try (LockConnection connection = locks.getConnection()) {
            for (String name : List.of("a", "b", "c", "d")) { // on all shards
                LockRequest request = LockRequest.of(name).ttl(MEMORY).waitTimeout(FIRST_USE);
                try (Lease lease = connection.acquire(request)) {
                    await().atMost(MEMORY).until(lease::renew); // no answer in time, on a busy machine, is none
                }
                connection.acquire(request.fair(true)).release();
                connection.acquire(request.mode(LockMode.READ)).release();
            }
        }
    }

    /** Waits, in a process of its own, until a node has a subscriber for the lock's releases, and releases it then. */
    private void listen(RedisCluster cluster, String nodes) throws Exception {
        LockRequest request = LockRequest.of("heard").ttl(MEMORY).waitTimeout(FIRST_USE);
        Lease held = voters.connect(nodes, MEMORY).acquire(request);
        CompletableFuture<Lease> waiter = voters.connect(nodes, MEMORY).acquireAsync(request);
        RedisServer owner = cluster.owner(MovingVoters.slot("heard"));
        String channels = isOlderThanVersion7(owner) ? "PUBSUB CHANNELS" : "PUBSUB SHARDCHANNELS";
        await().atMost(FIRST_USE).until(() -> owner.ask(channels).contains("{heard}"));
        held.release();
        waiter.get(FIRST_USE.toSeconds(), TimeUnit.SECONDS).release();
    }

    private void assertReported(String nodes, String... parts) {
        LockConnectionFactory locks = voters.locks(nodes, MEMORY);
        await().atMost(ofSeconds(20))
                .untilAsserted(() -> assertThat(locks.check().toString()).contains(parts));
    }

    private static String documentedUser() throws Exception {
        return Files.readAllLines(Path.of("..", "..", "docs", "operations.md")).stream()
                .filter(line -> line.startsWith("ACL SETUSER holdfast "))
                .findFirst()
                .orElseThrow();
    }

    /** The words of the line for clusters of a version: that of Redis 6 is the first. */
    private static String documentedRightsInCluster(boolean older) throws Exception {
        String begin = "ACL SETUSER holdfast +cluster|nodes";
        return Files.readAllLines(Path.of("..", "..", "docs", "operations.md")).stream()
                .filter(line -> line.startsWith(begin) && line.contains("+spublish") != older)
                .findFirst()
                .orElseThrow()
                .substring("ACL SETUSER holdfast".length());
    }

    private boolean isOlderThanVersion7() {
        return isOlderThanVersion7(voters.opened(RedisServer.start(MovingVoters.FILES)));
    }

    private static boolean isOlderThanVersion7(RedisServer server) {
        return server.ask("INFO server").contains("redis_version:6.");
    }

    @Test
    void user_withTheRightsOfTheDocumentation_isEnough() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        boolean channels = !cluster.servers().get(0).command("INFO server").contains("redis_version:6.0");
        String rights = channels ? documentedUser() : documentedUser().replaceAll("resetchannels &\\S+ ", "");
        String inCluster =
                documentedRightsInCluster(isOlderThanVersion7(cluster.servers().get(0)));
        for (RedisServer server : cluster.servers()) {
            assertThat(server.command(rights + inCluster)).startsWith("+OK");
            assertThat(server.command(rights.replace("holdfast on", "blind on")))
                    .startsWith("+OK");
        }
        use(MovingVoters.settings(cluster.uri("holdfast:secret@"), MEMORY));
        listen(cluster, cluster.uri("holdfast:secret@"));
        for (RedisServer server : cluster.servers()) {
            assertThat(server.ask("ACL LOG")).as("refused").doesNotContain("username");
        }
        assertReported(cluster.uri("blind:secret@"), "NOPERM", "cluster");
        assertReported(cluster.uri("holdfast:wrong@"), "WRONGPASS");
    }

    @Test
    void nodes_thatAreEncrypted_areEnteredByTls(@TempDir Path directory) throws Exception {
        Certificates authority = Certificates.in(directory);
        authority.writePem(authority.issue("node", "ip:127.0.0.1"), "node", directory);
        RedisCluster cluster = voters.opened(RedisCluster.startWith(
                MovingVoters.FILES,
                3,
                Map.of(
                                "tls-cluster",
                                "yes",
                                "tls-replication",
                                "yes",
                                "tls-auth-clients",
                                "no",
                                "tls-cert-file",
                                directory.resolve("cert.pem").toString(),
                                "tls-key-file",
                                directory.resolve("key.pem").toString(),
                                "tls-ca-cert-file",
                                directory.resolve("ca.pem").toString())
                        .entrySet()
                        .stream()
                        .flatMap(option -> Stream.of("--" + option.getKey(), option.getValue()))
                        .toArray(String[]::new)));
        Map<String, String> settings = new HashMap<>(MovingVoters.settings(cluster.uri(), MEMORY));
        settings.put("nodeTimeoutMillis", "900");
        settings.put("trustStore", authority.trustStore().toString());
        settings.put("trustStorePassword", Certificates.PASSWORD);
        use(settings);
        assertReported(cluster.uri(), "its certificate is not trusted");
    }

    @Test
    void nodes_thatAnnounceHostNames_areAskedByThese() throws Exception {
        assumeTrue(!isOlderThanVersion7(), "nodes of a cluster have no host names before Redis 7.0");
        use(MovingVoters.settings(named("localhost").uri(), MEMORY));
        assertReported(named("no-such-host.invalid").uri(), "no-such-host.invalid");
    }

    private RedisCluster named(String host) {
        return voters.opened(RedisCluster.startWith(
                MovingVoters.FILES,
                3,
                "--cluster-announce-hostname",
                host,
                "--cluster-preferred-endpoint-type",
                "hostname"));
    }

    @Test
    void nodes_withAnAddressOfVersion6_areAsked() throws Exception {
        assumeTrue(Version6Test.hasVersion6(), "this machine has no IPv6");
        RedisCluster cluster = voters.opened(RedisCluster.startWith(
                MovingVoters.FILES, 3, "--bind", "127.0.0.1", "::1", "--cluster-announce-ip", "::1"));
        String seeds = cluster.servers().stream()
                .map(server -> "[::1]:" + server.port())
                .collect(Collectors.joining(",", "redis+cluster://", ""));
        use(MovingVoters.settings(seeds, MEMORY));
    }

    /** As behind a translation of addresses, or the port of a container. */
    @Test
    void nodes_thatAnnounceOtherPortsThanTheirs_areAskedThere() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        List<Link> links = voters.ways(cluster);
        String nodes = "redis+cluster://127.0.0.1:" + links.get(1).port();
        use(MovingVoters.settings(nodes, MEMORY));
        links.get(0).cut();
        links.get(2).cut();
        assertReported(nodes, "127.0.0.1:" + links.get(0).port() + ": no answer in time");
    }

    /** A client has learned from the other two which slots it has, and asks all of them but once a second. */
    @Test
    void node_thatAnswersAfterTheOthers_votesAtOnce() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        List<Link> links = voters.ways(cluster);
        int late = cluster.servers().indexOf(cluster.owner(MovingVoters.slot("late")));
        String seed = "redis+cluster://127.0.0.1:" + links.get((late + 1) % 3).port();
        Map<String, String> settings = new HashMap<>(MovingVoters.settings(seed, MEMORY));
        settings.put("nodeTimeoutMillis", "900");
        use(settings);
        await().atMost(FIRST_USE).ignoreExceptions().until(() -> isGrantedAtOnce(settings, "late"));
        links.get(late).delayFirst(ofMillis(150));
        assertThat(isGrantedAtOnce(settings, "late")).isTrue();
    }

    private static boolean isGrantedAtOnce(Map<String, String> settings, String name) throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnection connection = locks.getConnection()) {
            return connection.tryAcquire(name).isPresent();
        }
    }

    @Test
    void addresses_thatAreOfAnotherKind_areExplained() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisServer single = voters.opened(RedisServer.start(MovingVoters.FILES));
        String host = "127.0.0.1:" + single.port();
        assertReported("redis+cluster://" + host, host + ": ", "cluster support disabled", "redis://host:port");
        assertReported(
                cluster.servers().get(0).uri(), "it is part of a Redis Cluster", "redis+cluster://host,host,...");
        assertReported(cluster.uri().replace("redis+", "rediss+"), "there is no TLS with it");
        assertReported(cluster.uri() + "," + host, "it is asked in"); // a majority has answered
        RedisServer alone = voters.opened(RedisServer.start(
                MovingVoters.FILES, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf"));
        assertReported(
                "redis+cluster://127.0.0.1:" + alone.port(),
                "which node has the slot",
                "knows 0 primaries that have slots");
    }
}
