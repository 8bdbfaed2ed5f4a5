// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.holdfast.faults.Caller;
import org.holdfast.faults.FencedResource;
import org.holdfast.faults.Habit;
import org.holdfast.faults.Observations;
import org.holdfast.history.HistoryCheck;
import org.holdfast.history.Kind;
import org.holdfast.history.Rule;
import org.holdfast.history.Verdict;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two servers and three nodes, of which each in turn stands still, dies and comes back, while callers on both servers
 * take the same locks through the adapter and by {@code @Locked}. Their whole history is decided.
 */
@Tag("thorough")
@Timeout(400)
class TwoServersHistoryIT {

    private static final int SERVERS = 2;

    /** So often a server stands still while one of its callers has a lock: another caller may not ask for that lock. */
    private static final int ROUNDS = 12;

    /** So often it is stopped for a moment to find one that has a lock: most have theirs for some milliseconds. */
    private static final int MOMENTS = 500;

    /** So long a report is under way. */
    private static final long REPORT_MILLIS = 20;

    /** Longer than the longest TTL and the quarantine, which are 5 s in this configuration. */
    private static final long FORGOTTEN_MILLIS = 7_000;

    private static final long WORK_MILLIS = 1_500;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Path directory = Path.of("target", "history");
    private final int[] ports = {FreePort.find(), FreePort.find()};

    private Path ear() throws IOException {
        WebArchive tests = ShrinkWrap.create(WebArchive.class, "tests.war")
                .addClasses(ObservedCallers.class, ObservedBean.class, Kind.class)
                .addPackage(Caller.class.getPackage());
        File ear =
                Files.createDirectories(directory).resolve("holdfast-shop.ear").toFile();
        TestEar.withoutShop(tests).as(ZipExporter.class).exportTo(ear, true);
        return ear.toPath();
    }

    private WildFly start(Path ear, int server, String nodes) throws IOException {
        return WildFly.start(new WildFly.Setup(
                Path.of(System.getProperty("server.home")),
                Path.of(System.getProperty("server.base")),
                ear,
                directory.resolve("server-" + server),
                ports[server],
                Map.of("holdfast.nodes", nodes),
                Map.of()));
    }

    /** Returns whether the server has done what was asked for. */
    private boolean send(int server, String method, String query) throws InterruptedException {
        URI uri = URI.create("http://localhost:" + ports[server] + "/?" + query);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(20))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false; // it is not up yet
        }
    }

    @Test
    void callersOnTwoServers_whateverStandsStillOrDies_haveAHistoryThatKeepsEveryRule() throws Exception {
        Path ear = ear();
        try (RedisServers nodes = RedisServers.start(3, directory.resolve("nodes"));
                WildFly one = start(ear, 0, nodes.uris());
                WildFly other = start(ear, 1, nodes.uris())) {
            await().atMost(Duration.ofMinutes(3)).until(() -> {
                assertThat(one.hasFailed() || other.hasFailed())
                        .as("see " + one.log() + " and " + other.log())
                        .isFalse();
                return send(0, "DELETE", "") && send(1, "DELETE", "");
            });

            Verdict honest = work(Habit.HONEST, observations -> {
                standStill(one, 0, observations);
                standStill(other, 1, observations);
                nodes.get(0).freeze();
                pass(WORK_MILLIS);
                nodes.get(0).thaw();
                forget(nodes.get(1), observations);
                forget(nodes.get(2), observations);
            });
            assertThat(honest.isClean()).as(honest.toString()).isTrue();

            // Else the check might see nothing
            Verdict stubborn = work(Habit.IGNORES_VALIDITY, observations -> standStill(one, 0, observations));
            for (int round = 1; round < ROUNDS && stubborn.count(Rule.EXCLUSION) == 0; round++) {
                stubborn = work(Habit.IGNORES_VALIDITY, observations -> standStill(one, 0, observations));
            }
            assertThat(stubborn.count(Rule.EXCLUSION)).as(stubborn.toString()).isPositive();
        }
    }

    /** What is done to servers and nodes while callers work. */
    private interface Trouble {

        void happen(Observations observations) throws Exception;
    }

    /** Has callers work, and decides their history. */
    private Verdict work(Habit habit, Trouble trouble) throws Exception {
        Observations observations = new Observations();
        try (FencedResource resource = new FencedResource(true);
                ReportReader reader = new ReportReader(observations, SERVERS)) {
            for (int server = 0; server < SERVERS; server++) {
                assertThat(send(
                                server,
                                "POST",
                                "server=" + server + "&habit=" + habit + "&reports=" + reader.port() + "&resource="
                                        + resource.port()))
                        .isTrue();
            }
            awaitMore(observations);
            trouble.happen(observations);
            awaitMore(observations);
            for (int server = 0; server < SERVERS; server++) {
                assertThat(send(server, "DELETE", "")).isTrue();
            }
            reader.awaitEnd();
            return HistoryCheck.decide(observations.history(resource.writes()));
        }
    }

    /** Stops a server at a moment in which one of its callers has a lock. */
    private static void standStill(WildFly server, int number, Observations observations) throws Exception {
        server.freeze();
        pass(REPORT_MILLIS);
        for (int moment = 1; moment < MOMENTS && !observations.isHolding(isOf(number)); moment++) {
            server.thaw();
            pass(moment % REPORT_MILLIS); // not always at the same step of its callers
            server.freeze();
            pass(REPORT_MILLIS);
        }
        pass(2 * WORK_MILLIS);
        server.thaw();
        awaitMore(observations);
    }

    private static LongPredicate isOf(int server) {
        return caller -> caller / ObservedCallers.NUMBERS == server;
    }

    private static void forget(RedisServer node, Observations observations) throws Exception {
        node.kill();
        pass(WORK_MILLIS);
        node.start();
        pass(FORGOTTEN_MILLIS); // else a second node would forget too
        awaitMore(observations);
    }

    /** Returns when locks have been held and released after that moment. */
    private static void awaitMore(Observations observations) {
        long enough = observations.count() + 100;
        await().atMost(Duration.ofSeconds(60)).until(() -> observations.count() > enough);
    }

    /** Faults last. */
    private static void pass(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
