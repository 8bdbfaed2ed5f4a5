// SPDX-License-Identifier: Apache-2.0
package org.holdfast.micrometer;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hawkular.agent.prometheus.text.TextPrometheusMetricDataParser;
import org.hawkular.agent.prometheus.types.Counter;
import org.hawkular.agent.prometheus.types.Gauge;
import org.hawkular.agent.prometheus.types.Metric;
import org.hawkular.agent.prometheus.types.MetricFamily;

/** What Prometheus gets: the text of a registry, read by a parser that is not of Micrometer. */
record Scrape(List<Sample> samples) {

    /** One line of the text. */
    record Sample(String name, Map<String, String> labels, double value) {}

    static Scrape of(PrometheusMeterRegistry registry) throws Exception {
        byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
        TextPrometheusMetricDataParser parser = new TextPrometheusMetricDataParser(new ByteArrayInputStream(text));
        List<Sample> samples = new ArrayList<>();
        for (MetricFamily family = parser.parse(); family != null; family = parser.parse()) {
            for (Metric metric : family.getMetrics()) {
                samples.add(new Sample(metric.getName(), metric.getLabels(), value(metric)));
            }
        }
        return new Scrape(samples);
    }

    private static double value(Metric metric) {
        if (metric instanceof Counter counter) {
            return counter.getValue();
        }
        return ((Gauge) metric).getValue();
    }

    List<Sample> of(String name, String... labels) {
        Map<String, String> wanted = new HashMap<>();
        for (int i = 0; i < labels.length; i += 2) {
            wanted.put(labels[i], labels[i + 1]);
        }
        return samples.stream()
                .filter(sample ->
                        sample.name().equals(name) && sample.labels().entrySet().containsAll(wanted.entrySet()))
                .toList();
    }

    /** Returns the one value; fails if there are several, or none. */
    double value(String name, String... labels) {
        List<Sample> found = of(name, labels);
        if (found.size() != 1) {
            throw new AssertionError(name + " " + List.of(labels) + " is there " + found.size() + " times");
        }
        return found.get(0).value();
    }
}
