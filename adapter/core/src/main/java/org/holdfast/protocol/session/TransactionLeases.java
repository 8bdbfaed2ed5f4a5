// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.holdfast.LockException;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.lease.Leases;
import org.holdfast.protocol.waiting.LockFailures;
import org.jspecify.annotations.Nullable;

/**
 * The leases that transactions keep. Each is released when its transaction has completed, whichever way and on
 * whichever thread, and through the service's own connections: the handle is gone by then.
 *
 * <p>Some servers make no further call when another synchronization has thrown an error after the completion. So the
 * transactions that can be asked are looked at now and then.
 */
public final class TransactionLeases {

    /** Between two looks at the transactions. One that has ended calls by the second of them, if it calls at all. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Time time;
    private final Leases leases;
    private final Transactions transactions;
    private final ConcurrentHashMap<Object, Bound> byTransaction = new ConcurrentHashMap<>();
    private final Executor threads;
    private final WakeUp sweeps;
    private final TransactionLog log;

    /** Whether transactions can be asked here: the first that can says so. */
    private volatile boolean canAsk;

    private long nextLook; // of the thread that sweeps

    /** How many leases of each lock open transactions keep. */
    private final ConcurrentHashMap<HeldLock, Integer> sharesKept = new ConcurrentHashMap<>();

    /**
     * @param threads run what may wait for nodes
     * @param sweeps has {@link #sweep} called in time
     */
    public TransactionLeases(Time time, Leases leases, Transactions transactions, Executor threads, WakeUp sweeps) {
        this.time = time;
        this.leases = leases;
        this.transactions = transactions;
        this.threads = threads;
        this.sweeps = sweeps;
        this.log = new TransactionLog(time);
        this.nextLook = time.nanoTime();
    }

    /**
     * Ends what is kept by transactions that have ended and do not call. To be called by one thread at a time; does not
     * wait for nodes.
     */
    public void sweep() {
        if (!canAsk || byTransaction.isEmpty()) {
            return;
        }
        long now = time.nanoTime();
        if (now - nextLook >= 0) {
            nextLook = now + LOOK_NANOS;
            byTransaction.values().forEach(Bound::look);
        }
        sweeps.within(nextLook - now);
    }

    /** Returns the key of the calling thread's transaction, or null. */
    @Nullable
    Object current() {
        return transactions.current();
    }

    /**
     * Returns whether the calling thread's transaction can keep a lease: one that only rolls back may not call us back.
     */
    boolean canKeep() {
        return transactions.mayCommit();
    }

    /** A lease that a transaction keeps, and the session that took it. */
    private record Kept(LockSession session, LeaseShare share) {}

    /**
     * Lets the calling thread's transaction keep the lease.
     *
     * @param session that took it
     * @throws LockException if it cannot; then the lease is released
     */
    void bind(Object transaction, LockSession session, LeaseShare share) {
        try {
            of(transaction).add(new Kept(session, share));
        } catch (RuntimeException | Error e) { // nothing else would release it: better no lock than one for ever
            leases.giveBack(share);
            throw new LockException(
                    "HF0208: lock '" + share.heldLock().lock() + "' cannot be bound to the transaction", e);
        }
    }

    private Bound of(Object transaction) {
        Bound bound = byTransaction.get(transaction);
        if (bound == null) { // a transaction has one thread at a time: no other comes between, but the reaper may
            bound = new Bound(transaction);
            byTransaction.put(transaction, bound);
            try {
                bound.binding = transactions.bind(bound);
                lookLater(bound.binding);
            } catch (RuntimeException | Error e) {
                byTransaction.remove(transaction, bound);
                throw e;
            }
        }
        return bound;
    }

    private void lookLater(Transactions.Binding binding) {
        if (binding != Transactions.Binding.SILENT) {
            canAsk = true;
            sweeps.within(LOOK_NANOS);
        }
    }

    /**
     * Makes a lock belong to a transaction that keeps it, if no other lease of it is left. The thread that took it may
     * go on with the work of another caller, which must not have the lock as well; and the transaction may go on in
     * another thread. A lock with which that fails, as without memory, is left to its TTL.
     */
    void takeOver(HeldLock heldLock) {
        try {
            int shares = heldLock.shares(); // first: one given back meanwhile must not make both equal
            Integer keeping = shares == 0 ? null : sharesKept.get(heldLock);
            if (keeping != null && keeping == shares) {
                belongToKeeper(heldLock);
            }
        } catch (RuntimeException | Error e) {
            heldLock.neglect();
        }
    }

    private void belongToKeeper(HeldLock heldLock) {
        Object own = transactions.current();
        Object keeper = null;
        for (Bound bound : byTransaction.values()) {
            if (bound.isOpenAndKeeps(heldLock)) {
                if (heldLock.belongsTo(Holder.transaction(bound.transaction))) {
                    return;
                }
                keeper = keeper == null || bound.transaction.equals(own) ? bound.transaction : keeper;
            }
        }
        if (keeper != null) {
            heldLock.belongTo(Holder.transaction(keeper));
        }
    }

