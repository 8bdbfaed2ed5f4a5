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

    private final Map<Key, Deque<Lease>> taken = new ConcurrentHashMap<>();

    /** What was taken belongs to no thread: no thread has this id. */
    static final long ANY_THREAD = 0;

    private record Key(long thread, Set<String> names, LockMode mode, int permits) {
        static Key of(long thread, LockRequest request) {
            return new Key(thread, Set.copyOf(request.names()), request.mode(), request.permits());
        }
    }

    void push(long thread, LockRequest request, Lease lease) {
        taken.compute(Key.of(thread, request), (key, known) -> {
            Deque<Lease> stack = known == null ? new ArrayDeque<>(1) : known;
            stack.push(lease);
            return stack;
        });
    }

    /** Returns the lease that the thread took last, or null. */
    @Nullable
    Lease pop(long thread, LockRequest request) {
        Lease[] last = new Lease[1];
        taken.computeIfPresent(Key.of(thread, request), (key, stack) -> {
            last[0] = stack.pop();
            return stack.isEmpty() ? null : stack;
        });
        return last[0];
    }

    /** Returns the same and keeps it. */
    @Nullable
    Lease last(long thread, LockRequest request) {
        Lease[] last = new Lease[1];
        taken.computeIfPresent(Key.of(thread, request), (key, stack) -> {
            last[0] = stack.peek();
            return stack;
        });
        return last[0];
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
