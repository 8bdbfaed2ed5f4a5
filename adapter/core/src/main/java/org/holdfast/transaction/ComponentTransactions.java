// SPDX-License-Identifier: Apache-2.0
package org.holdfast.transaction;

import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.List;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import org.holdfast.protocol.session.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of the Jakarta EE component on whose thread a lock is asked for, such as a web module that brings
 * this library with it.
 *
 * <p>The registry is one object for all threads of a server, but its name is known to threads of components only: it is
 * looked up until it was found once. In Java SE there is nothing to look up. Safe for use by any number of threads.
 */
public final class ComponentTransactions implements Transactions {

    /** The name that each server has, for threads of components. */
    private static final String REGISTRY = "java:comp/TransactionSynchronizationRegistry";

    /** And those by which WildFly and GlassFish have the same object for all threads. */
    private static final List<String> NAMES = List.of(
            REGISTRY,
            "java:jboss/TransactionSynchronizationRegistry",
            "java:appserver/TransactionSynchronizationRegistry");

    private volatile @Nullable Transactions found;

    private ComponentTransactions(@Nullable Transactions found) {
        this.found = found;
    }

    /**
     * Returns the transactions of components; {@link Transactions#NONE} where there are no names at all, as in Java SE.
     */
    public static Transactions find() {
        try {
            return new ComponentTransactions(lookUpAny());
        } catch (NoInitialContextException e) {
            return NONE;
        }
    }

    /** Returns null where there are none for this thread: there may be for others, later. */
    private static @Nullable Transactions lookUpAny() throws NoInitialContextException {
        Transactions any = null;
        for (int i = 0; i < NAMES.size() && any == null; i++) {
            any = lookUpOrNull(NAMES.get(i));
        }
        return any;
    }

    private static @Nullable Transactions lookUpOrNull(String name) throws NoInitialContextException {
        try {
            return lookUp(name);
        } catch (NoInitialContextException e) {
            throw e;
        } catch (NamingException e) {
            return null;
        }
    }

    private static Transactions lookUp(String name) throws NamingException {
        Object registry = InitialContext.doLookup(name);
        try {
            return new JtaTransactions((TransactionSynchronizationRegistry) registry);
        } catch (LinkageError
                | ClassCastException e) { // the library does not see what the server has: nothing can be joined
            throw new IllegalStateException(
                    "HF0107: " + name
                            + " is there, and its type is not to be seen from the class loader of this library: put the"
                            + " library where the Jakarta Transactions API is seen, such as WEB-INF/lib",
                    e);
        }
    }

    private Transactions transactions() {
        Transactions known = found;
        if (known == null) {
            try {
                known = lookUp(REGISTRY);
                found = known;
            } catch (NamingException e) {
                return NONE; // this thread is none of a component
            }
        }
        return known;
    }

    @Override
    public @Nullable Object current() {
        return transactions().current();
    }

    @Override
    public boolean mayCommit() {
        return transactions().mayCommit();
    }

    @Override
    public Binding bind(Completion completion) {
        return transactions().bind(completion);
    }
}
