// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.holdfast.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The future of a lease that has a span. Whatever ends it before there is a lease, cancelling or a timeout, withdraws
 * the request; a lease that comes all the same is released.
 */
final class TracedFuture extends CompletableFuture<Lease> {

    private final CompletableFuture<Lease> asked;

    private TracedFuture(CompletableFuture<Lease> asked) {
        this.asked = asked;
    }

    /** @param granted gives a lease its span */
    static TracedFuture of(CompletableFuture<Lease> asked, UnaryOperator<Lease> granted) {
        TracedFuture traced = new TracedFuture(asked);
        traced.whenComplete((lease, failure) -> {
            if (failure != null) {
                asked.cancel(false);
            }
        });
        asked.whenComplete((lease, failure) -> traced.settle(lease, failure, granted));
        return traced;
    }

    private void settle(@Nullable Lease lease, @Nullable Throwable failure, UnaryOperator<Lease> granted) {
        if (lease == null) {
            completeExceptionally(failure == null ? new IllegalStateException("no lease") : failure);
            return;
        }
        Lease withSpan = granted.apply(lease);
        if (!complete(withSpan)) {
            withSpan.release();
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        asked.cancel(mayInterruptIfRunning); // what it was asked for is settled on this thread then
        return isCancelled();
    }
}
