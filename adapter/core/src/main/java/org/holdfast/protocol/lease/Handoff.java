// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.quorum.QuorumResult;
import org.holdfast.protocol.quorum.Timing;

/**
 * Hands a lock that its holder has released to the next waiter of this process, with the next token and without a
 * release on the nodes. Safe for use by any number of threads.
 */
public final class Handoff {

    /**
     * So often a lock is handed off inside this process before other processes have their turn; and as many tokens are
     * reserved with each.
     */
    public static final int MOST = 15;

    /** So long after it was taken a lock is not handed off any more. */
    public static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A lease that is not renewed may last for this part less than one that the nodes have just granted. */
    private static final int SPENT_OF_FIXED = 100;

    private final Time time;
    private final Timing timing;
    private final HeldLocks heldLocks;
    private final Losses losses;
    private final Successor successor;
    private final Counters counters;
    private final StopFlag stopFlag;
    private final Runnable beforeRelease;

    /** @param beforeRelease is run before a lock that was handed off is released on the nodes. Must not block */
    public Handoff(
            Time time,
            Timing timing,
            HeldLocks heldLocks,
            Losses losses,
            Successor successor,
            Counters counters,
            StopFlag stopFlag,
            Runnable beforeRelease) {
        this.time = time;
        this.timing = timing;
        this.heldLocks = heldLocks;
        this.losses = losses;
        this.successor = successor;
        this.counters = counters;
        this.stopFlag = stopFlag;
        this.beforeRelease = beforeRelease;
    }

    /** Hands the lock off if that is possible; returns whether a waiter has it now. */
    boolean handOff(HeldLock released) {
        boolean handedOff = isPossible(released) && successor.handOff(released);
        if (!handedOff && released.cohort().passed() > 0) {
            beforeRelease.run();
        }
        return handedOff;
    }

    /** With bounds, so that other processes have their turn, and with half of the validity left for the next holder. */
    private boolean isPossible(HeldLock heldLock) {
        Claim claim = heldLock.claim();
        long now = time.nanoTime();
        return !stopFlag.isRaised()
                && !heldLock.cohort().suspicion().isOpen() // else the nodes have to be asked whether it is still ours
                && heldLock.token() < claim.lastToken()
                && now - heldLock.cohort().since() < LONGEST_NANOS
                && heldLock.validUntil() - now >= timing.validityNanos(claim.ttlMillis()) / 2;
    }

    /**
     * Returns whether the lock lasts for long enough for a holder with these terms: what is left of its validity is all
     * that the holder gets, unless it is renewed.
     */
    public boolean lastsFor(LeaseTerms terms, HeldLock released) {
        long whole = timing.validityNanos(released.claim().ttlMillis());
        return terms.renewed() || released.validUntil() - time.nanoTime() >= whole - whole / SPENT_OF_FIXED;
    }

    /** Returns the lock of the next holder in this process, in the place of one that has been released. */
    public HeldLock toNext(HeldLock released, Taker taker, LeaseTerms terms) {
        QuorumResult.Acquired acquired = new QuorumResult.Acquired(time.nanoTime(), released.validUntil());
        HeldLock next = losses.newHeldLock(released.claim(), released.cohort().next(), taker, terms, acquired);
        counters.handedOff.incrementAndGet();
        boolean replaced = false;
        try {
            heldLocks.replace(released, next);
            replaced = true;
        } finally {
            if (!replaced) { // as without memory: its waiter does not receive it
                next.neglect();
            }
        }
        return next;
    }
}
