// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import jakarta.interceptor.InvocationContext;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.OnLoss;
import org.holdfast.cdi.internal.operation.LockedOperation;
import org.holdfast.cdi.internal.operation.MethodResult;
import org.jspecify.annotations.Nullable;

/** One attempt at a call of a locked method: what its two interceptors share. */
public final class LockedInvocation {

    private final CallServices services;
    private final LockedOperation operation;
    private final InvocationContext context;
    private final LockRequest request;
    private final @Nullable Object outerTransaction;
    private @Nullable Lease lease;
    private @Nullable LeaseEventPublisher news;

    /** Whether a transaction that was begun under the lock keeps it, and checks it before it commits. */
    private boolean confirmed;

    /** That transaction; null if only the factory knows it, as one that has transactions of its own. */
    private @Nullable Object keeper;

    /** Whether that transaction has committed, and the lock was lost by then: behind its last check. */
    private volatile boolean committedWithout;

    /** The attempts at the call, once this is one of them. */
    private volatile @Nullable Attempts attempts;

    /** Both are made before the lock is taken: later there may be no memory for them. */
    private final MethodRun method;

    private final Runnable release = this::release;

    public LockedInvocation(CallServices services, LockedOperation operation, InvocationContext context) {
        this.services = services;
        this.operation = operation;
        this.context = context;
        this.request = operation.request(context.getParameters());
        this.outerTransaction = services.transactions().key();
        this.method = new MethodRun(operation.result(), () -> news().release());
    }

    /**
     * Returns the call that is being intercepted.
     *
     * @throws IllegalStateException if it has no lock, or no more
     */
    public static LockedInvocation of(InvocationContext context) {
        LockedInvocation attempt = Attempts.of(context).current();
        if (attempt == null) {
            throw withoutLock(context);
        }
        return attempt;
    }

    private static IllegalStateException withoutLock(InvocationContext context) {
        return new IllegalStateException(
                "HF0507: " + context.getMethod() + " was called without its lock, so it does not run");
    }

    /**
     * Lets the calling thread into the method, until {@link #leave}, and returns the call.
     *
     * @throws IllegalStateException if it has no lock or no more, or if another thread or its work goes on
     */
    public static LockedInvocation enter(InvocationContext context) {
        LockedInvocation attempt = of(context);
        if (!attempt.method.enter()) { // last: whatever fails behind it would never leave
            throw withoutLock(context);
        }
        return attempt;
    }

    /** The calling thread has come out of the method. */
    public void leave() {
        method.leave();
    }

    /**
     * Returns whether the calling thread has taken the lock for this very call: a container may have an interceptor
     * twice. Another thread makes another attempt at the call.
     */
    public static boolean isUnderWay(InvocationContext context) {
        LockedInvocation own = Attempts.of(context).ofThisThread();
        return own != null && own.isOf(context);
    }

    /** Another call would have data of its own; if a container shared them, it must not go without its lock. */
    private boolean isOf(InvocationContext other) {
        return context.getTarget() == other.getTarget() && context.getMethod().equals(other.getMethod());
    }

    private boolean isKeptByOuterTransaction() {
        return outerTransaction != null && operation.isOfTransaction();
    }

    private boolean tellsOfLoss() {
        return operation.onLoss() != OnLoss.CONTINUE;
    }

    /** Runs the method under its lock, or not at all. */
    @Nullable
    public Object run() throws Exception {
        Lease taken = new Acquisition(services, operation, request).leaseUnlessSkipped();
        if (taken == null) {
            return operation.result().skipped();
        }
        begin(taken);
        return operation.goesOn() ? runUntilCompletion() : runUntilReturn();
    }

    /** Whatever fails, as without memory: nothing else would release the lease yet. */
    private void begin(Lease taken) {
        try {
            news = new LeaseEventPublisher(services.events(), operation.method(), taken);
            lease = taken;
        } catch (Error e) {
            taken.release();
            throw e;
        }
    }

    private Lease lease() {
        return Objects.requireNonNull(lease, "the lock is not taken yet");
    }

    private LeaseEventPublisher news() {
        return Objects.requireNonNull(news, "the lock is not taken yet");
    }

    private @Nullable Object runUntilReturn() throws Exception {
        try {
            Object result = proceedAndJoin();
            if (result instanceof Future<?> future && operation.result() == MethodResult.FUTURE) {
                LockedStage.awaitEnd(future);
            }
            if ((committedWithout || !isConfirmed()) && tellsOfLoss()) {
                lease().requireHeld(); // no transaction has checked in time: the caller learns that it was unprotected
            }
            return result;
        } finally {
            release();
        }
    }

    /** A transaction that the method has begun, and leaves to its caller to end, goes on under the lock. */
    private @Nullable Object proceedAndJoin() throws Exception {
        Object result = proceedOrJoin();
        joinTransactionLeftOpen(null);
        return result;
    }

    private @Nullable Object proceedOrJoin() throws Exception {
        try {
            return proceed();
        } catch (Exception e) {
            joinTransactionLeftOpen(e);
            throw e;
        }
    }

