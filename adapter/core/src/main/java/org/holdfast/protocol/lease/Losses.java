// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.Objects;
import org.holdfast.LeaseLoss;
import org.holdfast.protocol.env.LogRateLimiter;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.LogText;
import org.holdfast.protocol.quorum.QuorumResult;
import org.holdfast.protocol.quorum.Redlock;

/** What is done when a lock of this process is lost. Safe for use by any number of threads. */
public final class Losses {

    private static final System.Logger LOG = System.getLogger(Losses.class.getName());

    private final Time time;
    private final HeldLocks heldLocks;
    private final Redlock redlock;
    private final Counters counters;
    private final Recorder recorder;
    private final LogRateLimiter lines;
    private final LossNotifier.OnLoss onLoss; // one for all locks

    public Losses(
            Time time,
            HeldLocks heldLocks,
            Redlock redlock,
            LossNotifier lossNotifier,
            Counters counters,
            Recorder recorder) {
        this.time = time;
        this.heldLocks = heldLocks;
        this.redlock = redlock;
        this.counters = counters;
        this.recorder = recorder;
        this.lines = new LogRateLimiter(time);
        this.onLoss = new LossNotifier.OnLoss(lossNotifier, this::lost);
    }

    /** Returns a lock whose loss is reported here. */
    HeldLock newHeldLock(Claim claim, Cohort cohort, Taker taker, LeaseTerms terms, QuorumResult.Acquired acquired) {
        return new HeldLock(claim, cohort, taker, terms, acquired, onLoss);
    }

    /**
     * What is left of a lost lease on the nodes keeps others from the lock: it is released there, unless the lease is
     * left there for that purpose.
     */
    private void lost(HeldLock heldLock) {
        counters.lost.incrementAndGet();
        try {
            heldLocks.remove(heldLock);
        } finally { // what fails there, as without memory, keeps no other party from its report
            try {
                abandon(heldLock);
            } finally {
                report(Objects.requireNonNull(heldLock.loss(), "a lost lock says why"));
            }
        }
    }

    private void abandon(HeldLock heldLock) {
        if (heldLock.keptNanos(time.nanoTime()) == 0 && !heldLock.isLeft()) {
            redlock.abandon(heldLock.claim());
        }
    }

    private void report(LeaseLoss loss) {
        recorder.lost(loss);
        try {
            log(loss);
        } catch (RuntimeException | Error e) {
            // the thread that sees a loss may be that of another caller, which must not fail for a log
        }
    }

    private void log(LeaseLoss loss) {
        String more = lines.leave();
        if (more != null) {
            LOG.log(System.Logger.Level.WARNING, LogText.line("HF0209: " + loss + more));
        }
    }
}
