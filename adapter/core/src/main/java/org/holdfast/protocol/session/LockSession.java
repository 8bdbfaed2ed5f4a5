// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.Release;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.admin.LockAdmin;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.lease.Leases;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.waiting.Acquirer;
import org.holdfast.protocol.waiting.LockFailures;
import org.holdfast.protocol.waiting.Reentry;
import org.jspecify.annotations.Nullable;

/**
 * What a connection handle has: it takes leases and binds them to the transaction, or else to itself.
 *
 * <p>Knows nothing of pools: the nodes are handed in with each call.
 */
public final class LockSession {

    private final Time time;
    private final Reentry reentry;
    private final Acquirer acquirer;
    private final Leases leases;
    private final LockAdmin lockAdmin;
    private final TransactionLeases transactions;
    private final Defaults defaults;

    /** What ends with the handle. */
    private final LeaseHandles bound = new LeaseHandles();

    private final JdkLockLeases viewed = new JdkLockLeases();

    private final LeaseHandle.Origin givingBack;
    private final LeaseHandle.Origin leaving;

    private final StopFlag closing = new StopFlag("HF0233: the connection was closed while it waited for a lock");

    /** Leases that were taken through the handle, end with a transaction, and may interrupt the thread before. */
    private final LeaseHandles kept = new LeaseHandles();

    /**
     * The values of a request that does not set its own.
     *
     * @param maxTtl the longest TTL that a request may ask for
     * @param release whether callers wait for the nodes when they release a lease
     */
    public record Defaults(Duration waitTimeout, Duration ttl, Duration maxTtl, Release release) {

        /**
         * Returns the request with the defaults for what it does not set.
         *
         * @throws InvalidLockRequestException if it asks for a longer TTL than there may be
         */
        public LockRequest complete(LockRequest request) {
            Duration least = request.atLeast().orElse(Duration.ZERO);
            Duration usual = ttl.compareTo(least) < 0 ? least : ttl;
            Duration asked = request.ttl().orElse(usual);
            if (asked.compareTo(maxTtl) > 0) {
                throw tooLong(request, asked.equals(least) ? "atLeast" : request.renewed() ? "ttl" : "fixedTtl", asked);
            }
            boolean says = request.release() != Release.AS_CONFIGURED;
            if (request.waitTimeout().isPresent() && request.ttl().isPresent() && says) {
                return request;
            }
            return new LockRequest(
                    request.names(),
                    request.mode(),
                    request.permits(),
                    request.fair(),
                    Optional.of(request.waitTimeout().orElse(waitTimeout)),
                    Optional.of(asked),
                    request.renewed(),
                    request.maxHold(),
                    request.atLeast(),
                    request.interruptOnLoss(),
                    request.scope(),
                    says ? request.release() : release);
        }

        private InvalidLockRequestException tooLong(LockRequest request, String part, Duration asked) {
            String advice =
                    part.equals("atLeast") ? "" : ": a lease that is renewed may last longer, up to its maxHold";
            return new InvalidLockRequestException(part + " must be at most maxLeaseTtlMillis = " + maxTtl.toMillis()
                    + " ms, was " + asked + advice + " (lock '" + request.name() + "')");
        }
    }

    public LockSession(
            Time time,
            Reentry reentry,
            Acquirer acquirer,
            Leases leases,
            LockAdmin lockAdmin,
            TransactionLeases transactions,
            Defaults defaults) {
        this.time = time;
        this.reentry = reentry;
        this.acquirer = acquirer;
        this.leases = leases;
        this.lockAdmin = lockAdmin;
        this.transactions = transactions;
        this.defaults = defaults;
        Predicate<LeaseShare> joining = this::joinTransaction;
        this.givingBack = new LeaseHandle.Origin(leases, joining, this::giveBack);
        this.leaving = new LeaseHandle.Origin(leases, joining, this::leaveToTransaction);
    }

    /**
     * Begins what a caller asks for; nothing is taken yet.
     *
     * @param interruptible whether an interrupt ends the wait; else it is kept for later, and costs no place in line
     */
    public PendingLease begin(LockRequest request, boolean interruptible) {
        return new PendingLease(
                this, reentry, acquirer, transactions, request, defaults.complete(request), interruptible);
    }

