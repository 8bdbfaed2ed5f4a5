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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.testkit.FreePort;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A scheduled job on two servers, which are started for it. */
@Tag("thorough")
@EnabledIfSystemProperty(named = "server", matches = "wildfly", disabledReason = "starts two of the demo's servers")
@Timeout(300)
class ScheduledIT {

    private static final int TICKS = 3;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static Path ear() throws IOException {
        WebArchive tests =
                ShrinkWrap.create(WebArchive.class, "tests.war").addClasses(ScheduledJob.class, ScheduledServlet.class);
        File ear = Files.createDirectories(Path.of("target", "scheduled"))
                .resolve("holdfast-shop.ear")
                .toFile();
        TestEar.withoutShop(tests).as(ZipExporter.class).exportTo(ear, true);
        return ear.toPath();
    }

    private static WildFly start(Path ear, String name, int port) throws IOException {
        return WildFly.start(new WildFly.Setup(
                Path.of(System.getProperty("server.home")),
                Path.of(System.getProperty("server.base")),
                ear,
                Path.of("target", "scheduled", name),
                port,
                Map.of("holdfast.nodes", System.getProperty("holdfast.nodes")),
                Map.of()));
    }

    /** Returns what a server's job has done; null as long as the server is not up. */
    private Stream<String> seen(int port) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/"))
                .timeout(Duration.ofSeconds(10))
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() == 200 ? response.body().lines() : null;
        } catch (IOException e) {
            return null;
        }
    }

    private static long tick() {
        return System.currentTimeMillis() / (ScheduledJob.SECONDS_BETWEEN * 1_000);
    }

    @Test
    void job_onTwoServers_isDoneByOneOfThemAtEachTick() throws Exception {
        Path ear = ear();
        int one = FreePort.find();
        int other = FreePort.find();
        try (WildFly first = start(ear, "one", one);
                WildFly second = start(ear, "other", other)) {
            await().atMost(Duration.ofMinutes(3)).until(() -> {
                assertThat(first.hasFailed() || second.hasFailed())
                        .as("see " + first.log() + " and " + second.log())
                        .isFalse();
                return seen(one) != null && seen(other) != null;
            });
            long begun = tick(); // the one after it is the first that both have seen from the start
            long end = begun + 1 + TICKS;
            await().atMost(Duration.ofMinutes(2)).until(() -> tick() > end);
            Map<Long, List<String>> byTick = Stream.concat(seen(one), seen(other))
                    .map(line -> line.split(" "))
                    .filter(line -> Long.parseLong(line[1]) > begun + 1 && Long.parseLong(line[1]) <= end)
                    .collect(Collectors.groupingBy(
                            line -> Long.parseLong(line[1]),
                            TreeMap::new,
                            Collectors.mapping(line -> line[0], Collectors.toList())));
            assertThat(byTick).hasSize(TICKS);
            assertThat(byTick.values()).allSatisfy(each -> assertThat(each).containsExactlyInAnyOrder("run", "skip"));
        }
    }
}