    /** The method may have ended its caller's transaction, and have begun another one. */
    private void joinTransactionLeftOpen(@Nullable Exception thrown) {
        Object open = services.transactions().key();
        if (open == null || open.equals(outerTransaction) || operation.scope() != LockScope.TRANSACTION) {
            return;
        }
        try {
            if (tellsOfLoss()) {
                keep(open);
            }
            tellEndAfterTransaction();
        } catch (RuntimeException e) {
            if (thrown != null) {
                e.addSuppressed(thrown);
            }
            throw e;
        }
    }

    private @Nullable Object runUntilCompletion() throws Exception {
        Object later = null;
        try {
            keepUntilCallersTransactionEnds();
            Object result = proceedOrJoin();
            try {
                joinTransactionLeftOpen(null);
            } finally { // whatever comes of that
                later = keepUntilCompletion(result);
            }
            return later;
        } finally {
            if (later == null) { // thrown, as by a transaction that did not commit, or nothing to wait for
                release();
            }
        }
    }

    /** Takes note of what the method has returned, which its caller may not get. */
    public void returned(@Nullable Object result) {
        method.returned(result);
    }

    /** What the method does before it returns may be the transaction's: it is committed under the lock as well. */
    private void keepUntilCallersTransactionEnds() {
        if (operation.scope() == LockScope.TRANSACTION && tellsOfLoss()) {
            keep(outerTransaction);
            if (confirmed) {
                tellEndAfterTransaction();
            }
        }
    }

    private @Nullable Object keepUntilCompletion(@Nullable Object result) {
        if (result == null) {
            return null;
        }
        return operation.result() == MethodResult.PUBLISHER // it may be both: the caller gets what the method declares
                ? new LockedPublisher<>((Flow.Publisher<?>) result, lease(), tellsOfLoss(), release)
                : LockedStage.of((CompletionStage<?>) result, lease(), tellsOfLoss(), release);
    }

    /** Releases the lock when no thread is in the method, and its work is done. */
    private void release() {
        try {
            method.end(!operation.goesOn());
        } finally {
            Attempts known = attempts;
            if (known != null) {
                known.close(this);
            }
        }
    }

    private @Nullable Object proceed() throws Exception {
        if (isKeptByOuterTransaction()) {
            tellEndAfterTransaction();
        }
        news().acquired();
        services.leases().enter(lease());
        try {
            return proceedAsAttempt();
        } finally {
            services.leases().leave();
        }
    }

    private @Nullable Object proceedAsAttempt() throws Exception {
        Attempts all = Attempts.of(context);
        attempts = all;
        LockedInvocation before = all.begin(this);
        try {
            return context.proceed();
        } finally {
            all.end(before); // an outer interceptor may try again
        }
    }

    private void tellEndAfterTransaction() {
        if (!services.events().isEndObserved()) {
            return;
        }
        news().keptByTransaction();
        boolean isTold = false;
        try {
            isTold = services.transactions().afterCompletion(news()::keeperEnded);
        } finally {
            if (!isTold) {
                news().keeperEnded();
            }
        }
    }

    /**
     * Has the transaction that was begun under the lock keep it, if there is one, also where it suspends the caller's:
     * it cannot commit on a lost lock.
     */
    public void joinTransaction() {
        Object inner = services.transactions().key();
        boolean isCallers = outerTransaction != null && outerTransaction.equals(inner);
        if (!isCallers && tellsOfLoss()) {
            keep(inner);
        }
    }

    private void keep(@Nullable Object transaction) {
        confirmed = lease().joinTransaction();
        keeper = transaction;
        if (confirmed && !operation.goesOn()) { // else what the method has returned tells of it
            services.transactions().afterCommit(this::noteCommit);
        }
    }

    private void noteCommit() {
        committedWithout |= !lease().isHeld();
    }

    /** Checks the lease while the transaction can still be rolled back, if that does not check it itself. */
    public void confirmBeforeCommit() {
        Object inner = services.transactions().key();
        if (inner != null && !isConfirmedBy(inner) && tellsOfLoss()) {
            requireHeldIn(inner);
        }
    }

    /** A transaction that was begun under the lock may be one that commits whatever is thrown. */
    private void requireHeldIn(Object inner) {
        try {
            lease().requireHeld();
        } catch (RuntimeException e) {
            if (!inner.equals(outerTransaction)) {
                markForRollback(e);
            }
            throw e;
        }
    }

    private void markForRollback(RuntimeException why) {
        try {
            services.transactions().setRollbackOnly();
        } catch (RuntimeException e) { // it has ended just now
            why.addSuppressed(e);
        }
    }

    private boolean isConfirmedBy(@Nullable Object transaction) {
        return confirmed && (keeper == null || keeper.equals(transaction)) || isKeptBy(transaction);
    }

    /** A transaction of the caller that the method has ended says nothing of what came after it. */
    private boolean isConfirmed() {
        return confirmed || isKeptBy(services.transactions().key());
    }

    /** Returns whether it is the caller's transaction, which the lease is bound to and which checks it. */
    private boolean isKeptBy(@Nullable Object transaction) {
        return transaction != null && transaction.equals(outerTransaction) && operation.isOfTransaction();
    }
}
