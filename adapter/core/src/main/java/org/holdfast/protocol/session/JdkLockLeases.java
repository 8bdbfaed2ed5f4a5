// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Chain;
import org.jspecify.annotations.Nullable;

/**
 * What the views of one connection have taken, by thread: views of the same name are the same lock.
 *
 * <p>Chains that are searched from their ends, as locks are mostly released in the opposite order: to take a lease out
 * needs no memory, so an {@code unlock} in a full heap leaves no lock taken. Safe for use by any number of threads.
 */
final class JdkLockLeases {

    /** What was taken may be released by any thread: no thread has this id. */
    static final long ANY_THREAD = 0;

    /** More chains are made when they are longer than this on average: a long one takes long to search. */
    private static final int MOST_IN_CHAIN = 16;

    private static final int GROWTH = 8;

    /** By the names. */
    private List<Chain<Taken>> chains = List.of(new Chain<>());

    private int size;

    private static final class Taken extends Chain.Link<Taken> {
        private final long thread;
        private final long taker = Thread.currentThread().getId();
        private final LockRequest request;
        private final int names; // so that a long chain is searched fast
        private final Lease lease;

        Taken(long thread, LockRequest request, Lease lease) {
            this.thread = thread;
            this.request = request;
            this.names = hash(request.names());
            this.lease = lease;
        }

        private boolean isOf(long owner, LockRequest other, int otherNames) {
            return thread == owner
                    && names == otherNames
                    && (request == other
                            || request.mode() == other.mode()
                                    && request.permits() == other.permits()
                                    && isSame(request.names(), other.names()));
        }

        /** The same for all orders. An iterator would take memory. */
        private static int hash(List<String> names) {
            int hash = 0;
            for (int i = 0; i < names.size(); i++) {
                hash += names.get(i).hashCode();
            }
            return hash;
        }

        /** In any order. */
        private static boolean isSame(List<String> names, List<String> others) {
            if (names.size() != others.size()) {
                return false;
            }
            for (int i = 0; i < names.size(); i++) {
                if (!others.contains(names.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Keeps a lease, or releases it: without memory it cannot be kept. */
    void push(long thread, LockRequest request, Lease lease) {
        try {
            Taken pushed = new Taken(thread, request, lease);
            add(pushed);
        } catch (RuntimeException | Error e) {
            lease.release();
            throw e;
        }
    }

    private synchronized void add(Taken pushed) {
        if (size >= MOST_IN_CHAIN * chains.size()) {
            grow();
        }
        chainOf(pushed.names, chains).addLast(pushed);
        size++;
    }

    private static Chain<Taken> chainOf(int names, List<Chain<Taken>> some) {
        return some.get(Math.floorMod(names ^ names >>> 16, some.size()));
    }

    /** What has the same names stays in order: it comes from one chain, and goes to one. */
    private void grow() {
        List<Chain<Taken>> more = new ArrayList<>(GROWTH * chains.size());
        for (int i = 0; i < GROWTH * chains.size(); i++) {
            more.add(new Chain<>());
        }
        for (Chain<Taken> chain : chains) {
            Taken moved;
            while ((moved = chain.pollFirst()) != null) {
                chainOf(moved.names, more).addLast(moved);
            }
        }
        chains = more;
    }

    /** Returns what {@link #last} returns, and keeps it no more. */
    @Nullable
    synchronized Lease pop(long thread, LockRequest request) {
        Taken last = find(thread, request);
        if (last == null) {
            return null;
        }
        chainOf(last.names, chains).remove(last);
        size--;
        return last.lease;
    }

    /**
     * Returns the lease that was taken last for the thread, or null if there is none.
     *
     * <p>Of those for any thread, the calling thread's own come first: another thread works under the others, and hears
     * of their losses.
     */
    @Nullable
    synchronized Lease last(long thread, LockRequest request) {
        Taken last = find(thread, request);
        return last == null ? null : last.lease;
    }

    private @Nullable Taken find(long thread, LockRequest request) {
        long caller = Thread.currentThread().getId();
        int names = Taken.hash(request.names());
        Taken ofAnother = null;
        Chain<Taken> chain = chainOf(names, chains);
        for (Taken each = chain.last(); each != null; each = chain.previous(each)) {
            if (each.isOf(thread, request, names)) {
                if (each.taker == caller) {
                    return each;
                }
                ofAnother = ofAnother == null ? each : ofAnother;
            }
        }
        return ofAnother;
    }

    /** Returns how many leases the thread has. */
    synchronized int count(long thread, LockRequest request) {
        int count = 0;
        int names = Taken.hash(request.names());
        Chain<Taken> chain = chainOf(names, chains);
        for (Taken each = chain.first(); each != null; each = chain.next(each)) {
            count += each.isOf(thread, request, names) ? 1 : 0;
        }
        return count;
    }

    /** The connection is closed: a view can release nothing any more. */
    synchronized void clear() {
        for (int i = 0; i < chains.size(); i++) { // an iterator would need memory
            chains.get(i).clear();
        }
        size = 0;
    }
}
