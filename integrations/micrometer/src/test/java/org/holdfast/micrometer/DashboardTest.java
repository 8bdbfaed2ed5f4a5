// SPDX-License-Identifier: Apache-2.0
package org.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The dashboard asks for what a real scrape has, and leaves nothing of that out. */
@Timeout(120)
class DashboardTest {

    private static final Path DASHBOARD = Path.of("..", "..", "docs", "grafana", "holdfast.json");
    private static final Path PAGE = Path.of("..", "..", "docs", "observability.md");
    private static final Pattern LABEL_OF_LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

    /** What Prometheus adds to each sample. */
    private static final Set<String> OF_THE_SCRAPER = Set.of("instance", "job");

    private static JsonNode dashboard;

    /** By metric, the labels of its samples. */
    private static final Map<String, Set<String>> exported = new HashMap<>();

    @BeforeAll
    static void scrape() throws Exception {
        dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (RedisServers redis = RedisServers.start(3);
                HoldfastMetrics metrics = new HoldfastMetrics();
                LockConnectionFactory locks = Holdfast.connect(Map.of("nodes", redis.uris(), "keyPrefix", "shown"))) {
            assertThat(locks.nodeCount()).isEqualTo(3);
            metrics.bindTo(registry);
            for (Scrape.Sample sample : Scrape.of(registry).samples()) {
                exported.put(sample.name(), new HashSet<>(sample.labels().keySet()));
            }
        }
        exported.values().forEach(labels -> labels.addAll(OF_THE_SCRAPER));
    }

    private static List<String> queries() {
        List<String> queries = dashboard.findValuesAsText("expr");
        dashboard.at("/templating/list").findValuesAsText("definition").forEach(queries::add);
        return queries;
    }

    @Test
    void queries_ofTheDashboard_nameWhatIsExported() {
        assertThat(queries()).hasSizeGreaterThan(15).allSatisfy(DashboardTest::requireExported);
    }

    @Test
    void alarms_ofThePage_nameWhatIsExported() throws Exception {
        String block = Files.readString(PAGE).split("```promql\n")[1].split("```")[0];
        assertThat(block.lines()).hasSize(3).allSatisfy(DashboardTest::requireExported);
    }

    private static void requireExported(String text) {
        PromQuery query = PromQuery.parse(text);
        assertThat(exported.keySet()).as(text).containsAll(query.metrics());
        assertThat(query.metrics())
                .allSatisfy(metric -> assertThat(exported.get(metric)).as(text).containsAll(query.labels()));
    }

    @Test
    void legends_ofTheDashboard_nameLabelsOfTheirQuery() {
        List<JsonNode> targets = dashboard.findValues("targets").stream()
                .flatMap(panel -> StreamSupport.stream(panel.spliterator(), false))
                .toList();
        assertThat(targets).hasSizeGreaterThan(15).allSatisfy(target -> {
            PromQuery query = PromQuery.parse(target.get("expr").asText());
            Set<String> named = LABEL_OF_LEGEND
                    .matcher(target.get("legendFormat").asText())
                    .results()
                    .map((MatchResult label) -> label.group(1))
                    .collect(Collectors.toSet());
            assertThat(query.metrics())
                    .allSatisfy(metric -> assertThat(exported.get(metric)).containsAll(named));
        });
    }

    @Test
    void metrics_thatAreExported_areAllShown() {
        Set<String> shown = queries().stream()
                .flatMap(text -> PromQuery.parse(text).metrics().stream())
                .collect(Collectors.toSet());
        assertThat(shown).containsExactlyInAnyOrderElementsOf(exported.keySet());
    }
}
