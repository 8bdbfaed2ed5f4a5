// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.List;
import java.util.function.IntConsumer;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import org.jspecify.annotations.Nullable;

/** The transaction of the calling thread, where there are transactions. */
public final class CurrentTransaction {

    /** The name that each server has, for threads of components. */
    private static final String REGISTRY = "java:comp/TransactionSynchronizationRegistry";

    /** Where WildFly and GlassFish have the same object for all threads. */
    private static final List<String> OF_SERVERS = List.of(
            "java:jboss/TransactionSynchronizationRegistry", "java:appserver/TransactionSynchronizationRegistry");

    /** Java SE has no names at all: nothing is to be looked for at each call. */
    private final boolean hasNames;

    /** One object for all threads. */
    private volatile @Nullable TransactionSynchronizationRegistry registry;

    /**
     * Looks for what any thread can find: the first call may come on a thread of no component, in a transaction that
     * only the factory would see then.
     */
    public CurrentTransaction() {
        boolean names = true;
        try {
            registry = find(REGISTRY);
            for (String name : OF_SERVERS) {
                registry = registry == null ? find(name) : registry;
            }
        } catch (NoInitialContextException e) {
            names = false;
        }
        hasNames = names;
    }

    private static @Nullable TransactionSynchronizationRegistry find(String name) throws NoInitialContextException {
        try {
            return InitialContext.doLookup(name);
        } catch (NoInitialContextException e) {
            throw e;
        } catch (NamingException e) { // it may be there for other callers than this one
            return null;
        } catch (ClassCastException e) {
            throw new IllegalStateException(
                    "HF0517: " + name
                            + " is there, and its type is not that of the Jakarta Transactions API which the CDI extension"
                            + " sees: leave that API out of the application, where the server has it",
                    e);
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
        found.registerInterposedSynchronization(new Callback(status -> callback.run()));
        return true;
    }

    /** Calls back after the calling thread's transaction has committed; not if it rolls back. */
    void afterCommit(Runnable callback) {
        TransactionSynchronizationRegistry found = registry();
        if (found != null && key() != null) {
            found.registerInterposedSynchronization(new Callback(status -> {
                if (status == Status.STATUS_COMMITTED) {
                    callback.run();
                }
            }));
        }
    }

    private static final class Callback implements Synchronization {

        /** Null when it was called: a server may keep what was registered with a transaction that timed out. */
        private @Nullable IntConsumer callback;

        private Callback(IntConsumer callback) {
            this.callback = callback;
        }

        @Override
        public void beforeCompletion() {
            // what holds before is the adapter's business
        }

        @Override
        public void afterCompletion(int status) {
            IntConsumer own = callback;
            callback = null;
            if (own != null) {
                own.accept(status);
            }
        }
    }

    private @Nullable TransactionSynchronizationRegistry registry() {
        TransactionSynchronizationRegistry known = registry;
        if (known == null && hasNames) {
            try {
                known = find(REGISTRY);
                registry = known;
            } catch (NoInitialContextException e) {
                return null; // this thread sees no names
            }
        }
        return known;
    }
}
