// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import java.util.ArrayList;
import java.util.List;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/** Finds the factory to lock with: the application's bean if it has one, else under the usual names in JNDI. */
final class FactoryLocator {

    /** Each module may bind it to another factory. */
    private static final String OF_THE_MODULE = "java:comp/env/eis/holdfast";

    private static final List<String> OF_THE_SERVER =
            List.of("java:app/eis/holdfast", "java:/eis/holdfast", "eis/holdfast");

    private final BeanManager beans;
    private final Bean<?> bean;
    private volatile LockConnectionFactory ofTheServer;

    /** @param bean the application's own, or null */
    FactoryLocator(BeanManager beans, Bean<?> bean) {
        this.beans = beans;
        this.bean = bean;
    }

    /** @throws IllegalStateException if there is no factory; the method does not run then */
    LockConnection connect() {
        LockConnectionFactory factory = bean == null ? fromJndi() : fromBean();
        try {
            return factory.getConnection();
        } catch (RuntimeException e) {
            ofTheServer = null; // it may belong to an adapter that was redeployed: the next call looks again
            throw e;
        }
    }

    private LockConnectionFactory fromBean() {
        return (LockConnectionFactory)
                beans.getReference(bean, LockConnectionFactory.class, beans.createCreationalContext(null));
    }

    private LockConnectionFactory fromJndi() {
        LockConnectionFactory known = lookUp(OF_THE_MODULE);
        if (known == null) {
            known = ofTheServer;
        }
        if (known == null) {
            known = fromServer();
            ofTheServer = known;
        }
        return known;
    }

    private static LockConnectionFactory fromServer() {
        for (String name : OF_THE_SERVER) {
            LockConnectionFactory found = lookUp(name);
            if (found != null) {
                return found;
            }
        }
        List<String> names = new ArrayList<>(List.of(OF_THE_MODULE));
        names.addAll(OF_THE_SERVER);
        throw new IllegalStateException("@Locked finds no LockConnectionFactory: bind one to one of " + names
                + ", or produce one as a CDI bean");
    }

    private static LockConnectionFactory lookUp(String name) {
        try {
            return InitialContext.doLookup(name) instanceof LockConnectionFactory factory ? factory : null;
        } catch (NamingException e) {
            return null;
        }
    }
}
