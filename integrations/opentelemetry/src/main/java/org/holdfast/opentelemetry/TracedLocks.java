// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.holdfast.LockConnectionFactory;

/**
 * Makes spans of what an application does with locks.
 *
 * <p>{@code holdfast acquire} lasts from the request until its answer, and has the outcome. {@code holdfast hold} lasts
 * from the grant until the lease is released, its connection or factory is closed, or it is lost: then it has an event
 * {@code lost} with the reason, and the status {@code ERROR}. A transaction may keep the lock for longer than its
 * lease: {@code holdfast.release} is {@code KEPT} then. Both spans are children of what the caller's thread is in when
 * it asks, also if another thread gets or releases the lease. Neither is made the current span.
 *
 * <p>What is thrown by tracing, by an exporter for example, is logged once and has no effect on locks. An exporter that
 * blocks the thread that ends a span blocks callers: export in batches.
 */
public final class TracedLocks {

    private TracedLocks() {}

    /**
     * {@return a factory whose connections make spans, with the names of locks in them}
     *
     * @param locks what takes the locks; closing the result closes it
     * @param openTelemetry receives the spans
     */
    public static LockConnectionFactory of(LockConnectionFactory locks, OpenTelemetry openTelemetry) {
        return of(locks, openTelemetry, UnaryOperator.identity());
    }

    /**
     * {@return a factory whose connections make spans} For an application that hides the names of its locks from the
     * readers of traces: it may show the lock {@code customer-4711} as {@code customer}.
     *
     * @param locks what takes the locks; closing the result closes it
     * @param openTelemetry receives the spans
     * @param shownName returns what spans have in the place of a lock's name; called for each span
     */
    public static LockConnectionFactory of(
            LockConnectionFactory locks, OpenTelemetry openTelemetry, UnaryOperator<String> shownName) {
        return new TracedFactory(
                Objects.requireNonNull(locks, "locks"),
                new Tracing(
                        openTelemetry.getTracer("org.holdfast.opentelemetry"),
                        Objects.requireNonNull(shownName, "shownName")));
    }
}
