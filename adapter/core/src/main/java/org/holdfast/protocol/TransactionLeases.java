// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.holdfast.LeaseLostException;
import org.holdfast.LockException;

/**
 * The leases that transactions keep. Each is given back when its transaction has completed, whichever way and on whichever
 * thread, and through the service's own connections: the handle is gone by then.
 */
public final class TransactionLeases {

    private static final System.Logger LOG = System.getLogger(TransactionLeases.class.getName());

    private final LeaseManager manager;
    private final Transactions transactions;
    private final ConcurrentHashMap<Object, Bound> byTransaction = new ConcurrentHashMap<>();
    private final Throttle rollbacks;

    public TransactionLeases(LeaseManager manager, Transactions transactions) {
        this.manager = manager;
        this.transactions = transactions;
        this.rollbacks = new Throttle(manager.time());
    }

    /** Returns the key of the calling thread's transaction, or null. */
    Object current() {
        return transactions.current();
    }

    /** Returns whether the calling thread's transaction can keep a lease: one that only rolls back may not call us back. */
    boolean canKeep() {
        return transactions.mayCommit();
    }

    /** Lets the calling thread's transaction keep the lease. */
    void bind(Object transaction, Share share) {
        Bound bound = byTransaction.get(transaction);
        if (bound == null) { // a transaction has one thread at a time: no other comes between, but the reaper may
            bound = new Bound(transaction);
            byTransaction.put(transaction, bound);
            try {
                transactions.bind(bound);
            } catch (RuntimeException e) {
                byTransaction.remove(transaction, bound);
                throw e;
            }
        }
        bound.add(share);
    }

    /** A loss is in the log already, and what it does to the transaction is for who looks closer. */
    private void warn(LockException why) {
        boolean isKnown = why instanceof LeaseLostException;
        String more = isKnown ? "" : rollbacks.leave();
        if (more != null) {
            LOG.log(
                    isKnown ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                    Printable.line("HF0210: a transaction must roll back: " + why.getMessage() + more));
        }
    }

    private final class Bound implements Transactions.Completion {

        private final Object transaction;
        private final List<Share> leases = new ArrayList<>();
        private boolean completed;

        Bound(Object transaction) {
            this.transaction = transaction;
        }

        synchronized void add(Share share) {
            if (completed) { // the reaper was faster than the thread that took the lease
                throw new IllegalStateException("the transaction has ended meanwhile");
            }
            leases.add(share);
        }

        private synchronized List<Share> leases() {
            return List.copyOf(leases);
        }

        @Override
        public void confirm() {
            for (Share share : leases()) {
                Hold hold = share.hold();
                if (!manager.confirm(hold)) {
                    LockException why = hold.whyNotConfirmed();
                    warn(why);
                    throw why;
                }
            }
        }

        @Override
        public void completed() {
            byTransaction.remove(transaction, this);
            List<Share> kept;
            synchronized (this) {
                completed = true;
                kept = List.copyOf(leases);
                leases.clear();
            }
            manager.releases().giveBack(kept);
        }
    }
}
