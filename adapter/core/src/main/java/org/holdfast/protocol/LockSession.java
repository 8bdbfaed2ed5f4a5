// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Function;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockConnection;
import org.holdfast.LockException;
import org.holdfast.LockHolder;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.ReleaseResult;

/**
 * What a connection handle has: it takes leases and binds them to the transaction, or else to itself.
 *
 * <p>Knows nothing of pools: the nodes are handed in with each call.
 */
public final class LockSession {

    private final LeaseManager manager;
    private final TransactionLeases transactions;
    private final Defaults defaults;

    /** What ends with the handle. */
    private final Set<HeldLease> bound = ConcurrentHashMap.newKeySet();

    private final LockView.Leases viewed = new LockView.Leases();
    private volatile boolean closed;

    /** Threads that wait until they have the lock, interrupted or not. */
    private final Set<Thread> uninterruptible = ConcurrentHashMap.newKeySet();

    /** What was taken through the handle, ends with a transaction, and may interrupt the thread before. */
    private final Set<HeldLease> kept = ConcurrentHashMap.newKeySet();

    /**
     * What a request that does not say has.
     *
     * @param maxTtl the longest TTL that a request may ask for
     */
    public record Defaults(Duration waitTimeout, Duration ttl, Duration maxTtl) {

        /**
         * Returns the request with what it does not say.
         *
         * @throws InvalidLockRequestException if it asks for a longer TTL than there may be
         */
        public LockRequest complete(LockRequest request) {
            Duration least = request.atLeast().orElse(Duration.ZERO);
            Duration usual = ttl.compareTo(least) < 0 ? least : ttl;
            Duration asked = request.ttl().orElse(usual);
            LockRequest complete = request.waitTimeout(request.waitTimeout().orElse(waitTimeout))
                    .ttl(asked);
            if (asked.compareTo(maxTtl) > 0) {
                String part = asked.equals(least) ? "atLeast" : "ttl";
                throw new InvalidLockRequestException(part + " must be at most maxLeaseTtlMillis = " + maxTtl.toMillis()
                        + " ms, was " + asked + " (lock '" + request.name() + "')");
            }
            return complete;
        }
    }

    public LockSession(LeaseManager manager, TransactionLeases transactions, Defaults defaults) {
        this.manager = manager;
        this.transactions = transactions;
        this.defaults = defaults;
    }

    /** As {@link LockConnection#lock(String)}, of a connection that has this session. */
    public Lock view(LockConnection connection, String name) {
        return new LockView(this, connection, LockRequest.of(name), viewed);
    }

    /** As {@link LockConnection#readWriteLock(String)}, of a connection that has this session. */
    public ReadWriteLock readWriteView(LockConnection connection, String name) {
        LockRequest request = LockRequest.of(name);
        return new ReadWriteView(
                new LockView(this, connection, request.mode(LockMode.READ), viewed),
                new LockView(this, connection, request.mode(LockMode.WRITE), viewed));
    }

    /** As {@link org.holdfast.LockConnection#acquire(LockRequest)}; for the rest as below. */
    public Lease acquire(Nodes nodes, LockRequest request, Runnable whenWaiting) throws InterruptedException {
        return tryAcquire(nodes, request, whenWaiting).orElseThrow(() -> timedOut(defaults.complete(request)));
    }

    private LockTimeoutException timedOut(LockRequest request) {
        for (String name : request.names()) {
            Hold mine = manager.holds()
                    .find(
                            name,
                            hold -> !hold.isPermit()
                                    && hold.isTakenByThisThread()
                                    && hold.isHeld(manager.time().nanoTime()));
            if (mine != null) {
                return LockFailures.timedOut(request, mine);
            }
        }
        return LockFailures.timedOut(request);
    }

    /**
     * As {@link org.holdfast.LockConnection#tryAcquire(LockRequest)}.
     *
     * @param whenWaiting told before the thread waits, once: the nodes are not used any more then, and may be given back
     */
    public Optional<Lease> tryAcquire(Nodes nodes, LockRequest request, Runnable whenWaiting)
            throws InterruptedException {
        LockRequest complete = defaults.complete(request);
        Object transaction = complete.scope() == LeaseScope.DETACHED ? null : transactions.current();
        boolean keeps = complete.scope() != LeaseScope.THREAD;
        List<Holder> holders = holders(transaction, keeps && canBeKept(transaction));
        if (asksForTerms(request)) {
            manager.requireSameTerms(request, holders);
        }
        Acquisition acquisition = uninterruptible.contains(Thread.currentThread())
                ? manager.acquire(nodes, complete, holders, false, whenWaiting)
                : manager.acquire(nodes, complete, holders, whenWaiting);
        if (acquisition instanceof Acquisition.Held held) {
            Object keeper =
                    keeps && canBeKept(transaction) ? transaction : null; // while we waited it may have timed out
            return Optional.of(bind(held.hold(), complete, keeper));
        }
        if (acquisition instanceof Acquisition.TimedOut) {
            return Optional.empty();
        }
        throw LockFailures.of(acquisition, complete, nodes.count());
    }

    /** Whether the request says how its lock is to be held, other than by default: the holder may have it already, and otherwise. */
    private static boolean asksForTerms(LockRequest request) {
        return request.ttl().isPresent() || request.maxHold().isPresent() || !request.renewal();
    }

    /** Takes a lock, and an interrupt does not end the wait: {@link Lock#lock} knows none, and must not lose its place by one. */
    Lease acquireUninterruptibly(LockConnection connection, LockRequest request) throws InterruptedException {
        Thread caller = Thread.currentThread();
        uninterruptible.add(caller);
        try {
            return connection.acquire(request);
        } finally {
            uninterruptible.remove(caller);
        }
    }