    /** Returns what open transactions keep that was taken through the session. */
    Set<HeldLock> takenBy(LockSession session) {
        return heldLocks(kept -> kept.session() == session);
    }

    /** Returns what open transactions keep. */
    Set<HeldLock> heldLocks() {
        return heldLocks(kept -> true);
    }

    private Set<HeldLock> heldLocks(Predicate<Kept> wanted) {
        Set<HeldLock> heldLocks = new LinkedHashSet<>();
        for (Bound bound : byTransaction.values()) {
            bound.kept().stream()
                    .filter(wanted)
                    .forEach(kept -> heldLocks.add(kept.share().heldLock()));
        }
        return heldLocks;
    }

    private final class Bound implements Transactions.Completion {

        private final Object transaction;
        private final List<Kept> kept = new ArrayList<>();
        private boolean confirmed;
        private boolean completed;
        private volatile Transactions.Binding binding = Transactions.Binding.SILENT;

        // of the thread that sweeps
        private boolean wasOver;
        private boolean isLeftToThreads;

        Bound(Object transaction) {
            this.transaction = transaction;
        }

        synchronized void add(Kept lease) {
            if (completed) { // the reaper was faster than the thread that took the lease
                throw new IllegalStateException("the transaction has ended meanwhile");
            }
            if (confirmed && !keeps(lease.share().heldLock())) { // the commit would not notice its loss
                throw new IllegalStateException(
                        "the transaction is about to commit, and has checked its locks already");
            }
            kept.add(lease);
            try {
                sharesKept.merge(lease.share().heldLock(), 1, Integer::sum);
            } catch (Error e) { // as without memory: the lease is released, once
                kept.remove(kept.size() - 1);
                throw e;
            }
        }

        private List<LeaseShare> shares() {
            try {
                return kept.stream().map(Kept::share).toList();
            } catch (OutOfMemoryError e) { // a transaction completes once
                for (int i = 0; i < kept.size(); i++) {
                    kept.get(i).share().heldLock().neglect();
                }
                throw e;
            }
        }

        synchronized boolean isOpenAndKeeps(HeldLock heldLock) {
            return !completed && keeps(heldLock);
        }

        private boolean keeps(HeldLock heldLock) {
            return kept.stream().anyMatch(each -> each.share().heldLock() == heldLock);
        }

        private synchronized List<Kept> kept() {
            return List.copyOf(kept);
        }

        /** Returns what is to be confirmed; no other lock joins it afterwards. */
        private synchronized List<Kept> startConfirming() {
            confirmed = true;
            return List.copyOf(kept);
        }

        @Override
        public void confirm() {
            for (Kept kept : startConfirming()) {
                HeldLock heldLock = kept.share().heldLock();
                if (!leases.confirm(heldLock)) {
                    LockException why = LockFailures.notConfirmed(heldLock);
                    log.rollsBack(why);
                    throw why;
                }
            }
        }

        /** It was held at the last check: nothing keeps the resources from their commit after that. */
        @Override
        public void committed() {
            kept().stream()
                    .map(each -> each.share().heldLock())
                    .distinct()
                    .filter(heldLock -> !leases.isHeld(heldLock))
                    .forEach(heldLock -> log.committedWithout(heldLock, leases.sinceLoss(heldLock)));
        }

        @Override
        public void completed() {
            end(close());
        }

        /** Returns whether it has ended just now: no lease is added from now on. */
        private synchronized boolean close() {
            boolean first = !completed;
            completed = true;
            return first;
        }

        private void end(boolean first) {
            try {
                if (first) {
                    forget();
                    leases.giveBack(shares());
                }
            } finally { // not before: a service that stops waits for it
                byTransaction.remove(transaction, this);
                leaveToOthers();
            }
        }

        /** The second time in a row that it is over, it does not call any more. */
        private void look() {
            boolean isOver = binding.isOver();
            if (isOver && wasOver && !isLeftToThreads) {
                isLeftToThreads = leaveToThreads();
            }
            wasOver = isOver;
        }

        private boolean leaveToThreads() {
            try {
                threads.execute(this::endUntold);
                return true;
            } catch (RuntimeException | Error e) { // there is none now: the next look tries again
                return false;
            }
        }

        private void endUntold() {
            if (!close()) { // it has called meanwhile
                return;
            }
            Throwable failure = null;
            try {
                end(true);
            } catch (RuntimeException | Error e) { // the locks end with their TTL
                failure = e;
            }
            binding.forget();
            if (!kept.isEmpty()) {
                log.untold(kept.get(0).share().heldLock().lock(), failure);
            }
        }

        /** Before they are given back: else another lease would seem to be one of a transaction. */
        private void forget() {
            for (int i = 0; i < kept.size(); i++) { // needs no memory
                sharesKept.computeIfPresent(
                        kept.get(i).share().heldLock(), (lock, shares) -> shares == 1 ? null : shares - 1);
            }
        }

        /** Other transactions may keep the same lock. */
        private void leaveToOthers() {
            for (int i = 0; i < kept.size(); i++) {
                takeOver(kept.get(i).share().heldLock());
            }
        }
    }
}
