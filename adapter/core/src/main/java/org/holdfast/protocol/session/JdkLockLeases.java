// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.holdfast.Lease;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * What the views of one connection have taken, by thread: views of the same name are the same lock. Safe for use by
 * any number of threads.
 */
final class JdkLockLeases {

    private final Map<Key, Deque<Taken>> taken = new ConcurrentHashMap<>();

    /** What was taken may be released by any thread: no thread has this id. */
    static final long ANY_THREAD = 0;

    private record Key(long thread, Set<String> names, LockMode mode, int permits) {
        static Key of(long thread, LockRequest request) {
            return new Key(thread, Set.copyOf(request.names()), request.mode(), request.permits());
        }
    }

    private record Taken(long taker, Lease lease) {}

    /** Keeps a lease, or releases it: without memory it cannot be kept. */
    void push(long thread, LockRequest request, Lease lease) {
        try {
            keep(thread, request, lease);
        } catch (RuntimeException | Error e) {
            lease.release();
            throw e;
        }
    }

    private void keep(long thread, LockRequest request, Lease lease) {
        Taken pushed = new Taken(Thread.currentThread().getId(), lease);
        taken.compute(Key.of(thread, request), (key, known) -> {
            Deque<Taken> stack = known == null ? new ArrayDeque<>(1) : known;
            stack.push(pushed);
            return stack;
        });
    }

    /** Returns what {@link #last} returns, and keeps it no more. */
    @Nullable
    Lease pop(long thread, LockRequest request) {
        Lease[] popped = new Lease[1];
        taken.computeIfPresent(Key.of(thread, request), (key, stack) -> {
            Taken last = last(stack);
            stack.remove(last);
            popped[0] = last.lease();
            return stack.isEmpty() ? null : stack;
        });
        return popped[0];
    }

    /**
     * Returns the lease that was taken last for the thread, or null if there is none.
     *
     * <p>Of those for any thread, the calling thread's own come first: another thread works under the others, and hears
     * of their losses.
     */
    @Nullable
    Lease last(long thread, LockRequest request) {
        Lease[] last = new Lease[1];
        taken.computeIfPresent(Key.of(thread, request), (key, stack) -> {
            last[0] = last(stack).lease();
            return stack;
        });
        return last[0];
    }

    /** @param stack is not empty */
    private static Taken last(Deque<Taken> stack) {
        long caller = Thread.currentThread().getId();
        return stack.stream().filter(each -> each.taker() == caller).findFirst().orElseGet(stack::getFirst);
    }

    /** Returns how many leases the thread has. */
    int count(long thread, LockRequest request) {
        int[] count = new int[1];
        taken.computeIfPresent(Key.of(thread, request), (key, stack) -> {
            count[0] = stack.size();
            return stack;
        });
        return count[0];
    }

    /** The connection is closed: a view can release nothing any more. */
    void clear() {
        taken.clear();
    }
}
