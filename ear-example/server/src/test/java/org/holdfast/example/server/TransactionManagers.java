// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.transaction.TransactionManager;
import java.util.List;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/** Finds the server's transaction manager, which has no standard name. */
final class TransactionManagers {

    private static final List<String> NAMES = List.of(
            "java:jboss/TransactionManager", "java:appserver/TransactionManager", "java:comp/TransactionManager");

    private TransactionManagers() {}

    static TransactionManager find() {
        for (String name : NAMES) {
            try {
                return InitialContext.doLookup(name);
            } catch (NamingException e) {
                continue; // another server's
            }
        }
        return ofLiberty();
    }

    private static TransactionManager ofLiberty() {
        try {
            return (TransactionManager) Class.forName("com.ibm.tx.jta.TransactionManagerFactory")
                    .getMethod("getTransactionManager")
                    .invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no transaction manager at " + NAMES, e);
        }
    }
}
