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

/**
 * Gives back the locks of this process: to the next one who waits here, or to the nodes.
 *
 * <p>Safe for use by any number of threads.
 */
final class Releases {

    /**
     * So often a lock is passed on inside this process before other processes have their turn; and as many tokens are reserved
     * with each.
     */
    static final int MOST_PASSED_ON = 15;

    /** So long after it was taken a lock is not passed on any more. */
    private static final long LONGEST_PASSED_ON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** So many releases are under way at once: their replies must fit what a node buffers for one connection. */
    private static final int BATCH = 200;

    private final LeaseManager manager;
    private final Renewals renewals;
    private final Nodes service;
    private final Time time;
    private final Timing timing;

    /** @param service the nodes through which leases are released: the caller's connections may be gone by then */
    Releases(LeaseManager manager, Renewals renewals, Nodes service) {
        this.manager = manager;
        this.renewals = renewals;
        this.service = service;
        this.time = manager.time();
        this.timing = manager.timing();
    }

    /** Gives back a lease, as below, and says what became of its lock. */
    ReleaseResult giveBack(Share share) {
        Hold hold = share.hold();
        switch (hold.giveBack(share.reads())) {
            case ALL -> {
                return handOver(hold)
                        ? ReleaseResult.RELEASED
                        : release(List.of(hold), service).get(0);
            }
            case ALONE -> {
                letReadersIn(hold);
                return hold.isHeld(time.nanoTime()) ? ReleaseResult.KEPT : ReleaseResult.NOT_HELD;
            }
            default -> {
                return hold.isHeld(time.nanoTime()) ? ReleaseResult.KEPT : ReleaseResult.NOT_HELD;
            }
        }
    }

    /** Gives back leases. What nobody holds any more is passed on or released on the nodes, all at once. */
    void giveBack(Collection<Share> shares) {
        List<Hold> released = new ArrayList<>(shares.size());
        Set<Hold> onlyRead = new HashSet<>(0);
        for (Share share : shares) {
            Hold.GivenBack given = share.hold().giveBack(share.reads());
            if (given == Hold.GivenBack.ALONE) {
                onlyRead.add(share.hold());
            } else if (given == Hold.GivenBack.ALL) {
                onlyRead.remove(share.hold());
                if (!handOver(share.hold())) {
                    released.add(share.hold());
                }
            }
        }
        release(released, service);
        onlyRead.forEach(this::letReadersIn);
    }

    /** Its holder had the lock alone and only reads from now on. */
    private void letReadersIn(Hold hold) {
        hold.becomeReading();
        if (hold.isHeld(time.nanoTime())) { // the last of its leases may have been given back meanwhile
            manager.renew(hold);
        }
        hold.claim().target().names().forEach(manager.waitingRoom()::wake);
    }

    /** Passes a lock on to the next one in this process, with the next token. */
    private boolean handOver(Hold hold) {
        boolean passed = canBePassedOn(hold)
                && manager.waitingRoom()
                        .handOver(new WaitingRoom.Line(hold.lock(), WaitingRoom.Kind.FREE_FOR_ALL), hold);
        if (passed) {
            renewals.remove(hold);
        }
        return passed;
    }

    /** With bounds, so that other processes have their turn, and with half of the validity left for the next one. */
    private boolean canBePassedOn(Hold hold) {
        Claim claim = hold.claim();
        long now = time.nanoTime();
        return !manager.isClosed()
                && !hold.suspicion().isOpen() // else the nodes have to be asked whether it is still ours
                && hold.token() < claim.lastToken()
                && now - hold.cohort().since() < LONGEST_PASSED_ON_NANOS
                && hold.validUntil() - now >= timing.validityNanos(claim.ttlMillis()) / 2;
    }

    /** Returns the hold of the next one in this process, in the place of one that has been given back. */
    Hold passOn(Hold old, Hold.Taker taker, Hold.Terms terms) {
        Outcome.Acquired acquired = new Outcome.Acquired(time.nanoTime(), old.validUntil());
        Hold heir = manager.newHold(old.claim(), old.cohort().next(), taker, terms, acquired);
        manager.holds().replace(old, heir);
        manager.counters().passedOn.increment();
        renewals.add(heir);
        return heir;
    }

    /** Releases on the nodes, all at once; returns what came of it, in no order where they are several. */
    List<ReleaseResult> release(List<Hold> all, Nodes nodes) {
        return release(all, nodes, time.nanoTime() + Long.MAX_VALUE / 4);
    }

    private List<ReleaseResult> release(List<Hold> all, Nodes nodes, long until) {
        long begun = time.nanoTime();
        List<Hold> given = new ArrayList<>(all.size());
        List<ReleaseResult> results = new ArrayList<>(all.size());
        for (Hold hold : all) {
            long kept = hold.keptNanos(begun);
            if (kept > 0) {
                ReleaseResult result = letExpire(hold, nodes, kept, until);
                results.add(wasHeld(hold, begun) ? result : ReleaseResult.NOT_HELD);
            } else {
                given.add(hold);
            }
        }
        List<Round> rounds = manager.redlock().startReleases(nodes, given);
        for (int i = 0; i < given.size(); i++) {
            Hold hold = given.get(i);
            Redlock.Freed freed = manager.redlock().finishRelease(nodes, hold, rounds.get(i), begun, until);
            if (freed.listeners() > (manager.announcements().isHeard(hold.lock()) ? 1 : 0)) { // one of them is our own
                manager.courtesy().letOthersGoFirst(hold.lock());
            }
            manager.forget(hold);
            results.add(wasHeld(hold, begun) ? freed.result() : ReleaseResult.NOT_HELD);
        }
        return results;
    }

    /** A node keeps the key of a lock for longer than its lease lasts: what counts is our clock, when the release was sent. */
    private static boolean wasHeld(Hold hold, long begun) {
        return begun - hold.validUntil() < 0;
    }

    /** Nobody is to have it for some time, and that needs nobody here. */
    private ReleaseResult letExpire(Hold hold, Nodes nodes, long keptNanos, long until) {
        long millis = TimeUnit.NANOSECONDS.toMillis(keptNanos) + 1;
        ReleaseResult result = manager.redlock().letExpire(nodes, hold, millis, until);
        manager.forget(hold);
        return result;
    }

    /**
     * Releases all that this process holds.
     *
     * @param deadline when to stop; what is not released by then ends with its TTL
     */
    void releaseAll(long deadline) {
        Iterator<Hold> all = manager.holds().all().iterator();
        while (all.hasNext() && time.nanoTime() - deadline < 0) {
            List<Hold> batch = new ArrayList<>();
            while (all.hasNext() && batch.size() < BATCH) {
                Hold hold = all.next();
                if (hold.giveBackAll()) {
                    batch.add(hold);
                }
            }
            release(batch, service, deadline);
        }
    }
}
