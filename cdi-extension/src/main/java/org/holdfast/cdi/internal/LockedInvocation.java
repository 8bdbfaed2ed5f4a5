// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.interceptor.InvocationContext;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockException;
import org.holdfast.LockRequest;

/** One call of a locked method: what its two interceptors share. For one thread. */
final class LockedInvocation {

    private static final String KEY = LockedInvocation.class.getName();

    private final LockExtension extension;
    private final LockRequest request;
    private final Object outerTransaction;
    private Lease lease;
    private boolean confirmed;

    /** @param outerTransaction the key of the transaction that was active before the call, or null */
    LockedInvocation(LockExtension extension, LockRequest request, Object outerTransaction) {
        this.extension = extension;
        this.request = request;
        this.outerTransaction = outerTransaction;
        this.confirmed = outerTransaction != null; // the lease is bound to it, and looked at before it commits
    }

    /** Returns the call that is being intercepted. */
    static LockedInvocation of(InvocationContext context) {
        if (context.getContextData().get(KEY) instanceof LockedInvocation invocation) {
            return invocation;
        }
        throw new IllegalStateException(context.getMethod() + " was called without its lock, so it does not run");
    }

    void attachTo(InvocationContext context) {
        context.getContextData().put(KEY, this);
    }

    Lease acquire() {
        lease = acquireOnce();
        return lease;
    }

    /** Binds the lease to the transaction that was begun under the lock, if there is one: it cannot commit on a lost lock. */
    void bindToTransaction() {
        if (outerTransaction == null && extension.transactions().key() != null) {
            lease.requireHeld(); // else the next line would take the lock anew
            acquireOnce();
            confirmed = true;
        }
    }

    /**
     * Looks at the lease while the transaction can still be rolled back. A lease that a suspended transaction holds cannot
     * be shared with the one that runs, so nothing else looks on behalf of that one.
     */
    void confirmBeforeCommit() {
        Object inner = extension.transactions().key();
        if (outerTransaction != null && inner != null && !inner.equals(outerTransaction)) {
            lease.requireHeld();
        }
    }

    boolean isConfirmed() {
        return confirmed;
    }

    private Lease acquireOnce() {
        try (LockConnection connection = extension.factories().connect()) {
            return connection.acquire(request);
        } catch (InterruptedException e) { // the method need not declare it
            Thread.currentThread().interrupt();
            throw new LockException("interrupted while waiting for lock '" + request.name() + "'", e);
        }
    }
}
