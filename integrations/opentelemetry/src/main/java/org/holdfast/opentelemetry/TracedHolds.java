// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.holdfast.Lease;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;

/**
 * The spans of what threads hold through views of one connection: equal views are one lock, so what one of them took
 * another may release.
 */
final class TracedHolds {

    /** @param thread 0 for permits, which belong to no thread */
    private record Key(List<String> names, LockMode mode, int permits, long thread) {
        static Key of(LockRequest request) {
            long thread = request.mode() == LockMode.PERMIT
                    ? 0
                    : Thread.currentThread().getId();
            return new Key(request.names(), request.mode(), request.permits(), thread);
        }
    }

    interface Taking<E extends Exception> {
        boolean take() throws E;
    }

    private final Tracing tracing;

    private final Map<Key, Deque<HoldSpan>> spans = new ConcurrentHashMap<>();

    TracedHolds(Tracing tracing) {
        this.tracing = tracing;
    }

    /** Lets a request take what it asks for, and makes the spans of that. */
    <E extends Exception> boolean take(LockRequest request, Taking<E> how, Supplier<Lease> lease) throws E {
        Tracing.Asking asking = tracing.begin(request);
        boolean taken;
        try {
            taken = how.take();
        } catch (Throwable e) {
            tracing.failed(asking, e);
            throw e;
        }
        if (taken) {
            tracing.safely(() -> taken(asking, lease));
        } else {
            tracing.busy(asking);
        }
        return taken;
    }

    private void taken(Tracing.Asking asking, Supplier<Lease> view) {
        Lease lease;
        try {
            lease = view.get();
        } catch (RuntimeException e) { // its thread holds it no more, or its connection was closed
            tracing.lostAtOnce(asking);
            return;
        }
        HoldSpan span = tracing.granted(asking, lease);
        spans.compute(Key.of(asking.request()), (key, before) -> {
            Deque<HoldSpan> held = before == null ? new ArrayDeque<>() : before;
            held.push(span);
            return held;
        });
    }

    /**
     * Ends the spans of the holds that were taken last.
     *
     * @param left how many there are, of those that there were
     */
    void released(LockRequest request, IntUnaryOperator left) {
        tracing.safely(() -> spans.computeIfPresent(Key.of(request), (key, held) -> {
            int size = left.applyAsInt(held.size());
            while (held.size() > Math.max(0, size)) {
                held.pop().end();
            }
            return held.isEmpty() ? null : held;
        }));
    }

    void endAll() {
        for (Key key : spans.keySet()) {
            spans.computeIfPresent(key, (same, held) -> {
                held.forEach(HoldSpan::end);
                return null;
            });
        }
    }
}
