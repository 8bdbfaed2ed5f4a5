// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import org.jspecify.annotations.Nullable;

/** The transaction of the calling thread, where there are transactions. */
public final class CurrentTransaction {

    private static final String REGISTRY = "java:comp/TransactionSynchronizationRegistry";

    /** Java SE has no names at all: nothing is to be looked for at each call. */
    private final boolean hasNames = hasNames();

    /** One object for all threads; only found where a component's names can be looked up. */
    private volatile @Nullable TransactionSynchronizationRegistry registry;

    private static boolean hasNames() {
        try {
            InitialContext.doLookup(REGISTRY);
            return true;
        } catch (NoInitialContextException e) {
            return false;
        } catch (NamingException e) {
            return true; // it may be there for other callers than this one
        }
    }

    /** Returns its key if it may commit, else null. */
    @Nullable
    Object key() {
        TransactionSynchronizationRegistry found = registry();
        return found == null || found.getTransactionStatus() != Status.STATUS_ACTIVE ? null : found.getTransactionKey();
    }

    /** Has the calling thread's transaction roll back, whatever its method returns or throws. */
    void setRollbackOnly() {
        TransactionSynchronizationRegistry found = registry();
        if (found != null && key() != null) {
            found.setRollbackOnly();
        }
    }

    /**
     * Calls back after the calling thread's transaction has completed, on whichever thread that does.
     *
     * @return false if there is none that would: it may have timed out just now
     */
    boolean afterCompletion(Runnable callback) {
        TransactionSynchronizationRegistry found = registry();
        if (found == null || key() == null) {
            return false;
        }
        found.registerInterposedSynchronization(new Callback(callback));
        return true;
    }

    private static final class Callback implements Synchronization {

        /** Null when it was called: a server may keep what was registered with a transaction that timed out. */
        private @Nullable Runnable callback;

        private Callback(Runnable callback) {
            this.callback = callback;
        }

        @Override
        public void beforeCompletion() {
            // what holds before is the adapter's business
        }

        @Override
        public void afterCompletion(int status) {
            Runnable own = callback;
            callback = null;
            if (own != null) {
                own.run();
            }
        }
    }

    private @Nullable TransactionSynchronizationRegistry registry() {
        TransactionSynchronizationRegistry known = registry;
        if (known == null && hasNames) {
            try {
                known = InitialContext.doLookup(REGISTRY);
                registry = known;
            } catch (NamingException e) {
                return null; // no container, or none with transactions
            }
        }
        return known;
    }
}
