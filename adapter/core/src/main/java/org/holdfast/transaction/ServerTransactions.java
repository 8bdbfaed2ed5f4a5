// SPDX-License-Identifier: Apache-2.0
package org.holdfast.transaction;

import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.util.List;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.jspecify.annotations.Nullable;

/**
 * The transactions as objects, where the server's transaction manager has a name: it can be asked how a transaction
 * stands, on any thread.
 *
 * <p>The manager is looked up once, by the first thread that has a transaction: there is one by then. Safe for use by
 * any number of threads.
 */
final class ServerTransactions {

    /** On WildFly and on GlassFish, for all threads. There is no standard name. */
    private static final List<String> NAMES =
            List.of("java:jboss/TransactionManager", "java:appserver/TransactionManager");

    private @Nullable TransactionManager manager;
    private volatile boolean isKnown;

    ServerTransactions() {}

    ServerTransactions(TransactionManager manager) {
        this.manager = manager;
        this.isKnown = true;
    }

    /** Returns the calling thread's transaction; null where that cannot be known. */
    @Nullable
    Transaction current() {
        if (!isKnown) {
            manager = find();
            isKnown = true;
        }
        TransactionManager asked = manager;
        try {
            return asked == null ? null : asked.getTransaction();
        } catch (SystemException | RuntimeException e) { // it calls back all the same
            return null;
        }
    }

    private static @Nullable TransactionManager find() {
        TransactionManager any = null;
        for (int i = 0; i < NAMES.size() && any == null; i++) {
            any = lookUpOrNull(NAMES.get(i));
        }
        return any;
    }

    private static @Nullable TransactionManager lookUpOrNull(String name) {
        try {
            return (TransactionManager) InitialContext.<Object>doLookup(name);
        } catch (NamingException | RuntimeException | LinkageError e) { // another server, or a type not to be seen here
            return null;
        }
    }
}
