// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.Counters;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.HeldLocks;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.LockShape;
import org.jspecify.annotations.Nullable;

/** Takes locks once more that their holder has already. Safe for use by any number of threads. */
public final class Reentry {

    private final Time time;
    private final HeldLocks heldLocks;
    private final Counters counters;

    public Reentry(Time time, HeldLocks heldLocks, Counters counters) {
        this.time = time;
        this.heldLocks = heldLocks;
        this.counters = counters;
    }

    /**
     * Takes the lock once more if the caller has it already.
     *
     * @param holders the holders as which the caller may take the lock
     * @return the lock, or null if it has to be acquired
     * @throws IllegalStateException if the holder would wait for itself, or the lock does not fit the request
     */
    public @Nullable HeldLock enter(LockRequest request, List<Holder> holders) {
        if (request.scope() == LeaseScope.DETACHED || LockShape.of(request).hasPermits()) {
            return null;
        }
        HeldLock mine = find(request, holders);
        if (mine == null) {
            return null;
        }
        if (!mine.terms().isKept(request.atLeast())) {
            throw new IllegalStateException(
                    "HF0228: the holder has lock '" + request.name() + "' already, and not for at least "
                            + request.atLeast().orElseThrow() + ": that has to be asked for when it is taken first");
        }
        boolean reads = LockShape.of(request).reads();
        if (!reads && mine.isReading()) {
            throw new ReadByItselfException(request.name());
        }
        if (!mine.share(time.nanoTime(), reads)) { // lost or released just now
            return null;
        }
        counters.countReentered();
        return mine;
    }

    private @Nullable HeldLock find(LockRequest request, List<Holder> holders) {
        if (request.names().size() == 1) {
            return heldLocks.find(request.name(), heldLock -> isOf(holders, heldLock));
        }
        Set<HeldLock> mine = new HashSet<>();
        for (String name : request.names()) {
            mine.add(heldLocks.find(name, heldLock -> isOf(holders, heldLock)));
        }
        if (mine.size() > 1) {
            throw new IllegalStateException("HF0227: the holder has some of " + request.names()
                    + " already and would wait for itself: take them together, or one after the other");
        }
        return mine.iterator().next();
    }

    /**
     * Checks that a lock which the holder has already fits the TTL, renewal and maxHold of its request. A request that
     * sets none of them accepts the lock as it is; so does one that asks for renewal, which is the default.
     *
     * @param asked as the application made it, without defaults
     * @throws IllegalStateException if the lock does not fit
     */
    public void requireSameTerms(LockRequest asked, List<Holder> holders) {
        if (asked.scope() == LeaseScope.DETACHED || LockShape.of(asked).hasPermits()) {
            return;
        }
        for (String name : asked.names()) {
            HeldLock held = heldLocks.find(name, heldLock -> isOf(holders, heldLock));
            String difference = held == null
                    ? null
                    : held.terms().difference(asked, held.claim().ttlMillis());
            if (difference != null) {
                throw new IllegalStateException("HF0229: the holder has lock '" + name + "' already, with " + difference
                        + ": a lock that is taken once more stays as it was taken first. Leave that out of the request, or take"
                        + " the lock first as it is needed");
            }
        }
    }

    /** A lock that is lost but not yet removed must not hide a newer one of the same holder. */
    private boolean isOf(List<Holder> holders, HeldLock heldLock) {
        return !heldLock.claim().target().isPermit()
                && holders.stream().anyMatch(heldLock::belongsTo)
                && heldLock.isHeld(time.nanoTime());
    }
}
