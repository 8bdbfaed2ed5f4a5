// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.holdfast.protocol.env.Callbacks;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.HeldLocks;
import org.holdfast.protocol.lease.Leases;
import org.holdfast.protocol.node.LogText;

/**
 * Ends the leases of a service that stops, and frees no lock under a holder that may still work.
 *
 * <p>To be used in the order of its methods, after {@code LockEngine.stopWaiting}: nothing new is taken then. Leases
 * have to be renewed, and callbacks swept, until it is done.
 */
public final class LeaseShutdown {

    private static final System.Logger LOG = System.getLogger(LeaseShutdown.class.getName());

    private static final int NAMES_LOGGED = 10;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Time time;
    private final HeldLocks heldLocks;
    private final Leases leases;
    private final TransactionLeases transactions;
    private final Callbacks callbacks;
    private final BooleanSupplier quiet;

    /** @param quiet whether no caller does anything on the nodes any more */
    public LeaseShutdown(
            Time time,
            HeldLocks heldLocks,
            Leases leases,
            TransactionLeases transactions,
            Callbacks callbacks,
            BooleanSupplier quiet) {
        this.time = time;
        this.heldLocks = heldLocks;
        this.leases = leases;
        this.transactions = transactions;
        this.callbacks = callbacks;
        this.quiet = quiet;
    }

    /** Waits until every lease has been released. An interrupt ends the wait, and is kept. */
    public void awaitHolders(long deadline) {
        await(() -> heldLocks.size() == 0, deadline);
    }

    /** Waits until open transactions keep no lease. An interrupt ends the wait, and is kept. */
    public void awaitTransactions(long deadline) {
        await(() -> transactions.heldLocks().isEmpty(), deadline);
    }

    /**
     * Declares lost all that is still held, and returns whether there was any. Nodes keep the locks until their TTL
     * ends.
     */
    public boolean leaveHolders(String reason) {
        return leave(heldLocks.all(), reason);
    }

    /** Logs which locks are still held: a close is about to free them, and their holders may still work. */
    public void reportHolders() {
        List<String> names = heldLocks.names(NAMES_LOGGED);
        if (!names.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0236: " + heldLocks.size()
                            + " locks were still held when their factory was closed, and are freed while their holders"
                            + " may still work, among them " + LogText.line(String.join(", ", names)));
        }
    }

    /** As {@link #leaveHolders}, of what open transactions still keep. */
    public boolean leaveTransactions(String reason) {
        return leave(transactions.heldLocks(), reason);
    }

    private boolean leave(Collection<HeldLock> some, String reason) {
        int left = leases.loseAndLeave(some, reason);
        if (left > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0218: " + left
                            + " leases were still held when the lock service stopped, and are lost; nodes keep their"
                            + " locks until the TTL ends, for the holders may still work");
        }
        return left > 0;
    }

    /** Waits until the listeners of losses have been called, or are being called. */
    public void awaitListeners(long deadline) {
        await(() -> callbacks.size() == 0, deadline);
    }

    /**
     * Waits until callers that were in the midst of an attempt or of a release have ended it: what an attempt was
     * granted after the stop must be released before connections are closed.
     */
    public void awaitCallers(long deadline) {
        await(quiet, deadline);
    }

    private void await(BooleanSupplier done, long deadline) {
        try {
            long left = deadline - time.nanoTime();
            while (!done.getAsBoolean() && left > 0) {
                time.newSignal().await(Math.min(left, PAUSE_NANOS));
                left = deadline - time.nanoTime();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
