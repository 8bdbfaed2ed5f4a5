// SPDX-License-Identifier: Apache-2.0
package org.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real nodes, a real registry, and a parser of what Prometheus scrapes. */
@Timeout(120)
class HoldfastMetricsTest {

    private static RedisServers redis;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HoldfastMetrics metrics = new HoldfastMetrics();

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(3);
    }

    @AfterAll
    static void stopNodes() {
        redis.close();
    }

    @AfterEach
    void closeMetrics() {
        metrics.close();
        registry.close();
    }

    private static LockConnectionFactory connect(String prefix, String nodes, String... more) {
        Map<String, String> settings =
                new HashMap<>(Map.of("nodes", nodes, "keyPrefix", prefix, "guard", "OFF", "nodeTimeoutMillis", "3000"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return Holdfast.connect(settings);
    }

    private Scrape scrape() {
        try {
            return Scrape.of(registry);
        } catch (Exception e) {
            throw new AssertionError(registry.scrape(), e);
        }
    }

    @Test
    void meters_ofAService_countWhatIsDone() throws Exception {
        metrics.bindTo(registry);
        try (LockConnectionFactory locks = connect("counts", redis.uris());
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("order-42");
            Lease again = connection.acquire("order-42");
            assertThat(connection.acquireAsync(LockRequest.of("order-42").waitTimeout(Duration.ofMillis(1))))
                    .failsWithin(Duration.ofSeconds(30));
            Scrape held = scrape();
            assertThat(held.value("holdfast_held", "prefix", "counts", "id", "1"))
                    .isOne();
            assertThat(held.value("holdfast_leases_acquired_total", "prefix", "counts"))
                    .isOne();
            assertThat(held.value("holdfast_leases_reentered_total", "prefix", "counts"))
                    .isOne();
            assertThat(held.value("holdfast_requests_timedout_total", "prefix", "counts"))
                    .isOne();
            assertThat(held.value("holdfast_acquire_max_seconds", "prefix", "counts"))
                    .isBetween(0.000_001, 60.0);
            again.release();
            lease.release();
            Scrape free = scrape();
            assertThat(free.value("holdfast_held", "prefix", "counts")).isZero();
            assertThat(free.value("holdfast_leases_released_total", "prefix", "counts"))
                    .isOne();
            assertThat(registry.scrape()).doesNotContain("order-42");
        }
    }

    @Test
    void meters_whenNodesAreKilled_showTheOutage() throws Exception {
        metrics.bindTo(registry);
        try (RedisServers three = RedisServers.start(3);
                LockConnectionFactory locks = connect("outage", three.uris(), "ttlMillis", "6000");
                LockConnection connection = locks.getConnection()) {
            assertThat(connection.acquire("a").isHeld()).isTrue();
            await().atMost(60, TimeUnit.SECONDS).until(() -> nodesThat("up") == 3);
            assertThat(scrape().value("holdfast_majority", "prefix", "outage")).isEqualTo(2);

            three.get(0).kill();
            String killed = three.get(0).uri();
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> scrape().value("holdfast_node_up", "prefix", "outage", "node", killed) == 0);
            assertThat(nodesThat("up")).isEqualTo(2);
            assertThat(nodesThat("quarantined")).isZero();

            three.get(1).kill();
            assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> connection.tryAcquire("b"));
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> scrape().value("holdfast_leases_lost_total", "prefix", "outage") == 1);
            Scrape out = scrape();
            assertThat(out.value("holdfast_requests_unavailable_total", "prefix", "outage"))
                    .isOne();
            assertThat(out.value("holdfast_renewals_failed_total", "prefix", "outage"))
                    .isPositive();
            assertThat(nodesThat("up")).isOne();
        }
    }

    private double nodesThat(String are) {
        return scrape().of("holdfast_node_" + are, "prefix", "outage").stream()
                .mapToDouble(Scrape.Sample::value)
                .sum();
    }

    @Test
    void meters_ofAFreshNodeThatMayHaveForgotten_showItsQuarantine() {
        metrics.bindTo(registry);
        try (LockConnectionFactory locks = connect("fresh", redis.uris(), "guard", "QUARANTINE")) {
            assertThat(locks.nodeCount()).isEqualTo(3);
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> scrape().of("holdfast_node_quarantined", "prefix", "fresh").stream()
                            .allMatch(sample -> sample.value() == 1));
            assertThat(scrape().of("holdfast_node_up", "prefix", "fresh"))
                    .hasSize(3)
                    .allMatch(sample -> sample.value() == 0);
        }
    }

    @Test
    void services_thatComeAndGo_areFollowed() {
        LockConnectionFactory before = connect("before", redis.uris());
        metrics.bindTo(registry);
        assertThat(scrape().of("holdfast_held", "prefix", "before")).hasSize(1);
        try (LockConnectionFactory first = connect("shop:eu", redis.uris());
                LockConnectionFactory second = connect("shop:eu", redis.uris())) {
            assertThat(first).isNotSameAs(second);
            assertThat(scrape().of("holdfast_held", "prefix", "shop:eu"))
                    .extracting(sample -> sample.labels().get("id"))
                    .containsExactlyInAnyOrder("1", "2");
        }
        assertThat(scrape().of("holdfast_held", "prefix", "shop:eu")).isEmpty();
        before.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    /** The code of {@code docs/observability.md}. */
    @Test
    void metrics_asOnThePage_areBound() {
        try (LockConnectionFactory locks = connect("page", redis.uris())) {
            assertThat(locks.nodeCount()).isEqualTo(3);
            HoldfastMetrics metrics = new HoldfastMetrics();
            metrics.bindTo(registry);
            assertThat(scrape().of("holdfast_held", "prefix", "page")).hasSize(1);
            assertThat(registry.getMeters()).hasSize(16 + 2 * 3);
            metrics.close();
        }
    }

    @Test
    void meters_haveNoSecrets() {
        metrics.bindTo(registry);
        String nodes = redis.all().stream()
                .map(node -> "redis://app:s3cret@127.0.0.1:" + node.port())
                .reduce((one, other) -> one + "," + other)
                .orElseThrow();
        try (LockConnectionFactory locks = connect("secrets", nodes)) {
            assertThat(locks.nodeCount()).isEqualTo(3);
            assertThat(scrape().of("holdfast_node_up", "prefix", "secrets")).hasSize(3);
            assertThat(registry.scrape()).doesNotContain("s3cret").doesNotContain("app:");
        }
    }

    @Test
    void close_removesMetersAndTheListenerOfTheServer() {
        LockConnectionFactory locks = connect("closing", redis.uris());
        metrics.bindTo(registry);
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
        locks.close();
        try (LockConnectionFactory later = connect("later", redis.uris())) {
            assertThat(later.nodeCount()).isEqualTo(3);
            assertThat(registry.getMeters()).isEmpty();
        }
        metrics.close();
        assertThatIllegalStateException().isThrownBy(() -> metrics.bindTo(registry));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void close_ofOneOfTwoOnTheSameRegistry_keepsTheMeters(boolean firstGoes) throws Exception {
        try (LockConnectionFactory locks = connect("two", redis.uris());
                LockConnection connection = locks.getConnection();
                Lease lease = connection.acquire("a");
                HoldfastMetrics other = new HoldfastMetrics()) {
            assertThat(lease.isHeld()).isTrue();
            metrics.bindTo(registry);
            other.bindTo(registry);
            assertThat(registry.getMeters()).hasSize(16 + 2 * 3);
            HoldfastMetrics left = firstGoes ? other : metrics;
            (firstGoes ? metrics : other).close();
            System.gc(); // a registry has but weak references to what its meters read
            assertThat(scrape().value("holdfast_held", "prefix", "two")).isOne();
            assertThat(scrape().value("holdfast_leases_acquired_total", "prefix", "two"))
                    .isOne();
            try (LockConnectionFactory later = connect("two-later", redis.uris())) {
                assertThat(later.nodeCount()).isEqualTo(3);
                assertThat(scrape().of("holdfast_held", "prefix", "two-later")).hasSize(1);
            }
            assertThat(scrape().of("holdfast_held", "prefix", "two-later")).isEmpty();
            left.close();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    void close_afterTwoBindingsToTheSameRegistry_removesTheMeters() {
        try (LockConnectionFactory locks = connect("twice", redis.uris())) {
            assertThat(locks.nodeCount()).isEqualTo(3);
            metrics.bindTo(registry);
            metrics.bindTo(registry);
            assertThat(scrape().of("holdfast_held", "prefix", "twice")).hasSize(1);
            metrics.close();
            assertThat(registry.getMeters()).isEmpty();
            try (HoldfastMetrics next = new HoldfastMetrics()) {
                next.bindTo(registry);
                assertThat(scrape().of("holdfast_held", "prefix", "twice")).hasSize(1);
            }
        }
    }

    @Test
    void service_besideARegistryThatIsClosed_startsAndStops() {
        PrometheusMeterRegistry gone = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        metrics.bindTo(gone);
        metrics.bindTo(registry);
        gone.close();
        try (LockConnectionFactory locks = connect("after-closing", redis.uris())) {
            assertThat(locks.nodeCount()).isEqualTo(3);
            assertThat(gone.getMeters()).isEmpty();
            assertThat(scrape().of("holdfast_held", "prefix", "after-closing")).hasSize(1);
        }
    }

    @Test
    void service_besideARegistryThatThrows_startsAndStops() throws Exception {
        registry.config().meterFilter(new ThrowingFilter());
        metrics.bindTo(registry);
        try (LockConnectionFactory locks = connect("throwing", redis.uris());
                LockConnection connection = locks.getConnection();
                Lease lease = connection.acquire("a")) {
            assertThat(lease.isHeld()).isTrue();
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    /**
     * A scrape reads meters one by one, and a service may stop between two of them. Each has a prefix of its own: where
     * the same series goes and comes in one scrape, Micrometer 1.17 fails that scrape.
     */
    @Test
    void meters_ofAServiceThatStopsDuringAScrape_areMissingOrAsTheyWere() throws Exception {
        metrics.bindTo(registry);
        List<Double> values = new CopyOnWriteArrayList<>();
        Thread scraper = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                scrape().of("holdfast_leases_acquired_total").forEach(s -> values.add(s.value()));
            }
        });
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        scraper.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
        scraper.start();
        for (int i = 0; i < 20; i++) {
            try (LockConnectionFactory locks = connect("stopping-" + i, redis.uris());
                    LockConnection connection = locks.getConnection()) {
                connection.acquire("a").release();
            }
        }
        scraper.interrupt();
        scraper.join();
        assertThat(failures).isEmpty();
        assertThat(values).allMatch(value -> value == 0 || value == 1);
    }
}
