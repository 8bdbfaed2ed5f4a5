// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.context.spi.CreationalContext;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/** Finds the factory to lock with: the one that is named, else the application's bean, else under the usual names in JNDI. */
final class FactoryLocator {

    /** What is below it differs from one component to the next. */
    private static final String OF_THE_COMPONENT = "java:comp/";

    /** Each module may bind it to another factory. */
    private static final String OF_THE_MODULE = OF_THE_COMPONENT + "env/eis/holdfast";

    private static final List<String> OF_THE_SERVER = List.of(
            "java:app/eis/holdfast",
            "java:/eis/holdfast",
            "eis/holdfast",
            "openejb:Resource/holdfast.rar",
            "openejb:Resource/holdfast");

    private final BeanManager beans;
    private final Bean<?> bean;
    private final CreationalContext<?> creation;
    private final Map<String, LockConnectionFactory> named = new ConcurrentHashMap<>();
    private volatile LockConnectionFactory ofTheApplication;
    private volatile LockConnectionFactory ofTheServer;

    /** @param bean the application's own, or null */
    FactoryLocator(BeanManager beans, Bean<?> bean) {
        this.beans = beans;
        this.bean = bean;
        this.creation = beans.createCreationalContext(bean);
    }

    /**
     * @param name in JNDI; empty for the one that is found by itself
     * @throws IllegalStateException if there is no factory; the method does not run then
     */
    LockConnection connect(Optional<String> name) {
        LockConnectionFactory factory = name.isPresent() ? named(name.get()) : unnamed();
        try {
            return factory.getConnection();
        } catch (RuntimeException e) {
            forget(); // it may belong to an adapter that was redeployed: the next call looks again
            throw e;
        }
    }

    private void forget() {
        ofTheServer = null;
        named.clear();
    }

    /** Lets go of what hangs on the application's bean. */
    void close() {
        forget();
        creation.release();
    }

    private LockConnectionFactory named(String name) {
        LockConnectionFactory found = named.get(name);
        if (found != null) {
            return found;
        }
        found = lookUp(name);
        if (found == null) {
            throw new IllegalStateException(
                    "HF0504: @Locked finds no LockConnectionFactory at '" + name + "', which its member factory names");
        }
        if (!name.startsWith(OF_THE_COMPONENT)) {
            named.put(name, found);
        }
        return found;
    }

    private LockConnectionFactory unnamed() {
        return bean == null ? fromJndi() : fromBean();
    }

    private LockConnectionFactory fromBean() {
        LockConnectionFactory known = ofTheApplication;
        if (known == null) {
            known = (LockConnectionFactory) beans.getReference(bean, LockConnectionFactory.class, creation);
            ofTheApplication = known;
        }
        return known;
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
        throw new IllegalStateException("HF0505: @Locked finds no LockConnectionFactory: bind one to one of " + names
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
