// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.protocol.term.Terms;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.SentinelGroup;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Names of Sentinels, and of nodes of a cluster, that come to lead elsewhere, as when containers get other addresses.
 * The client is a process of its own, whose name server is a file.
 */
@Tag("thorough")
@Timeout(240)
class NamesThatMoveTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    /** For a first use or a quarantine, and for a JVM that starts, on a busy machine. */
    private static final Duration PATIENCE = ofSeconds(60);

    /** What clients have heard before counts no more. */
    private static final Duration FORGOTTEN = Terms.COUNTS.plusSeconds(1);

    /** A client that uses a cluster as if for the first time takes locks by then. */
    private static final Duration LEARNED_ANEW = FORGOTTEN.plus(MEMORY.multipliedBy(4));

    private static final int NAMES = 3;

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    @TempDir
    Path directory;

    private final int[] ports =
            IntStream.range(0, NAMES).map(i -> FreePort.find()).toArray();

    /** By name. */
    private final Map<String, String> addresses = new HashMap<>();

    private final Map<String, Link> links = new HashMap<>();
    private int lastAddress = 1;
    private volatile String said = "";
    private final AtomicInteger grants = new AtomicInteger();

    @BeforeEach
    void requireAddresses() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"))) {
            assumeTrue(socket.isBound());
        } catch (IOException e) {
            assumeTrue(false, "this machine has one loopback address");
        }
    }

    private static String name(int index) {
        return "n" + index + ".example";
    }

    private String hosts() {
        return IntStream.range(0, NAMES).mapToObj(i -> name(i) + ":" + ports[i]).collect(Collectors.joining(","));
    }

    /** Has each name lead to another address, at which one of these servers answers; nothing answers at the former. */
    private void lead(List<RedisServer> servers) throws IOException {
        lastAddress++;
        for (int i = 0; i < NAMES; i++) {
            Link former = links.remove(name(i));
            if (former != null) {
                former.close();
            }
            String address = "127.0.0." + lastAddress;
            addresses.put(name(i), address);
            if (i < servers.size()) {
                links.put(
                        name(i),
                        voters.opened(new Link(address, ports[i], servers.get(i).port())));
            }
        }
        Path next = directory.resolve("next");
        Files.write(
                next,
                addresses.entrySet().stream()
                        .map(entry -> entry.getValue() + " " + entry.getKey())
                        .toList());
        Files.move(next, directory.resolve("hosts"), StandardCopyOption.ATOMIC_MOVE);
    }

    private void startClient(String nodes) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djdk.net.hosts.file=" + directory.resolve("hosts"),
                        "-Dsun.net.inetaddr.ttl=0",
                        "-Dsun.net.inetaddr.negative.ttl=0",
                        "-cp",
                        System.getProperty("java.class.path"),
                        NamedNodesClient.class.getName(),
                        nodes,
                        Long.toString(MEMORY.toMillis()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        voters.opened(() -> process.destroyForcibly().waitFor());
        Thread reader = new Thread(() -> read(process), "reader");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(Process process) {
        try {
            process.inputReader().lines().forEach(line -> {
                grants.addAndGet(line.startsWith(NamedNodesClient.GRANTED) ? 1 : 0);
                said = line;
            });
        } catch (UncheckedIOException e) {
            said = "over";
        }
    }

    private void awaitAnswer(String what, Predicate<String> wanted) {
        said = "";
        await(what).atMost(PATIENCE).until(() -> said, wanted);
    }

    private void awaitGranted() {
        awaitAnswer("it is granted", line -> line.startsWith(NamedNodesClient.GRANTED));
    }

    private void awaitRefused(String reason) {
        awaitAnswer(
                "it is refused: " + reason, line -> line.startsWith(NamedNodesClient.REFUSED) && line.contains(reason));
    }

    private static void forget() {
        await().pollDelay(FORGOTTEN).atMost(PATIENCE).until(() -> true);
    }

    @Test
    void namesOfSentinels_thatComeToLeadElsewhere_areFollowedAndTwoForOneSentinelAreOneVoice() throws Exception {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 0));
        List<RedisServer> sentinels = group.sentinels();
        lead(sentinels);
        startClient("redis+sentinel://" + hosts() + "/" + SentinelGroup.NAME);
        awaitGranted();

        lead(sentinels);
        forget();
        awaitGranted();

        lead(List.of(sentinels.get(0), sentinels.get(0)));
        awaitRefused("2 must name the same primary");

        lead(List.of(sentinels.get(1), sentinels.get(0)));
        awaitGranted();
    }

    /** Others may watch another primary of the same name, as those of a test system do. */
    @Test
    void namesOfSentinels_thatComeToLeadToThoseOfAnotherPrimary_areNotFollowed() throws Exception {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 0));
        SentinelGroup other = voters.opened(SentinelGroup.start(MovingVoters.FILES, 0));
        lead(group.sentinels());
        startClient("redis+sentinel://" + hosts() + "/" + SentinelGroup.NAME);
        awaitGranted();

        lead(other.sentinels());
        awaitRefused("they watch another one");
        assertNoneGrantedAnew();

        lead(group.sentinels());
        awaitGranted();
    }

    @Test
    void sentinelsThatWereAllMadeAnew_areHeard_asTheyWatchTheSameProcess() throws Exception {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 0));
        lead(group.sentinels());
        startClient("redis+sentinel://" + hosts() + "/" + SentinelGroup.NAME);
        awaitGranted();

        lead(group.replaceSentinels(MovingVoters.FILES));
        forget();
        awaitGranted();
    }

    private void assertNoneGrantedAnew() {
        int granted = grants.get();
        await().pollDelay(LEARNED_ANEW).atMost(PATIENCE).until(() -> true);
        assertThat(grants).as("grants by others").hasValue(granted);
    }

    /** The client asks nodes by the addresses that they announce, and by their names when too few of them answer. */
    @Test
    void namesOfNodesOfACluster_thatComeToLeadElsewhere_areFollowed() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        requireAnnouncedPorts(cluster);
        List<Link> announced = announce(cluster);
        lead(cluster.servers());
        startClient("redis+cluster://" + hosts());
        awaitGranted();

        lead(List.of());
        announced.forEach(Link::close);
        announce(cluster);
        awaitAnswer("it is refused", line -> line.startsWith(NamedNodesClient.REFUSED));
        lead(cluster.servers());
        awaitGranted();
    }

    /** Clients that go there would not exclude those that have stayed. */
    @Test
    void namesOfNodesOfACluster_thatComeToLeadToAnotherOne_areNotFollowed() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisCluster other = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        requireAnnouncedPorts(cluster);
        List<Link> announced = announce(cluster);
        lead(cluster.servers());
        startClient("redis+cluster://" + hosts());
        awaitGranted();

        lead(other.servers());
        forget();
        awaitGranted();
        announced.forEach(Link::close);
        awaitRefused("another cluster");
        assertNoneGrantedAnew();

        lead(cluster.servers());
        announce(cluster);
        awaitGranted();
    }

    /** Connections of that time stay open: those for locks, for questions, and those on which releases are heard. */
    @Test
    void addressesOfNodes_thatLeadToThoseOfAnotherClusterForAMoment_giveItNoVote() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        RedisCluster other = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        requireAnnouncedPorts(cluster);
        LockRequest sameSlot = LockRequest.of("{named}other").waitTimeout(PATIENCE);
        LockConnection others = voters.connect(other.uri(), MEMORY);
        others.acquire(sameSlot).release();
        List<Link> announced = announce(cluster);
        String nodes = announced.stream()
                .map(way -> "127.0.0.1:" + way.port())
                .collect(Collectors.joining(",", "redis+cluster://", ""));
        startClient(nodes);
        awaitGranted();
        LockConnectionFactory locks = voters.locks(nodes, MEMORY);
        LockConnection holder = voters.opened(locks.getConnection());
        LockConnection waiter = voters.opened(locks.getConnection());
        holder.acquire(sameSlot);
        CompletableFuture<Lease> waiting = waiter.acquireAsync(sameSlot).toCompletableFuture();

        lead(announced, other, true);
        await().pollDelay(ofMillis(1_200)).until(() -> true);
        others.acquire(sameSlot).release();
        lead(announced, other, false);
        endSubscriptions(cluster);
        await().pollDelay(ofMillis(1_200)).until(() -> true);
        lead(announced, cluster, false);
        forget();
        awaitGranted();
        others.acquire(sameSlot.waitTimeout(MEMORY)).release();
        for (RedisServer server : other.servers()) {
            assertThat(server.ask("KEYS *{named}:*"))
                    .as("what it keeps of the lock")
                    .doesNotContain("named");
            assertThat(server.ask("PUBSUB SHARDCHANNELS"))
                    .as("what is heard from it")
                    .doesNotContain("named");
        }
        waiting.cancel(false);
    }

    private static void endSubscriptions(RedisCluster cluster) {
        cluster.servers().forEach(server -> server.ask("CLIENT KILL TYPE pubsub"));
    }

    /** @param ends whether connections of before are ended by that */
    private static void lead(List<Link> ways, RedisCluster cluster, boolean ends) {
        for (int i = 0; i < ways.size(); i++) {
            int port = cluster.servers().get(i).port();
            if (ends) {
                ways.get(i).turnTo(port);
            } else {
                ways.get(i).leadTo(port);
            }
        }
    }

    private static void requireAnnouncedPorts(RedisCluster cluster) {
        assumeTrue(
                !cluster.servers().get(0).ask("INFO server").contains("redis_version:6."),
                "a node that runs cannot announce another port before Redis 7.0");
    }

    /** Has each node be at another address from now on. */
    private List<Link> announce(RedisCluster cluster) throws IOException {
        List<Link> ways = new ArrayList<>();
        for (RedisServer server : cluster.servers()) {
            Link way = voters.opened(new Link(server.port()));
            ways.add(way);
            assertThat(server.command("CONFIG SET cluster-announce-port " + way.port()))
                    .startsWith("+OK");
        }
        await().atMost(PATIENCE).until(() -> cluster.servers().stream()
                .map(server -> server.ask("CLUSTER NODES"))
                .allMatch(nodes -> ways.stream().allMatch(way -> nodes.contains(":" + way.port() + "@"))));
        return ways;
    }
}
