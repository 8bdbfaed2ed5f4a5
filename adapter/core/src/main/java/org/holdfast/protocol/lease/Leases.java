// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.holdfast.LeaseLoss;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.Underway;
import org.holdfast.protocol.node.Nodes;
import org.jspecify.annotations.Nullable;

/**
 * What can be done with the locks that this process holds: check, renew, confirm, give back.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Leases {

    private final Time time;
    private final Nodes ownNodes;
    private final HeldLocks heldLocks;
    private final Renewals renewals;
    private final Releases releases;
    private final Handoff handoff;
    private final Underway underway;

    /**
     * @param ownNodes the nodes through which leases are renewed and released: the caller's connections may be gone by
     *     then
     */
    public Leases(
            Time time,
            Nodes ownNodes,
            HeldLocks heldLocks,
            Renewals renewals,
            Releases releases,
            Handoff handoff,
            Underway underway) {
        this.time = time;
        this.ownNodes = ownNodes;
        this.heldLocks = heldLocks;
        this.renewals = renewals;
        this.releases = releases;
        this.handoff = handoff;
        this.underway = underway;
    }

    /** Returns whether the lock is held now. */
    public boolean isHeld(HeldLock heldLock) {
        return heldLock.isHeld(time.nanoTime());
    }

    /** Returns for how long the lock is held for certain. */
    public Duration remaining(HeldLock heldLock) {
        return Duration.ofNanos(heldLock.remainingNanos(time.nanoTime()));
    }

    /** Returns for how long the lock has been lost; zero if it is not. */
    public Duration sinceLoss(HeldLock heldLock) {
        LeaseLoss loss = heldLock.loss();
        return loss == null
                ? Duration.ZERO
                : Duration.ofNanos(time.nanoTime() - heldLock.startedAt).minus(loss.heldFor());
    }

    /** Returns a lock under one of the names that the calling thread has taken, for whichever holder; or null. */
    public @Nullable HeldLock takenByThisThread(List<String> names) {
        for (String name : names) {
            HeldLock mine = heldLocks.find(
                    name,
                    heldLock -> !heldLock.claim().target().isPermit()
                            && heldLock.isTakenByThisThread()
                            && isHeld(heldLock));
            if (mine != null) {
                return mine;
            }
        }
        return null;
    }

    /** Returns for how long the last of the locks under these names is held for certain that keeps a caller out. */
    public long remainingNanos(List<String> names, Predicate<HeldLock> keepsOut) {
        long now = time.nanoTime();
        return longest(names, keepsOut, heldLock -> heldLock.remainingNanos(now));
    }

    /**
     * Returns the same for a caller that waits: a lock that is being released keeps it out until that is done. To ask
     * the nodes meanwhile would be in vain.
     */
    public long keptOutNanos(List<String> names, Predicate<HeldLock> keepsOut) {
        long now = time.nanoTime();
        return longest(names, keepsOut, heldLock -> heldLock.keepsOutNanos(now));
    }

    private long longest(List<String> names, Predicate<HeldLock> keepsOut, ToLongFunction<HeldLock> nanos) {
        long longest = 0;
        for (String name : names) {
            for (HeldLock heldLock : heldLocks.of(name)) {
                if (keepsOut.test(heldLock)) {
                    longest = Math.max(longest, nanos.applyAsLong(heldLock));
                }
            }
        }
        return longest;
    }

    /** Waits for releases of one of these names that no caller waits for. */
    public void awaitReleases(List<String> names) {
        releases.awaitUnawaited(names);
    }

    /** Renews now, on the calling thread. */
    public boolean renew(HeldLock heldLock) {
        return renewals.renewNow(ownNodes, heldLock);
    }

    /** Returns whether the lock is held for long enough to commit; renews it if little time is left. */
    public boolean confirm(HeldLock heldLock) {
        return renewals.confirm(ownNodes, heldLock);
    }

    /**
     * Receives the announcement that an operator of another process has taken a lock away. It proves nothing; so what
     * this process holds of that lock is renewed at once, and is not handed off until a quorum has confirmed it.
     */
    public void suspect(String lock, long token) {
        long now = time.nanoTime();
        for (HeldLock heldLock : heldLocks.of(lock)) {
            if (heldLock.claim().lastToken() < token) {
                heldLock.cohort().suspicion().raise(now);
            }
        }
        for (HeldLock heldLock : heldLocks.of(lock)) { // once more: one may have been handed off meanwhile
            if (heldLock.cohort().suspicion().isOpen()) {
                renewals.hasten(heldLock);
            }
        }
    }

    /**
     * Releases a lease, as below, and returns what became of its lock. The lease is taken from its lock before anything
     * that may fail; if that fails, the lock ends with its TTL.
     */
    public ReleaseResult giveBack(LeaseShare share) {
        underway.begin();
        try {
            return giveBackNow(share);
        } finally {
            underway.end();
        }
    }

    private ReleaseResult giveBackNow(LeaseShare share) {
        HeldLock heldLock = share.heldLock();
        LeaseShare.ReleaseEffect effect = take(share);
        if (effect == LeaseShare.ReleaseEffect.RELEASE) {
            return handOff(heldLock) ? ReleaseResult.RELEASED : releases.release(heldLock, ownNodes);
        }
        if (effect == LeaseShare.ReleaseEffect.DOWNGRADE) {
            letReadersIn(heldLock);
        }
        return isHeld(heldLock) ? ReleaseResult.KEPT : ReleaseResult.NOT_HELD;
    }

    private static LeaseShare.ReleaseEffect take(LeaseShare share) {
        try {
            return share.heldLock().giveBack(share.reads());
        } catch (RuntimeException | Error e) {
            share.heldLock().neglect();
            throw e;
        }
    }

    private boolean handOff(HeldLock heldLock) {
        try {
            return handoff.handOff(heldLock);
        } catch (RuntimeException | Error e) {
            releases.giveUp(heldLock, e);
            throw e;
        }
    }

    /** Releases leases. A lock that has no lease any more is handed off, or released on the nodes, all at once. */
    public void giveBack(List<LeaseShare> shares) {
        underway.begin();
        try {
            giveBackNow(shares);
        } finally {
            underway.end();
        }
    }

    private void giveBackNow(List<LeaseShare> shares) {
        Batch batch = batch(shares);
        for (int i = 0; i < shares.size(); i++) { // neither an iterator nor a lambda: they would need memory
            batch.add(shares.get(i));
        }
        batch.release();
        batch.requireNoFailure();
    }

    private Batch batch(List<LeaseShare> shares) {
        try {
            return new Batch(shares.size());
        } catch (Error e) { // as without memory: nothing else would release them
            for (int i = 0; i < shares.size(); i++) {
                shares.get(i).heldLock().neglect();
            }
            throw e;
        }
    }

    /** Locks whose leases are released at once. What fails with one of them keeps no other from its release. */
    private final class Batch {

        private final List<HeldLock> released;
        private final Set<HeldLock> onlyRead = new HashSet<>(0);
        private @Nullable Throwable failure;

        Batch(int leases) {
            released = new ArrayList<>(leases);
        }

        private void add(LeaseShare share) {
            HeldLock heldLock = share.heldLock();
            try {
                LeaseShare.ReleaseEffect effect = take(share);
                if (effect == LeaseShare.ReleaseEffect.DOWNGRADE) {
                    onlyRead.add(heldLock);
                } else if (effect == LeaseShare.ReleaseEffect.RELEASE) {
                    onlyRead.remove(heldLock);
                    if (!handOff(heldLock)) {
                        released.add(heldLock);
                    }
                }
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }

        private void release() {
            try {
                releases.release(released, ownNodes);
            } catch (RuntimeException | Error e) {
                failed(e);
            }
            try {
                onlyRead.forEach(Leases.this::letReadersIn);
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }

        private void failed(Throwable next) {
            if (failure == null) {
                failure = next;
            } else {
                Releases.suppress(failure, next);
            }
        }

        private void requireNoFailure() {
            if (failure instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (failure instanceof Error error) {
                throw error;
            }
        }
    }

    /** Its holder had the lock alone and only reads from now on. */
    private void letReadersIn(HeldLock heldLock) {
        heldLock.becomeReading();
        if (isHeld(heldLock)) { // the last of its leases may have been released meanwhile
            renew(heldLock);
        }
        heldLocks.wakeWaiters(heldLock);
    }

    /**
     * Declares locks lost whose holders may continue to work under them: nodes keep these locks until their TTL ends.
     *
     * @return how many had been neither released nor lost before
     */
    public int loseAndLeave(Collection<HeldLock> some, String reason) {
        long now = time.nanoTime();
        return (int) some.stream()
                .filter(heldLock -> heldLock.lose(reason, now, true))
                .count();
    }

    /**
     * Releases all that this process holds.
     *
     * @param deadline when to stop; what is not released by then ends with its TTL
     */
    public void close(long deadline) {
        releases.releaseAll(ownNodes, deadline);
    }
}
