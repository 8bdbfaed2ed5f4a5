// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import java.util.List;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.LockConnectionFactory;

/** Finds the factory to lock with: the application's bean if it has one, else under the usual names in JNDI. */
final class FactoryLocator {

    private static final List<String> NAMES =
            List.of("java:comp/env/eis/holdfast", "java:app/eis/holdfast", "java:/eis/holdfast", "eis/holdfast");

    private final BeanManager beans;
    private final Bean<?> bean;
    private volatile LockConnectionFactory found;

    /** @param bean the application's own, or null */
    FactoryLocator(BeanManager beans, Bean<?> bean) {
        this.beans = beans;
        this.bean = bean;
    }

    /** @throws IllegalStateException if there is none; the method does not run then */
    LockConnectionFactory factory() {
        LockConnectionFactory known = found;
        if (known == null) {
            known = bean == null ? fromJndi() : fromBean();
            found = known;
        }
        return known;
    }

    private LockConnectionFactory fromBean() {
        return (LockConnectionFactory)
                beans.getReference(bean, LockConnectionFactory.class, beans.createCreationalContext(bean));
    }

    private static LockConnectionFactory fromJndi() {
        for (String name : NAMES) {
            try {
                if (InitialContext.doLookup(name) instanceof LockConnectionFactory factory) {
                    return factory;
                }
            } catch (NamingException e) {
                // the next one may be it
            }
        }
        throw new IllegalStateException("@Locked finds no LockConnectionFactory: bind one to one of " + NAMES
                + ", or produce one as a CDI bean");
    }
}