    /** As {@link org.holdfast.LockConnection#acquireAsync(LockRequest)}. */
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        LockRequest complete = defaults.complete(request);
        if (complete.scope() != LeaseScope.DETACHED) {
            throw new InvalidLockRequestException("acquireAsync needs the scope DETACHED, was " + complete.scope()
                    + ": there is no thread or transaction to bind the lease to (lock '" + request.name() + "')");
        }
        return manager.acquireAsync(complete, hold -> lease(hold, complete, null, this::giveBack));
    }

    /** As {@link org.holdfast.LockConnectionFactory#holders(LockRequest)}. */
    public List<LockHolder> holders(Nodes nodes, LockRequest request) {
        return manager.oversight().holders(nodes, request);
    }

    /** As {@link org.holdfast.LockConnectionFactory#forceRelease(LockRequest)}. */
    public List<LockHolder> forceRelease(Nodes nodes, LockRequest request) {
        return manager.oversight().forceRelease(nodes, request);
    }

    private boolean canBeKept(Object transaction) {
        return transaction != null && transactions.canKeep();
    }

    /**
     * A lock that the thread took before its transaction began is the transaction's too. A new lock is held by the
     * transaction if that keeps it, else by the thread.
     */
    private static List<Holder> holders(Object transaction, boolean kept) {
        if (transaction == null) {
            return List.of(Holder.thread());
        }
        Holder tx = Holder.transaction(transaction);
        return kept ? List.of(tx, Holder.thread()) : List.of(Holder.thread(), tx);
    }

    private HeldLease lease(
            Hold hold, LockRequest request, LossInterrupt interrupt, Function<HeldLease, ReleaseResult> whenReleased) {
        Share share = new Share(hold, request.mode() == LockMode.READ);
        return new HeldLease(manager, share, request.names(), interrupt, whenReleased);
    }

    private Lease bind(Hold hold, LockRequest request, Object transaction) {
        LossInterrupt interrupt = request.interruptOnLoss() ? new LossInterrupt() : null;
        HeldLease lease =
                lease(hold, request, interrupt, transaction == null ? this::giveBack : this::leaveToTransaction);
        if (transaction != null) { // it gives the lease back
            bindToTransaction(transaction, lease.share());
        }
        if (request.scope() == LeaseScope.CONNECTION) {
            remember(lease, transaction == null, interrupt != null);
            requireOpen(lease);
        }
        return lease;
    }

    /** Transactions give back what they keep, and do not tell: a handle that stays open must not remember all of that. */
    private void remember(HeldLease lease, boolean endsWithTheHandle, boolean interrupts) {
        if (endsWithTheHandle) {
            bound.add(lease);
        } else if (interrupts) {
            kept.removeIf(HeldLease::isGivenBack);
            kept.add(lease);
        }
    }

    /** The handle was closed by another thread while this one waited: nobody would release what it has got. */
    private void requireOpen(HeldLease lease) {
        if (closed) {
            lease.release();
            throw new IllegalStateException(
                    "the connection was closed while it waited for lock '" + lease.name() + "'");
        }
    }

    private void bindToTransaction(Object transaction, Share share) {
        try {
            transactions.bind(transaction, this, share);
        } catch (RuntimeException e) { // nobody would release it: better no lock than one for ever
            manager.releases().giveBack(List.of(share));
            throw new LockException("HF0208: lock '" + share.hold().lock() + "' cannot be bound to the transaction", e);
        }
    }

    /** Waits for so long, for nothing: what the caller asks for it would only get from itself. */
    void waitInVain(long nanos) throws InterruptedException {
        manager.time().newSignal().await(nanos);
    }

    /** Returns whether leases end with the handle. */
    public boolean hasLeases() {
        return !bound.isEmpty();
    }

    /** Returns how many leases it remembers. */
    int remembered() {
        return bound.size() + kept.size();
    }

    private ReleaseResult giveBack(HeldLease lease) {
        bound.remove(lease);
        return manager.releases().giveBack(lease.share());
    }

    private ReleaseResult leaveToTransaction(HeldLease lease) {
        kept.remove(lease);
        return ReleaseResult.KEPT;
    }

    /**
     * Declares lost what is bound to the handle, because the container takes that away under its user, who may go on working under
     * the locks: nothing is released on the nodes, and what is not renewed any more ends there with its TTL. {@link #close()} is
     * still to be called when the user has closed the handle.
     *
     * @param ofTransactions whether also what open transactions keep is lost that was taken through the handle: they roll back
     * @return how many locks were lost
     */
    public int lose(String reason, boolean ofTransactions) {
        closed = true; // before we look: what is bound from now on is released by the thread that binds it
        Set<Hold> taken = new HashSet<>();
        bound.forEach(lease -> taken.add(lease.share().hold()));
        if (ofTransactions) {
            taken.addAll(transactions.takenBy(this));
        }
        long now = manager.time().nanoTime();
        return (int)
                taken.stream().filter(hold -> hold.loseAndLeave(reason, now)).count();
    }

    /** Releases the leases that are bound to the handle, all at once. */
    public void close() {
        closed = true; // before we look: what is bound from now on is released by who binds it
        List<Share> ended = new ArrayList<>();
        for (HeldLease lease : bound) {
            bound.remove(lease);
            if (lease.end()) {
                ended.add(lease.share());
            }
        }
        kept.forEach(HeldLease::interruptNoMore);
        kept.clear();
        viewed.clear();
        manager.releases().giveBack(ended);
    }
}
