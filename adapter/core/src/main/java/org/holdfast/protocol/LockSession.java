// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockConnection;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.QuorumUnavailableException;

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

    /** What was taken through the handle, and ends with a transaction. */
    private final Set<HeldLease> kept = ConcurrentHashMap.newKeySet();

    /**
     * What a request that does not say has.
     *
     * @param maxTtl the longest TTL that a request may ask for
     */
    public record Defaults(Duration waitTimeout, Duration ttl, Duration maxTtl) {}

    public LockSession(LeaseManager manager, TransactionLeases transactions, Defaults defaults) {
        this.manager = manager;
        this.transactions = transactions;
        this.defaults = defaults;
    }

    /** As {@link LockConnection#lock(String)}, of a connection that has this session. */
    public Lock view(LockConnection connection, String name) {
        return new LockView(connection, LockRequest.of(name), viewed);
    }

    /** As {@link org.holdfast.LockConnection#acquire(LockRequest)}. */
    public Lease acquire(Nodes nodes, LockRequest request) throws InterruptedException {
        LockRequest complete = complete(request);
        return tryAcquire(nodes, complete)
                .orElseThrow(() -> new LockTimeoutException(
                        request.name(), complete.waitTimeout().orElseThrow()));
    }

    /** As {@link org.holdfast.LockConnection#tryAcquire(LockRequest)}. */
    public Optional<Lease> tryAcquire(Nodes nodes, LockRequest request) throws InterruptedException {
        LockRequest complete = complete(request);
        Object transaction = complete.scope() == LeaseScope.DETACHED ? null : transactions.current();
        Acquisition acquisition = manager.acquire(nodes, complete, holders(transaction, canBeKept(transaction)));
        if (acquisition instanceof Acquisition.Held held) {
            Object keeper = canBeKept(transaction) ? transaction : null; // while we waited it may have timed out
            return Optional.of(bind(held.hold(), complete, keeper));
        }
        if (acquisition instanceof Acquisition.TimedOut) {
            return Optional.empty();
        }
        if (acquisition instanceof Acquisition.Unavailable none) {
            throw new QuorumUnavailableException(request.name(), nodes.count(), none.waited(), none.failures());
        }
        throw new LockException(
                "lock '" + request.name() + "' is refused: this machine's wall clock differs from those of"
                        + " a majority of nodes by more than half of the fence retention; set it right");
    }

    private boolean canBeKept(Object transaction) {
        return transaction != null && transactions.canKeep();
    }

    private LockRequest complete(LockRequest request) {
        LockRequest complete = request.waitTimeout(request.waitTimeout().orElse(defaults.waitTimeout()))
                .ttl(request.ttl().orElse(defaults.ttl()));
        Duration ttl = complete.ttl().orElseThrow();
        if (ttl.compareTo(defaults.maxTtl()) > 0) {
            throw new InvalidLockRequestException("ttl must be at most maxLeaseTtlMillis = "
                    + defaults.maxTtl().toMillis() + " ms, was " + ttl + " (lock '" + request.name() + "')");
        }
        return complete;
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

    private Lease bind(Hold hold, LockRequest request, Object transaction) {
        LossInterrupt interrupt = request.interruptOnLoss() ? new LossInterrupt() : null;
        HeldLease lease;
        if (transaction == null) {
            lease = new HeldLease(manager, hold, interrupt, this::giveBack);
        } else {
            bindToTransaction(transaction, hold);
            lease = new HeldLease(manager, hold, interrupt, kept::remove); // the transaction gives it back
        }
        if (request.scope() == LeaseScope.CONNECTION) {
            (transaction == null ? bound : kept).add(lease);
            requireOpen(lease);
        }
        return lease;
    }

    /** The handle was closed by another thread while this one waited: nobody would release what it has got. */
    private void requireOpen(HeldLease lease) {
        if (closed) {
            lease.release();
            throw new IllegalStateException(
                    "the connection was closed while it waited for lock '" + lease.name() + "'");
        }
    }

    private void bindToTransaction(Object transaction, Hold hold) {
        try {
            transactions.bind(transaction, hold);
        } catch (RuntimeException e) { // nobody would release it: better no lock than one for ever
            manager.giveBack(List.of(hold));
            throw new LockException("lock '" + hold.lock() + "' cannot be bound to the transaction", e);
        }
    }

    private void giveBack(HeldLease lease) {
        bound.remove(lease);
        manager.giveBack(List.of(lease.hold()));
    }

    /** Releases the leases that are bound to the handle, all at once. */
    public void close() {
        closed = true; // before we look: what is bound from now on is released by who binds it
        List<Hold> ended = new ArrayList<>();
        for (HeldLease lease : bound) {
            bound.remove(lease);
            if (lease.end()) {
                ended.add(lease.hold());
            }
        }
        kept.forEach(HeldLease::interruptNoMore);
        kept.clear();
        viewed.clear();
        manager.giveBack(ended);
    }
}
