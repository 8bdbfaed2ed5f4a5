// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.waiting.AcquireResult;
import org.holdfast.protocol.waiting.Acquirer;
import org.holdfast.protocol.waiting.Acquiring;
import org.holdfast.protocol.waiting.BlockingWait;
import org.holdfast.protocol.waiting.LockFailures;
import org.holdfast.protocol.waiting.Reentry;
import org.jspecify.annotations.Nullable;

/**
 * What one caller asks for: attempted through the caller's nodes, if need be waited for without them, then taken as
 * a lease. For one thread.
 */
public final class PendingLease {

    private final LockSession session;
    private final Reentry reentry;
    private final Acquirer acquirer;
    private final TransactionLeases transactions;
    private final LockRequest asked;
    private final LockRequest request;
    private final boolean interruptible;
    private @Nullable Object transaction;
    private @Nullable Acquiring acquiring;
    private @Nullable AcquireResult result;

    /**
     * @param asked as the application made it
     * @param request with the defaults for what that does not set
     * @param interruptible whether an interrupt ends the wait; else it is kept for later
     */
    PendingLease(
            LockSession session,
            Reentry reentry,
            Acquirer acquirer,
            TransactionLeases transactions,
            LockRequest asked,
            LockRequest request,
            boolean interruptible) {
        this.session = session;
        this.reentry = reentry;
        this.acquirer = acquirer;
        this.transactions = transactions;
        this.asked = asked;
        this.request = request;
        this.interruptible = interruptible;
    }

    /**
     * Takes the lock once more if its holder has it already, else attempts once.
     *
     * @param nodes as the caller reaches them; they are not used any more afterwards
     * @return whether the result is known, so that {@link #lease} has it; else {@link #await} has to come before
     * @throws IllegalStateException if the holder would wait for itself, or the service is stopped
     */
    public boolean attempt(Nodes nodes) throws InterruptedException {
        transaction = request.scope() == LeaseScope.DETACHED ? null : transactions.current();
        List<Holder> holders = holders(transaction, keeper() != null);
        if (asksForTerms(asked)) {
            reentry.requireSameTerms(asked, holders);
        }
        if (interruptible && Thread.interrupted()) {
            throw new InterruptedException("interrupted before lock '" + request.name() + "' was asked for");
        }
        HeldLock mine = reentry.enter(request, holders);
        if (mine != null) {
            result = AcquireResult.held(mine);
        } else {
            acquiring = acquirer.begin(request, request.scope() == LeaseScope.DETACHED ? null : holders.get(0));
            result = acquiring.attempt(nodes);
        }
        return result != null;
    }

    /**
     * Waits until the result is known, and uses no nodes of the caller for it.
     *
     * @throws IllegalStateException if the connection is closed meanwhile, or the service is stopped
     */
    public void await() throws InterruptedException {
        Acquiring attempted = Objects.requireNonNull(acquiring, "attempt comes before");
        result = new BlockingWait(attempted, session.closing(), interruptible).await();
    }

    /**
     * Returns the lease; empty if another holder had the lock during all the time.
     *
     * @throws LockException if there is neither: too few nodes could be asked
     */
    public Optional<Lease> lease() {
        if (result instanceof AcquireResult.Held held) {
            return delivered(taken(held.heldLock()));
        }
        if (result instanceof AcquireResult.TimedOut) {
            return Optional.empty();
        }
        throw LockFailures.of(Objects.requireNonNull(result, "attempt comes before"), request);
    }

    private static Optional<Lease> delivered(Lease lease) {
        try {
            return Optional.of(lease);
        } catch (OutOfMemoryError e) { // the caller does not receive it
            lease.release();
            throw e;
        }
    }

    private Lease taken(HeldLock heldLock) {
        Object keeper;
        try {
            keeper = keeper();
            boolean isNew = acquiring != null;
            if (isNew && transaction != null && keeper == null) { // it was asked for as the transaction's
                heldLock.belongTo(Holder.thread());
            }
        } catch (RuntimeException | Error e) { // as if the transaction cannot be asked: nothing else would release it
            session.giveBack(heldLock, request);
            throw e;
        }
        return session.bind(heldLock, request, keeper);
    }

    /** Returns the transaction, if it can keep the lease; while the caller waited it may have timed out. */
    private @Nullable Object keeper() {
        boolean keeps = transaction != null && request.scope() != LeaseScope.THREAD;
        return keeps && transactions.canKeep() ? transaction : null;
    }

    /** Returns why the caller has no lease, where {@link #lease} returns none. */
    LockTimeoutException timedOut() {
        return session.timedOut(request);
    }

    LeaseScope scope() {
        return request.scope();
    }

    boolean isInterruptible() {
        return interruptible;
    }

    /**
     * Whether the request sets other terms than the defaults: its holder may have the lock already, with different
     * terms.
     */
    private static boolean asksForTerms(LockRequest request) {
        return request.ttl().isPresent() || request.maxHold().isPresent();
    }

    /**
     * A lock that the thread took before its transaction began is the transaction's too. A new lock is held by the
     * transaction if that keeps it, else by the thread.
     */
    private static List<Holder> holders(@Nullable Object transaction, boolean kept) {
        if (transaction == null) {
            return List.of(Holder.thread());
        }
        Holder tx = Holder.transaction(transaction);
        return kept ? List.of(tx, Holder.thread()) : List.of(Holder.thread(), tx);
    }
}
