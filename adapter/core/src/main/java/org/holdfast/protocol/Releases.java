// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.quorum.QuorumResult;
import org.holdfast.protocol.quorum.Redlock;
import org.holdfast.protocol.quorum.Timing;

/**
 * Releases the locks of this process: it passes them on to the next waiter here, or releases them on the nodes.
 *
 * <p>Safe for use by any number of threads.
 */
final class Releases {

    /**
     * So often a lock is passed on inside this process before other processes have their turn; and as many tokens are
     * reserved with each.
     */
    static final int MOST_PASSED_ON = 15;

    /** So long after it was taken a lock is not passed on any more. */
    private static final long LONGEST_PASSED_ON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** So many releases are under way at once: their replies must fit what a node buffers for one connection. */
    private static final int BATCH = 200;

    private final LeaseManager manager;
    private final Nodes service;
    private final Time time;
    private final Timing timing;

    /** @param service the nodes through which leases are released: the caller's connections may be gone by then */
    Releases(LeaseManager manager, Nodes service) {
        this.manager = manager;
        this.service = service;
        this.time = manager.time();
        this.timing = manager.timing();
    }

    /** Releases a lease, as below, and returns what became of its lock. */
    ReleaseResult giveBack(LeaseShare share) {
        HeldLock heldLock = share.heldLock();
        switch (heldLock.giveBack(share.reads())) {
            case ALL -> {
                return handOver(heldLock)
                        ? ReleaseResult.RELEASED
                        : release(List.of(heldLock), service).get(0);
            }
            case ALONE -> {
                letReadersIn(heldLock);
                return heldLock.isHeld(time.nanoTime()) ? ReleaseResult.KEPT : ReleaseResult.NOT_HELD;
            }
            default -> {
                return heldLock.isHeld(time.nanoTime()) ? ReleaseResult.KEPT : ReleaseResult.NOT_HELD;
            }
        }
    }

    /** Releases leases. A lock that has no lease any more is passed on, or released on the nodes, all at once. */
    void giveBack(Collection<LeaseShare> shares) {
        List<HeldLock> released = new ArrayList<>(shares.size());
        Set<HeldLock> onlyRead = new HashSet<>(0);
        for (LeaseShare share : shares) {
            HeldLock.GivenBack given = share.heldLock().giveBack(share.reads());
            if (given == HeldLock.GivenBack.ALONE) {
                onlyRead.add(share.heldLock());
            } else if (given == HeldLock.GivenBack.ALL) {
                onlyRead.remove(share.heldLock());
                if (!handOver(share.heldLock())) {
                    released.add(share.heldLock());
                }
            }
        }
        release(released, service);
        onlyRead.forEach(this::letReadersIn);
    }

    /** Its holder had the lock alone and only reads from now on. */
    private void letReadersIn(HeldLock heldLock) {
        heldLock.becomeReading();
        if (heldLock.isHeld(time.nanoTime())) { // the last of its leases may have been released meanwhile
            manager.renew(heldLock);
        }
        manager.heldLocks().wakeWaiters(heldLock);
    }

    /** Passes a lock on to the next waiter in this process, with the next token. */
    private boolean handOver(HeldLock heldLock) {
        return canBePassedOn(heldLock) && manager.waitQueues().handOff(heldLock);
    }

    /** With bounds, so that other processes have their turn, and with half of the validity left for the next holder. */
    private boolean canBePassedOn(HeldLock heldLock) {
        Claim claim = heldLock.claim();
        long now = time.nanoTime();
        return !manager.isClosed()
                && !heldLock.suspicion().isOpen() // else the nodes have to be asked whether it is still ours
                && heldLock.token() < claim.lastToken()
                && now - heldLock.cohort().since() < LONGEST_PASSED_ON_NANOS
                && heldLock.validUntil() - now >= timing.validityNanos(claim.ttlMillis()) / 2;
    }

    /** Returns the hold of the next holder in this process, in the place of one that has been released. */
    HeldLock passOn(HeldLock old, HeldLock.Taker taker, HeldLock.Terms terms) {
        QuorumResult.Acquired acquired = new QuorumResult.Acquired(time.nanoTime(), old.validUntil());
        HeldLock heir = manager.newHold(old.claim(), old.cohort().next(), taker, terms, acquired);
        manager.heldLocks().replace(old, heir);
        manager.counters().passedOn.increment();
        return heir;
    }

    /** Releases on the nodes, all at once; returns the results, in no order where they are several. */
    List<ReleaseResult> release(List<HeldLock> all, Nodes nodes) {
        return release(all, nodes, time.nanoTime() + Long.MAX_VALUE / 4);
    }

    private List<ReleaseResult> release(List<HeldLock> all, Nodes nodes, long until) {
        long begun = time.nanoTime();
        List<HeldLock> given = new ArrayList<>(all.size());
        List<ReleaseResult> results = new ArrayList<>(all.size());
        for (HeldLock heldLock : all) {
            long kept = heldLock.keptNanos(begun);
            if (kept > 0) {
                ReleaseResult result = letExpire(heldLock, nodes, kept, until);
                results.add(wasHeld(heldLock, begun) ? result : ReleaseResult.NOT_HELD);
            } else {
                given.add(heldLock);
            }
        }
        List<Redlock.Releasing> releasing = manager.redlock()
                .startReleases(nodes, given.stream().map(HeldLock::claim).toList());
        for (int i = 0; i < given.size(); i++) {
            HeldLock heldLock = given.get(i);
            manager.counters().released.increment();
            Redlock.Freed freed = manager.redlock().finishRelease(nodes, releasing.get(i), begun, until);
            manager.handoffYield().released(heldLock.lock(), freed.listeners());
            manager.heldLocks().remove(heldLock);
            results.add(wasHeld(heldLock, begun) ? freed.result() : ReleaseResult.NOT_HELD);
        }
        return results;
    }

    /**
     * A node keeps the key of a lock for longer than its lease lasts: what counts is our clock, when the release was
     * sent.
     */
    private static boolean wasHeld(HeldLock heldLock, long begun) {
        return begun - heldLock.validUntil() < 0;
    }

    /** The request had a minimum hold time: the nodes keep the lock for the rest of it, without this process. */
    private ReleaseResult letExpire(HeldLock heldLock, Nodes nodes, long keptNanos, long until) {
        long millis = TimeUnit.NANOSECONDS.toMillis(keptNanos) + 1;
        manager.counters().released.increment();
        ReleaseResult result = manager.redlock().letExpire(nodes, heldLock.claim(), millis, until);
        manager.heldLocks().remove(heldLock);
        return result;
    }

    /**
     * Releases all that this process holds.
     *
     * @param deadline when to stop; what is not released by then ends with its TTL
     */
    void releaseAll(long deadline) {
        Iterator<HeldLock> all = manager.heldLocks().all().iterator();
        while (all.hasNext() && time.nanoTime() - deadline < 0) {
            List<HeldLock> batch = new ArrayList<>();
            while (all.hasNext() && batch.size() < BATCH) {
                HeldLock heldLock = all.next();
                if (heldLock.giveBackAll()) {
                    batch.add(heldLock);
                }
            }
            release(batch, service, deadline);
        }
    }
}
