// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.holdfast.Lease;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;

/**
 * The spans of what threads hold through views of one connection: equal views are one lock, so what one of them took
 * another may release.
 */
final class TracedHolds {

    /** @param thread 0 for permits, which belong to no thread */
    private record Key(Set<String> names, LockMode mode, int permits, long thread) {
        static Key of(LockRequest request) {
            long thread = request.mode() == LockMode.PERMIT
                    ? 0
                    : Thread.currentThread().getId();
            return new Key(Set.copyOf(request.names()), request.mode(), request.permits(), thread);
        }
    }

    private record Hold(long taker, Lease lease, HoldSpan span) {

        /** @param released false if the lease was not held any more */
        void end(boolean released) {
            if (released) {
                span.end();
            } else {
                span.released(ReleaseResult.NOT_HELD);
            }
        }
    }

    interface Taking<E extends Exception> {
        boolean take() throws E;
    }

    private final Tracing tracing;

    /** The last one comes first. */
    private final Map<Key, Deque<Hold>> holds = new ConcurrentHashMap<>();

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
        Hold taken = new Hold(Thread.currentThread().getId(), lease, tracing.granted(asking, lease));
        holds.compute(Key.of(asking.request()), (key, before) -> {
            Deque<Hold> held = before == null ? new ArrayDeque<>() : before;
            held.push(taken);
            return held;
        });
    }

    /**
     * Ends the spans of the holds of a lock that were taken last.
     *
     * @param left how many holds the calling thread still has
     * @param released false if the lock was not held any more
     */
    void unlocked(LockRequest request, IntSupplier left, boolean released) {
        tracing.safely(() -> holds.computeIfPresent(Key.of(request), (key, held) -> {
            int size = Math.max(0, left.getAsInt());
            while (held.size() > size) {
                held.pop().end(released);
            }
            return held.isEmpty() ? null : held;
        }));
    }

    /**
     * Ends the span of the permit that the calling thread has just released.
     *
     * @param released false if the permit was not held any more
     */
    void permitReleased(LockRequest request, boolean released) {
        tracing.safely(() -> holds.computeIfPresent(Key.of(request), (key, held) -> {
            Hold ended = releasedOf(held);
            if (ended != null) {
                held.remove(ended);
                ended.end(released);
            }
            return held.isEmpty() ? null : held;
        }));
    }

    /**
     * The thread's own permits come first, as in the semaphore. Among those of other threads the order may differ from
     * the semaphore's, where two came at the same moment: but the one that was released is not held.
     */
    private static @Nullable Hold releasedOf(Deque<Hold> held) {
        long caller = Thread.currentThread().getId();
        Hold ended = null;
        for (Hold hold : held) {
            if (!hold.lease().isHeld()) {
                if (hold.taker() == caller) {
                    return hold;
                }
                ended = ended == null ? hold : ended;
            }
        }
        return ended;
    }

    void endAll() {
        for (Key key : holds.keySet()) {
            holds.computeIfPresent(key, (same, held) -> {
                held.forEach(hold -> hold.span().end());
                return null;
            });
        }
    }
}
