// SPDX-License-Identifier: Apache-2.0

/**
 * Spans of OpenTelemetry for locks.
 *
 * <p>{@link org.holdfast.opentelemetry.TracedLocks} wraps a factory. Each connection of it makes a span for each
 * acquisition, and one from the grant until the lease is released or lost. {@code Tracing} makes the spans, and keeps
 * what tracing throws away from callers; {@code HoldSpan} is the second of the two. The others forward to what they
 * wrap: {@code TracedConnection}, {@code TracedLease}, {@code TracedFuture}, {@code TracedLock}
 * and {@code TracedSemaphore}, whose spans are in {@code TracedHolds}.
 */
@NullMarked
package org.holdfast.opentelemetry;

import org.jspecify.annotations.NullMarked;
