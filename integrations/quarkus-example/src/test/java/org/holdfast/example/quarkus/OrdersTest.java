// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.quarkus;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * The application of docs/quarkus.md, on Quarkus and on three Redis processes. Those that are killed stay so for the
 * last tests.
 */
@QuarkusTest
@QuarkusTestResource(Nodes.class)
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OrdersTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HttpClient client = HttpClient.newHttpClient();

    RedisServers nodes;

    @TestHTTPResource
    URI application;

    @Inject
    Orders orders;

    @Inject
    LockConnectionFactory locks;

    private CompletableFuture<HttpResponse<String>> post(String path) {
        HttpRequest request = HttpRequest.newBuilder(application.resolve("/orders/" + path))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> health() {
        HttpRequest request =
                HttpRequest.newBuilder(application.resolve("/q/health/ready")).build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
    }

    private HttpResponse<String> awaitHealth(int status) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        HttpResponse<String> health = health();
        while (health.statusCode() != status && System.nanoTime() < end) {
            health = health();
        }
        assertThat(health.statusCode()).as(health.body()).isEqualTo(status);
        return health;
    }

    private void assertFree(String name) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire(LockRequest.of(name).waitTimeout(PATIENCE)).release();
        }
    }

    private void assertAllDone(List<String> paths) throws Exception {
        for (CompletableFuture<HttpResponse<String>> answer :
                paths.stream().map(this::post).toList()) {
            HttpResponse<String> response = answer.get(60, SECONDS);
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        }
    }

    private static List<String> times(int count, String... paths) {
        return IntStream.range(0, count).mapToObj(i -> paths[i % paths.length]).toList();
    }

    @Test
    void callers_ofOneOrder_workOneAfterTheOther() throws Exception {
        assertAllDone(times(12, "42/shipment", "42/bill"));
    }

    @Test
    void callers_ofAnAnnotatedMethod_workOneAfterTheOther() throws Exception {
        assertAllDone(times(8, "1/parcel", "2/parcel"));
    }

    @Test
    void work_thatFails_leavesNoLock() throws Exception {
        assertThat(post("%3F/shipment").get(60, SECONDS).statusCode()).isEqualTo(500);
        assertFree("order-?");
        assertThat(post("%3F/bill").get(60, SECONDS).statusCode()).isEqualTo(500);
        assertFree("order-?");
    }

    @Test
    void annotatedMethod_thatReturnsAUni_isRefused() {
        assertThatThrownBy(() -> orders.packLater("42").await().atMost(PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the work goes on");
    }

    @Test
    void uni_thatIsCancelledWhileItWaits_leavesNoLock() throws Exception {
        try (LockConnection connection = locks.getConnection();
                Lease held = connection.acquire("order-7")) {
            orders.bill("7").subscribe().with(billed -> {}).cancel();
            held.release();
        }
        assertFree("order-7");
    }

    @Test
    @Order(Integer.MAX_VALUE - 1)
    void application_withOneNodeKilled_worksAndIsReady() throws Exception {
        assertThat(awaitHealth(200).body()).doesNotContain("refused");
        nodes.get(0).kill();
        assertAllDone(times(6, "42/shipment", "42/bill", "42/parcel"));
        assertThat(awaitHealth(200).body()).contains("votes");
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void application_withTwoNodesKilled_isNotReadyAndDoesNotWork() throws Exception {
        nodes.get(0).kill();
        nodes.get(1).kill();
        awaitHealth(503);
        for (CompletableFuture<HttpResponse<String>> answer :
                Stream.of("42/shipment", "42/bill", "42/parcel").map(this::post).toList()) {
            HttpResponse<String> response = answer.get(60, SECONDS);
            assertThat(response.statusCode()).isEqualTo(500);
            assertThat(response.body()).contains("QuorumUnavailableException");
        }
    }
}
