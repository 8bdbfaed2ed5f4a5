// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.holdfast.LeaseLoss;
import org.holdfast.ReleaseResult;

/** The span of a lease, which ends once. It does not know the lease: what keeps it keeps no lease. */
final class HoldSpan {

    private final Tracing tracing;
    private final Span span;
    private final AtomicBoolean ended = new AtomicBoolean();

    HoldSpan(Tracing tracing, Span span) {
        this.tracing = tracing;
        this.span = span;
    }

    void released(ReleaseResult result) {
        endUnlessLost(its -> {
            its.setAttribute(Tracing.RELEASE, result.name());
            if (result == ReleaseResult.NOT_HELD) {
                its.setStatus(StatusCode.ERROR, "the lock was not held any more when it was released");
            }
        });
    }

    void lost(LeaseLoss loss) {
        end(its -> {
            its.addEvent("lost", Attributes.of(Tracing.REASON, loss.reason()));
            its.setStatus(StatusCode.ERROR, loss.reason());
        });
    }

    /** Its connection, or the view by which it was taken, has released it. */
    void end() {
        endUnlessLost(its -> {});
    }

    /** A lease that is released after its loss does not call its listeners any more. */
    private void endUnlessLost(Consumer<Span> last) {
        tracing.lossOf(this).ifPresentOrElse(this::lost, () -> end(last));
    }

    private void end(Consumer<Span> last) {
        if (ended.compareAndSet(false, true)) {
            tracing.safely(() -> last.accept(span));
            tracing.safely(span::end);
            tracing.forget(this);
        }
    }
}
