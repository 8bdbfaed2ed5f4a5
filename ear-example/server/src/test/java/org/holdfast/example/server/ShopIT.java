// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.testkit.RedisServer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The shop as it is built, on a real server with real nodes, seen from outside. */
@ExtendWith(ArquillianExtension.class)
@Timeout(300)
class ShopIT {

    /** The adapter's maxLeaseTtlMillis with the drift, from when a node that was started is looked at again. */
    private static final Duration QUARANTINE = Duration.ofMillis(8_100);

    private static final int STOCK = 100;
    private static final int ORDERS = 300;
    private static final int THREADS = 32;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Deployment(testable = false)
    static EnterpriseArchive shop() {
        return RealServers.ear();
    }

    /** A node that was killed has no vote for a while: the next test must not count on it before that. */
    @AfterEach
    void bringNodesBack() {
        boolean restarted = false;
        for (RedisServer node : RealServers.redis().all()) {
            if (node.isAlive()) {
                node.thaw();
            } else {
                node.start();
                restarted = true;
            }
        }
        if (restarted) {
            await().pollDelay(QUARANTINE).until(() -> true);
        }
    }

    private HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(RealServers.http() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(60))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path) throws IOException, InterruptedException {
        return send("POST", path);
    }

    private void stock(String sku, int quantity) {
        await().atMost(30, SECONDS)
                .until(() ->
                        post("/shop/stock/" + sku + "?quantity=" + quantity).statusCode() == 200);
    }

    private int stockOf(String sku) throws IOException, InterruptedException {
        return Integer.parseInt(send("GET", "/shop/stock/" + sku).body());
    }

    /** Places so many orders from so many threads and returns how often each status came. */
    private Map<Integer, Integer> order(String path, Runnable inTheMiddle) throws Exception {
        Map<Integer, Integer> statuses = new ConcurrentHashMap<>();
        AtomicInteger left = new AtomicInteger(ORDERS);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                work.add(threads.submit(() -> {
                    int number;
                    while ((number = left.getAndDecrement()) > 0) {
                        if (number == ORDERS / 2) {
                            inTheMiddle.run();
                        }
                        statuses.merge(post(path).statusCode(), 1, Integer::sum);
                    }
                    return null;
                }));
            }
            for (Future<?> each : work) {
                each.get(120, SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        return new TreeMap<>(statuses);
    }

    @Test
    void orders_threeTimesTheStock_sellExactlyTheStock() throws Exception {
        stock("lamp", STOCK);

        assertThat(order("/shop/orders?sku=lamp", () -> {})).isEqualTo(Map.of(201, STOCK, 409, ORDERS - STOCK));
        assertThat(stockOf("lamp")).isZero();
    }

    /** Proves that the test above can fail. */
    @Test
    void orders_withoutTheLock_oversellOrLoseUpdates() throws Exception {
        for (int run = 1; run <= 5; run++) {
            stock("unlocked", STOCK);
            Map<Integer, Integer> statuses = order("/shop/orders-unlocked?sku=unlocked", () -> {});
            assertThat(statuses.keySet()).as("nothing else goes wrong").isSubsetOf(201, 409);
            int sold = statuses.getOrDefault(201, 0);
            if (sold > STOCK || stockOf("unlocked") != STOCK - sold) {
                return;
            }
        }
        throw new AssertionError("five runs without a lock, and each sold exactly the stock");
    }

    @Test
    @Tag("nodes")
    void orders_oneNodeKilledOnTheWay_sellExactlyTheStock() throws Exception {
        stock("lamp", STOCK);

        assertThat(order("/shop/orders?sku=lamp", RealServers.redis().get(1)::kill))
                .isEqualTo(Map.of(201, STOCK, 409, ORDERS - STOCK));
        assertThat(stockOf("lamp")).isZero();
    }

    @Test
    @Tag("nodes")
    void orders_oneNodeFrozenOnTheWay_sellExactlyTheStock() throws Exception {
        stock("lamp", STOCK);

        assertThat(order("/shop/orders?sku=lamp", RealServers.redis().get(2)::freeze))
                .isEqualTo(Map.of(201, STOCK, 409, ORDERS - STOCK));
        assertThat(stockOf("lamp")).isZero();
    }

    @Test
    @Tag("nodes")
    void orders_twoNodesKilled_failInTimeAndSayWhyAndRecover() throws Exception {
        stock("lamp", STOCK);
        RedisServer first = RealServers.redis().get(0);
        RedisServer third = RealServers.redis().get(2);
        first.kill();
        third.kill();

        long begun = System.nanoTime();
        HttpResponse<String> refused = post("/shop/orders?sku=lamp");
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body())
                .contains("needs the votes of 2 of 3 nodes")
                .contains(first.uri() + ": Connection refused")
                .contains(third.uri() + ": Connection refused");
        assertThat(took).isBetween(Duration.ofMillis(4_900), Duration.ofMillis(9_000));
        assertThat(stockOf("lamp")).isEqualTo(STOCK);

        first.start();
        third.start();
        await().atMost(QUARANTINE.plusSeconds(6)) // within the longest TTL, and the wait of an order
                .until(() -> post("/shop/orders?sku=lamp").statusCode() == 201);
    }

    @Test
    void order_thatRollsBack_sellsNothingAndTheCompetingOneGetsTheLockAtOnce() throws Exception {
        stock("lamp", STOCK);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int i = 0; i < 20; i++) {
                Future<Integer> refused = threads.submit(
                        () -> post("/shop/orders-refused?sku=lamp").statusCode());
                long begun = System.nanoTime();
                Future<Integer> competing =
                        threads.submit(() -> post("/shop/orders?sku=lamp").statusCode());
                assertThat(refused.get(30, SECONDS)).isEqualTo(402);
                assertThat(competing.get(30, SECONDS)).isEqualTo(201);
                assertThat(Duration.ofNanos(System.nanoTime() - begun))
                        .as("less than the TTL of 5 s, on a machine that may stand still for a moment")
                        .isLessThan(Duration.ofSeconds(4));
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(stockOf("lamp")).isEqualTo(STOCK - 20);
    }

    @Test
    void tickets_drawnOneAfterTheOther_grow() throws Exception {
        long last = 0;
        for (int i = 0; i < 50; i++) {
            long ticket = Long.parseLong(post("/shop/tickets/counter").body());
            assertThat(ticket).isGreaterThan(last);
            last = ticket;
        }
    }

    @Test
    void order_whoseLockHasNoValidName_isRefusedWithTheReason() throws Exception {
        assertThat(post("/shop/orders").statusCode()).isEqualTo(400);
        HttpResponse<String> tooLong = post("/shop/orders?sku=" + "x".repeat(1_100));
        assertThat(tooLong.statusCode()).isEqualTo(400);
        assertThat(tooLong.body()).contains("1 to 1024 bytes of UTF-8, was 1106 bytes");
    }
}
