// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** Three nodes, and a connection to them whose spans an exporter keeps. */
abstract class TracedNodes {

    static RedisServers redis;
    static LockConnectionFactory plain;

    final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .build();
    final LockConnectionFactory locks = TracedLocks.of(plain, telemetry);
    final LockConnection connection = locks.getConnection();

    static LockConnectionFactory connect(RedisServers nodes) {
        return Holdfast.connect(
                Map.of("nodes", nodes.uris(), "guard", "OFF", "nodeTimeoutMillis", "3000", "ttlMillis", "6000"));
    }

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(3);
        plain = connect(redis);
    }

    @AfterAll
    static void stopNodes() {
        plain.close();
        redis.close();
    }

    @AfterEach
    void close() {
        connection.close();
        telemetry.close();
    }

    final List<SpanData> spans(String name) {
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }
}
