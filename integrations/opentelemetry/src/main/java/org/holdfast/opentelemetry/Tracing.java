// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.QuorumUnavailableException;

/** Makes spans. Nothing that tracing throws reaches a caller: a lease that was granted must not be lost by it. */
final class Tracing {

    static final AttributeKey<String> NAME = AttributeKey.stringKey("holdfast.lock.name");
    static final AttributeKey<Long> NAMES = AttributeKey.longKey("holdfast.lock.names");
    static final AttributeKey<String> MODE = AttributeKey.stringKey("holdfast.lock.mode");
    static final AttributeKey<Long> WAIT = AttributeKey.longKey("holdfast.wait_timeout_ms");
    static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("holdfast.outcome");
    static final AttributeKey<Long> TOKEN = AttributeKey.longKey("holdfast.token");
    static final AttributeKey<String> RELEASE = AttributeKey.stringKey("holdfast.release");
    static final AttributeKey<String> REASON = AttributeKey.stringKey("holdfast.reason");

    private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);

    private static final System.Logger LOG = System.getLogger(Tracing.class.getName());

    private final Tracer tracer;
    private final UnaryOperator<String> shownName;
    private final AtomicBoolean complained = new AtomicBoolean();

    /** As many as there are leases that are neither released nor lost. */
    private final Map<HoldSpan, Lease> open = new ConcurrentHashMap<>();

    Tracing(Tracer tracer, UnaryOperator<String> shownName) {
        this.tracer = tracer;
        this.shownName = shownName;
    }

    /** One request under way: its span, and where it was made. */
    record Asking(Span span, Context caller, LockRequest request) {}

    Asking begin(LockRequest request) {
        return safely(() -> begin(request, Context.current()), new Asking(Span.getInvalid(), Context.root(), request));
    }

    private Asking begin(LockRequest request, Context caller) {
        Span span = newSpan("holdfast acquire", request, caller);
        request.waitTimeout().ifPresent(wait -> span.setAttribute(WAIT, millis(wait)));
        return new Asking(span, caller, request);
    }

    /** Returns the most that a long has for a longer time, such as one that stands for ever. */
    private static long millis(Duration duration) {
        return duration.compareTo(LONGEST) < 0 ? duration.toMillis() : Long.MAX_VALUE;
    }

    /** The name is no part of the span's name, of which there are to be few. */
    private Span newSpan(String what, LockRequest request, Context caller) {
        Span span = tracer.spanBuilder(what)
                .setParent(caller)
                .setSpanKind(SpanKind.INTERNAL)
                .startSpan();
        if (span.isRecording()) {
            span.setAttribute(NAME, shownName.apply(request.name()));
            span.setAttribute(MODE, request.mode().name());
            if (request.names().size() > 1) {
                span.setAttribute(NAMES, (long) request.names().size());
            }
        }
        return span;
    }

    /** Ends the first span and begins the second, which ends by itself if the lease is lost. */
    HoldSpan granted(Asking asking, Lease lease) {
        safely(() -> {
            asking.span().setAttribute(OUTCOME, "HELD").setAttribute(TOKEN, lease.token());
            asking.span().end();
        });
        HoldSpan hold = new HoldSpan(this, safely(() -> newHold(asking, lease), Span.getInvalid()));
        open.put(hold, lease);
        safely(() -> lease.onLost(hold::lost));
        return hold;
    }

    /** Returns how the lease of a span was lost; empty if it was not, or if the span has ended. */
    Optional<LeaseLoss> lossOf(HoldSpan span) {
        Lease lease = open.get(span);
        return lease == null ? Optional.empty() : safely(() -> lossOf(lease), Optional.empty());
    }

    private static Optional<LeaseLoss> lossOf(Lease lease) {
        try {
            lease.requireHeld();
            return Optional.empty();
        } catch (LeaseLostException e) {
            return Optional.of(e.loss());
        } catch (IllegalStateException e) { // it was released
            return Optional.empty();
        }
    }

    void forget(HoldSpan ended) {
        open.remove(ended);
    }

    /**
     * Ends the spans of leases that are not held any more, since their factory was closed. The factory of a container
     * goes on, and so do they.
     */
    void endReleased() {
        open.forEach((hold, lease) -> safely(() -> {
            if (!lease.isHeld()) {
                hold.end();
            }
        }));
    }

    private Span newHold(Asking asking, Lease lease) {
        Span span = newSpan("holdfast hold", asking.request(), asking.caller());
        span.addLink(asking.span().getSpanContext());
        return span.setAttribute(TOKEN, lease.token());
    }

    /** It was lost before it could be seen: there is no lease that a second span could be of. */
    void lostAtOnce(Asking asking) {
        ended(asking, "HELD", "the lease was lost at once");
    }

    /** Another holder has the lock: that is no error. */
    void busy(Asking asking) {
        ended(asking, "BUSY", "");
    }

    void failed(Asking asking, Throwable failure) {
        if (failure instanceof LockTimeoutException) {
            ended(asking, "BUSY", "");
        } else if (failure instanceof QuorumUnavailableException unavailable) {
            ended(asking, "UNAVAILABLE", unavailable.failures().toString());
        } else if (failure instanceof InterruptedException) {
            ended(asking, "INTERRUPTED", "");
        } else if (failure instanceof CancellationException) {
            ended(asking, "CANCELLED", "");
        } else {
            ended(asking, "FAILED", failure.getClass().getName()); // its message may have the lock's name
        }
    }

    private void ended(Asking asking, String outcome, String error) {
        safely(() -> {
            asking.span().setAttribute(OUTCOME, outcome);
            if (!error.isEmpty()) {
                asking.span().setStatus(StatusCode.ERROR, error);
            }
            asking.span().end();
        });
    }

    void safely(Runnable action) {
        safely(
                () -> {
                    action.run();
                    return true;
                },
                false);
    }

    private <T> T safely(Supplier<T> action, T otherwise) {
        try {
            return action.get();
        } catch (Throwable e) { // also errors: of a class that an exporter lacks, for example
            System.Logger.Level level =
                    complained.compareAndSet(false, true) ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG;
            LOG.log(level, "a span of a lock failed, and the lock did not; later failures are logged at DEBUG", e);
            return otherwise;
        }
    }
}
