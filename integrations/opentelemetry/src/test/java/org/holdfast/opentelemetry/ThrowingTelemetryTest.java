// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tracing that fails at each call costs spans, and no lock. */
@Timeout(120)
class ThrowingTelemetryTest {

    private record Throwing(boolean atStart, boolean atEnd) implements SpanProcessor {

        @Override
        public void onStart(Context parent, ReadWriteSpan span) {
            throw new NoClassDefFoundError("of an exporter");
        }

        @Override
        public boolean isStartRequired() {
            return atStart;
        }

        @Override
        public void onEnd(ReadableSpan span) {
            throw new IllegalStateException("no connection to the collector");
        }

        @Override
        public boolean isEndRequired() {
            return atEnd;
        }
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, true"})
    void locks_besideTracingThatThrows_areTakenAndReleased(boolean atStart, boolean atEnd) throws Exception {
        try (OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
                        .setTracerProvider(SdkTracerProvider.builder()
                                .addSpanProcessor(new Throwing(atStart, atEnd))
                                .build())
                        .build();
                RedisServers redis = RedisServers.start(1);
                LockConnectionFactory plain =
                        Holdfast.connect(Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "5000"))) {
            useAllShapes(plain, TracedLocks.of(plain, telemetry));
        }
    }

    @Test
    void locks_whoseShownNameThrows_areTakenAndReleased() throws Exception {
        try (OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
                        .setTracerProvider(SdkTracerProvider.builder()
                                .addSpanProcessor(new Throwing(false, false))
                                .build())
                        .build();
                RedisServers redis = RedisServers.start(1);
                LockConnectionFactory plain =
                        Holdfast.connect(Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "5000"))) {
            useAllShapes(plain, TracedLocks.of(plain, telemetry, name -> {
                throw new IllegalArgumentException(name);
            }));
        }
    }

    private static void useAllShapes(LockConnectionFactory plain, LockConnectionFactory traced) throws Exception {
        try (LockConnection connection = traced.getConnection()) {
            Lease lease = connection.acquire("a");
            assertThat(plain.holders("a")).hasSize(1);
            lease.release();
            assertThat(plain.holders("a")).isEmpty();
            connection.acquireAsync("a").get(30, TimeUnit.SECONDS).release();
            connection.lock("a").lock();
            connection.lock("a").unlock();
            assertThat(plain.holders("a")).isEmpty();
            assertThat(connection.tryAcquire("b")).isPresent();
        }
        assertThat(plain.holders("b")).isEmpty();
    }
}
