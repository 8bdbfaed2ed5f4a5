// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.time.Duration;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.LockException;
import org.holdfast.protocol.env.LogRateLimiter;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.node.LogText;
import org.jspecify.annotations.Nullable;

/**
 * Reports to the log what became of transactions and of their locks.
 *
 * <p>Safe for use by any number of threads.
 */
final class TransactionLog {

    private static final System.Logger LOG = System.getLogger(TransactionLog.class.getName());

    private final LogRateLimiter rollbacks;
    private final LogRateLimiter untold;
    private final LogRateLimiter commits;

    TransactionLog(Time time) {
        this.rollbacks = new LogRateLimiter(time);
        this.untold = new LogRateLimiter(time);
        this.commits = new LogRateLimiter(time);
    }

    /** A loss is in the log already: what it does to the transaction is logged for debugging only. */
    void rollsBack(LockException why) {
        boolean isKnown = why instanceof LeaseLostException;
        String more = isKnown ? "" : rollbacks.leave();
        if (more != null) {
            LOG.log(
                    isKnown ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                    LogText.line("HF0210: a transaction must roll back: " + why.getMessage() + more));
        }
    }

    /**
     * A transaction has committed whose lock was lost by then.
     *
     * @param sinceLoss for how long
     */
    void committedWithout(HeldLock heldLock, Duration sinceLoss) {
        LeaseLoss loss = heldLock.loss();
        String more = loss == null ? null : commits.leave();
        if (more != null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    LogText.line("HF0238: a transaction has committed without its lock: the " + loss + ", which was "
                            + sinceLoss.toMillis() + " ms before the end of the commit, and too late to stop it"
                            + more));
        }
    }

    /**
     * The server has not called after the completion of a transaction.
     *
     * @param lock one that it kept
     * @param failure why what it kept could not be released; null if it was
     */
    void untold(String lock, @Nullable Throwable failure) {
        String more = untold.leave();
        if (more != null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    LogText.line("HF0237: a transaction has ended, and the server did not tell of it: lock '"
                            + lock + "', which it kept, "
                            + (failure == null ? "is released" : "cannot be released, and ends with its TTL")
                            + more),
                    failure);
        }
    }
}
