// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.quorum.QuorumResult;

/**
 * Keeps what nodes have granted, unless the service was stopped or the clock of this process stood still meanwhile.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Grants {

    private final Time time;
    private final HeldLocks heldLocks;
    private final Losses losses;
    private final Releases releases;
    private final StopFlag stopFlag;
    private final AtomicLong standstills = new AtomicLong();

    public Grants(Time time, HeldLocks heldLocks, Losses losses, Releases releases, StopFlag stopFlag) {
        this.time = time;
        this.heldLocks = heldLocks;
        this.losses = losses;
        this.releases = releases;
        this.stopFlag = stopFlag;
    }

    /** Returns how often our clock has stood still: to be read before a lock is asked for. */
    public long standstills() {
        return standstills.get();
    }

    /**
     * Registers a lock that was taken.
     *
     * @param nodes through which it was taken: they are open, even if the service's own are not any more
     */
    public HeldLock keep(
            Claim claim, Cohort cohort, Taker taker, LeaseTerms terms, QuorumResult.Acquired acquired, Nodes nodes) {
        HeldLock heldLock = losses.newHeldLock(claim, cohort, taker, terms, acquired);
        boolean kept = false;
        try {
            heldLocks.add(heldLock);
            kept = true;
        } finally {
            if (!kept) { // as without memory: the caller does not receive it, and nothing else would release it
                heldLock.neglect();
            }
        }
        releaseIfStopped(heldLock, nodes);
        return heldLock;
    }

    /**
     * Takes over a lock that was handed off: a thread that ended other locks meanwhile may have seen neither the old
     * nor the new one.
     */
    public HeldLock takeOver(HeldLock handed, Nodes nodes) {
        releaseIfStopped(handed, nodes);
        loseIfStoodStill(handed);
        return handed;
    }

    /** Releases a lock that came too late for the thread that stops the service: nothing else will release it. */
    private void releaseIfStopped(HeldLock heldLock, Nodes nodes) {
        if (stopFlag.isRaised() && heldLock.giveBackAll()) {
            releases.release(List.of(heldLock), nodes);
            stopFlag.requireOpen();
        }
    }

    /** Makes a lock lost if our clock has stood still since it was asked for; returns whether it has. */
    public boolean loseIfStoodStill(HeldLock heldLock) {
        boolean stoodStill = standstills.get() != heldLock.cohort().standstills();
        if (stoodStill) {
            heldLock.lose("the clock of this process stood still while it was taken", time.nanoTime());
        }
        return stoodStill;
    }

    /** Our clock stood still for so long: no lease that is measured by it can be relied upon. */
    public void clockStoodStill(long nanos) {
        standstills.incrementAndGet(); // before the check: a caller that takes a lock now sees it, or its lock is seen
        String reason = "the clock of this process stood still for " + TimeUnit.NANOSECONDS.toMillis(nanos)
                + " ms (was its machine suspended?)";
        heldLocks.all().forEach(heldLock -> heldLock.lose(reason, time.nanoTime()));
    }
}