    /** As {@link org.holdfast.LockConnection#acquireAsync(LockRequest)}. */
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        LockRequest complete = defaults.complete(request.detached()); // no thread or transaction to bind it to
        return acquirer.acquireAsync(complete, heldLock -> lease(heldLock, complete, null, givingBack));
    }

    /** As {@link org.holdfast.LeaseLock#isLocked()}. */
    public boolean isLocked(Nodes nodes, LockRequest request) {
        return lockAdmin.isLocked(nodes, request);
    }

    /** As {@link org.holdfast.LeaseSemaphore#availablePermits()}. */
    int freePermits(LockRequest request) {
        return Math.max(0, request.permits() - lockAdmin.countHolders(request));
    }

    private LeaseHandle lease(
            HeldLock heldLock, LockRequest request, @Nullable LossInterrupt interrupt, LeaseHandle.Origin origin) {
        return new LeaseHandle(origin, heldLock, reads(request), request.names(), interrupt);
    }

    private LeaseHandle leaseOrNeglect(HeldLock heldLock, LockRequest request, LeaseHandle.Origin origin) {
        try {
            LossInterrupt interrupt = request.interruptOnLoss() ? new LossInterrupt() : null;
            return lease(heldLock, request, interrupt, origin);
        } catch (Error e) { // as without memory: nothing else would release it
            heldLock.neglect();
            throw e;
        }
    }

    private void rememberOrRelease(LeaseHandle lease, boolean endsWithTheHandle, boolean interrupts) {
        try {
            remember(lease, endsWithTheHandle, interrupts);
        } catch (RuntimeException | Error e) { // its caller does not receive it
            lease.release();
            throw e;
        }
    }

    private static boolean reads(LockRequest request) {
        return request.mode() == LockMode.READ;
    }

    /** Releases what was taken and cannot become a lease. */
    void giveBack(HeldLock heldLock, LockRequest request) {
        leases.giveBack(LeaseShare.of(heldLock, reads(request)));
    }

    /** Returns why there is no lease where another holder had the lock during all the time. */
    LockTimeoutException timedOut(LockRequest request) {
        HeldLock mine = leases.takenByThisThread(request.names());
        return mine == null
                ? LockFailures.timedOut(request, lockAdmin.describeHolder(request))
                : LockFailures.timedOut(request, mine);
    }

    /**
     * Returns a lease of what was taken, or releases it and throws.
     *
     * @param transaction keeps it; null for none
     */
    Lease bind(HeldLock heldLock, LockRequest request, @Nullable Object transaction) {
        boolean outlivesTransaction = request.scope() == LeaseScope.HOLDER;
        LeaseHandle lease =
                leaseOrNeglect(heldLock, request, transaction == null || outlivesTransaction ? givingBack : leaving);
        if (transaction != null) {
            keep(lease, transaction, outlivesTransaction);
        }
        if (request.scope() == LeaseScope.CONNECTION) {
            rememberOrRelease(lease, transaction == null, request.interruptOnLoss());
            requireOpen(lease);
        }
        return lease;
    }

    /**
     * Lets the transaction keep the lock.
     *
     * @param both whether the lease does so as well: a transaction may time out while the work under the lock goes on
     */
    private void keep(LeaseHandle lease, Object transaction, boolean both) {
        try {
            if (both) { // if the lock is lost already, the transaction finds that out before it commits
                lease.heldLock().share(time.nanoTime(), lease.reads());
            }
            transactions.bind(transaction, this, lease);
        } catch (RuntimeException | Error e) {
            lease.release(); // what the transaction was to keep is released already
            throw e;
        }
    }

    /**
     * Transactions release the leases that they keep, and do not notify the handle: one that stays open must not
     * remember all of them.
     */
    private void remember(LeaseHandle lease, boolean endsWithTheHandle, boolean interrupts) {
        if (endsWithTheHandle) {
            bound.add(lease);
        } else if (interrupts) {
            kept.removeIf(LeaseHandle::isGivenBack);
            kept.add(lease);
        }
    }

    /** The handle was closed by another thread while this one waited: nothing else would release the lease. */
    private void requireOpen(LeaseHandle lease) {
        if (closing.isRaised()) {
            lease.release();
            closing.requireOpen();
        }
    }

    private boolean joinTransaction(LeaseShare share) {
        Object transaction = transactions.current();
        if (transaction == null || !transactions.canKeep() || !share.heldLock().share(time.nanoTime(), share.reads())) {
            return false;
        }
        transactions.bind(transaction, this, share);
        transactions.takeOver(share.heldLock()); // another thread may have released the lease meanwhile
        return true;
    }

    /** Returns what views of locks have taken through the connection. */
    JdkLockLeases viewed() {
        return viewed;
    }

    /** Waits for so long, without an attempt: the caller asks for a lock that it has itself. */
    void waitInVain(long nanos) throws InterruptedException {
        acquirer.waitInVain(nanos, closing);
    }

    /** Returns what ends the waits of callers when the handle is closed or taken away. */
    StopFlag closing() {
        return closing;
    }

    /** Returns whether leases end with the handle. */
    public boolean hasLeases() {
        return bound.size() > 0;
    }

    /** Returns how many leases it remembers. */
    int remembered() {
        return bound.size() + kept.size();
    }

    private ReleaseResult giveBack(LeaseHandle lease) {
        bound.remove(lease);
        try {
            return leases.giveBack(lease);
        } finally {
            transactions.takeOver(lease.heldLock());
        }
    }

    private ReleaseResult leaveToTransaction(LeaseHandle lease) {
        kept.remove(lease);
        return ReleaseResult.KEPT;
    }

    /**
     * Declares lost what is bound to the handle, because the container takes the handle away from its user. The user
     * may continue to work under the locks. So nothing is released on the nodes; the locks are not renewed any more,
     * and end there with their TTL. {@link #close()} is still to be called when the user has closed the handle.
     *
     * @param ofTransactions whether leases that were taken through the handle and that open transactions keep are lost
     *     too: these transactions roll back
     * @return how many locks were lost
     */
    public int loseAndLeave(String reason, boolean ofTransactions) {
        closing.raise(); // before the check: what is bound from now on is released by the thread that binds it
        Set<HeldLock> taken = new HashSet<>();
        bound.addLocksTo(taken);
        if (ofTransactions) {
            taken.addAll(transactions.takenBy(this));
        }
        return leases.loseAndLeave(taken, reason);
    }

    /** Releases the leases that are bound to the handle, all at once. */
    public void close() {
        try {
            closing.raise(); // before the check: what is bound from now on is released by the thread that binds it
        } finally {
            try {
                kept.interruptNoMore();
                viewed.clear();
            } finally {
                giveBackAll(bound.endAll());
            }
        }
    }

    private void giveBackAll(List<LeaseShare> ended) {
        try {
            leases.giveBack(ended);
        } finally {
            for (int i = 0; i < ended.size(); i++) { // neither an iterator nor a lambda: they would need memory
                transactions.takeOver(ended.get(i).heldLock());
            }
        }
    }
}
