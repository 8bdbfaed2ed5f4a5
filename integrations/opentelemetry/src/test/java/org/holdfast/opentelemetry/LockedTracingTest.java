// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.LockExtension;
import org.holdfast.testkit.RedisServers;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The code of {@code docs/observability.md}: locked methods have spans if the application produces such a factory. */
@Timeout(120)
class LockedTracingTest {

    private static final InMemorySpanExporter EXPORTER = InMemorySpanExporter.create();

    private static Map<String, String> nodes = Map.of();

    /** What an application has. */
    @ApplicationScoped
    public static class Factories {

        @Produces
        @ApplicationScoped
        OpenTelemetry telemetry() {
            return OpenTelemetrySdk.builder()
                    .setTracerProvider(SdkTracerProvider.builder()
                            .addSpanProcessor(SimpleSpanProcessor.create(EXPORTER))
                            .build())
                    .build();
        }

        @Produces
        @ApplicationScoped
        LockConnectionFactory locks(OpenTelemetry telemetry) {
            return TracedLocks.of(Holdfast.connect(nodes), telemetry);
        }

        void close(@Disposes LockConnectionFactory locks) {
            locks.close();
        }
    }

    /** Work under a lock. */
    @ApplicationScoped
    public static class Work {

        @Inject
        LockConnectionFactory locks;

        @Locked("stock-#{sku}")
        public boolean sell(String sku) {
            return locks.holders("stock-" + sku).size() == 1;
        }
    }

    @Test
    void lockedMethod_withATracedFactory_makesSpans() {
        try (RedisServers redis = RedisServers.start(3)) {
            nodes = Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "5000");
            try (WeldContainer container = new Weld()
                    .disableDiscovery()
                    .addExtension(new LockExtension())
                    .addBeanClasses(Factories.class, Work.class)
                    .initialize()) {
                Span request = container
                        .select(OpenTelemetry.class)
                        .get()
                        .getTracer("test")
                        .spanBuilder("request")
                        .startSpan();
                try (Scope scope = request.makeCurrent()) {
                    assertThat(scope).isNotNull();
                    assertThat(container.select(Work.class).get().sell("lamp")).isTrue();
                }
                assertThat(EXPORTER.getFinishedSpanItems())
                        .extracting(SpanData::getName)
                        .containsExactly("holdfast acquire", "holdfast hold");
                assertThat(EXPORTER.getFinishedSpanItems()).allSatisfy(span -> {
                    assertThat(span.getParentSpanId())
                            .isEqualTo(request.getSpanContext().getSpanId());
                    assertThat(span.getAttributes().get(Tracing.NAME)).isEqualTo("stock-lamp");
                });
                LockConnectionFactory locks =
                        container.select(LockConnectionFactory.class).get();
                await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
                    boolean ready = locks.status().isReady();
                    assertThat(ready).isTrue();
                });
            }
        }
    }
}
