// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.holdfast.protocol.env.Chain;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.LeaseShare;
import org.jspecify.annotations.Nullable;

/**
 * Leases that a connection remembers. To take one out, and to give all of them up, needs no memory. Safe for use by any
 * number of threads.
 */
final class LeaseHandles {

    private final Chain<LeaseHandle> handles = new Chain<>();

    synchronized void add(LeaseHandle lease) {
        handles.addLast(lease);
    }

    /** Takes a lease out, if it is here. */
    synchronized void remove(LeaseHandle lease) {
        handles.remove(lease);
    }

    synchronized void removeIf(Predicate<LeaseHandle> unwanted) {
        handles.forEach(lease -> {
            if (unwanted.test(lease)) {
                handles.remove(lease);
            }
        });
    }

    synchronized int size() {
        return handles.size();
    }

    synchronized void addLocksTo(Set<HeldLock> heldLocks) {
        handles.forEach(lease -> heldLocks.add(lease.heldLock()));
    }

    private synchronized @Nullable LeaseHandle pollFirst() {
        return handles.pollFirst();
    }

    /** As {@link LeaseHandle#interruptNoMore}, for all; remembers none of them any more. */
    void interruptNoMore() {
        LeaseHandle lease;
        while ((lease = pollFirst()) != null) {
            lease.interruptNoMore();
        }
    }

    /**
     * Ends all leases, and returns what is to be given back for them. If that fails, as without memory, their locks are
     * left to the TTL: a handle may not be closed again.
     */
    List<LeaseShare> endAll() {
        List<LeaseShare> ended = null;
        LeaseHandle lease = null;
        try {
            ended = new ArrayList<>(size());
            while ((lease = pollFirst()) != null) {
                if (lease.end()) {
                    ended.add(lease);
                }
            }
            return ended;
        } catch (RuntimeException | Error e) {
            for (int i = 0; ended != null && i < ended.size(); i++) {
                ended.get(i).heldLock().neglect();
            }
            neglect(lease);
            while ((lease = pollFirst()) != null) {
                neglect(lease);
            }
            throw e;
        }
    }

    private static void neglect(@Nullable LeaseHandle lease) {
        if (lease != null) {
            lease.heldLock().neglect();
        }
    }
}
