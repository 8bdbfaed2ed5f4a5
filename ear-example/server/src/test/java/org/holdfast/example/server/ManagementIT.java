// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What operators do to the pool and the adapter while applications work under locks: none of these is free for others
 * until its loss was reported to its holder, and not before its TTL has ended either. The pages of the servers have the
 * same list.
 */
@ExtendWith(ArquillianExtension.class)
@Timeout(300)
class ManagementIT {

    private static final String EAR = "working";
    private static final String DEFINITION =
            "/subsystem=resource-adapters/resource-adapter=holdfast/connection-definitions=holdfast";
    private static final String ADAPTER = "resources.resource-adapter-config.holdfast-shop#holdfast.property.";
    private static final String POOL = "resources.connector-connection-pool.locks.";

    /** The adapter's ttlMillis, less what looking takes. */
    private static final Duration MOST_OF_THE_TTL = Duration.ofSeconds(3);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final String HELD = "held";
    private static final String STOPPED =
            "lost: the resource adapter was stopped, and its holder did not end within stopTimeoutMillis = 5000";
    private static final String DESTROYED = "lost: the container destroyed its connection, and it was in use";

    private static final List<String> WAYS = List.of("connection", "transaction", "detached");

    private final RealNodes nodes = new RealNodes();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ApplicationServer server = ApplicationServer.current();

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = EAR, managed = false, testable = false)
    static EnterpriseArchive working() throws IOException {
        WebArchive working = ShrinkWrap.create(WebArchive.class, "working.war").addClass(WorkingServlet.class);
        return TestEar.withoutShop(References.add(working, "holdfast"));
    }

    private static Arguments operation(String command, String connection, String transaction, String detached) {
        return arguments(command, List.of(connection, transaction, detached));
    }

    /** What is reported to a holder by an open connection, by a transaction, and detached. */
    static Stream<Arguments> operations() {
        return switch (System.getProperty("server.page")) {
            case "wildfly.md" ->
                Stream.of(
                        operation(DEFINITION + ":flush-idle-connection-in-pool", HELD, HELD, HELD),
                        operation(DEFINITION + ":flush-invalid-connection-in-pool", HELD, HELD, HELD),
                        operation(DEFINITION + ":flush-gracefully-connection-in-pool", HELD, HELD, HELD),
                        operation(DEFINITION + ":flush-all-connection-in-pool", DESTROYED, DESTROYED, HELD));
            case "openliberty.md" ->
                Stream.of(
                        operation("purgePoolContents normal", HELD, HELD, HELD),
                        operation("purgePoolContents immediate", HELD, HELD, HELD),
                        operation("purgePoolContents abort", HELD, HELD, HELD));
            case "tomee.md" -> Stream.of(operation("holdfast.rarRA.stopTimeoutMillis = 4000", HELD, HELD, HELD));
            case "glassfish.md" ->
                Stream.concat(
                        commandsOfAsadmin(),
                        Stream.of(
                                operation("set " + ADAPTER + "waitTimeoutMillis=9000", DESTROYED, DESTROYED, STOPPED)));
            default -> commandsOfAsadmin(); // that of GlassFish leaves an adapter behind on Payara 6: its page
        };
    }

    private static Stream<Arguments> commandsOfAsadmin() {
        return Stream.of(
                operation("ping-connection-pool locks", HELD, HELD, HELD),
                operation("set " + POOL + "max-pool-size=70", HELD, HELD, HELD),
                operation("set " + POOL + "idle-timeout-in-seconds=200", HELD, HELD, HELD),
                operation("flush-connection-pool locks", DESTROYED, DESTROYED, HELD),
                operation("set " + POOL + "property.ttlMillis=4000", DESTROYED, DESTROYED, HELD),
                operation("set " + POOL + "property.keyPrefix=other", DESTROYED, DESTROYED, HELD),
                operation("delete-connector-connection-pool --cascade=true locks", DESTROYED, DESTROYED, HELD));
    }

    @ParameterizedTest
    @MethodSource("operations")
    void operation_whileLocksAreHeld_freesNoneUnderItsHolder(String command, List<String> expected) throws Exception {
        deployer.deploy(EAR);
        try {
            Map<String, CompletableFuture<String>> working = new LinkedHashMap<>();
            for (String way : WAYS) {
                String lock = way + "-" + Math.abs(command.hashCode());
                working.put(lock, begin(lock, way));
                await().until(() -> say(lock, "").equals(HELD));
            }
            CompletableFuture<String> operation = CompletableFuture.supplyAsync(() -> manage(command));
            long tellBy = System.nanoTime() + MOST_OF_THE_TTL.toNanos();
            Map<String, String> states = new LinkedHashMap<>();
            while (!operation.isDone() || System.nanoTime() < tellBy || isToBeTold(states, expected, tellBy)) {
                for (String lock : working.keySet()) {
                    states.put(lock, say(lock, ""));
                    boolean told = !states.get(lock).equals(HELD);
                    assertThat(told && System.nanoTime() > tellBy || nodes.isHeld(lock))
                            .as("%s is not free", lock)
                            .isTrue();
                }
            }
            operation.get();
            for (String lock : working.keySet()) {
                say(lock, "&end=true");
            }
            assertThat(states.values()).containsExactlyElementsOf(expected);
            for (String lock : working.keySet()) {
                String answer = working.get(lock).get();
                assertThat(answer.endsWith(", committed"))
                        .as("%s: %s", lock, answer)
                        .isEqualTo(lock.startsWith("transaction") && answer.startsWith(HELD));
                await().atMost(MOST_OF_THE_TTL.multipliedBy(10)) // keys outlive their leases by the longest TTL
                        .until(() -> nodes.isFree(lock));
            }
        } finally {
            deployer.undeploy(EAR);
        }
    }

    /** A server may act after it has answered, and the adapter gives holders time to end. */
    private static boolean isToBeTold(Map<String, String> states, List<String> expected, long tellBy) {
        return !List.copyOf(states.values()).equals(expected) && System.nanoTime() < tellBy + PATIENCE.toNanos();
    }

    private String manage(String command) {
        try {
            return server.manage(command);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static HttpRequest.Builder request(String query) {
        return HttpRequest.newBuilder(URI.create(RealServers.http() + "/" + query))
                .timeout(Duration.ofSeconds(90));
    }

    private CompletableFuture<String> begin(String lock, String way) {
        HttpRequest request = request("?lock=" + lock + "&way=" + way)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body);
    }

    private String say(String lock, String more) throws IOException, InterruptedException {
        return http.send(request("?lock=" + lock + more).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
