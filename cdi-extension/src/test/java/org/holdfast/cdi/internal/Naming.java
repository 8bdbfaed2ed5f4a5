// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import java.lang.reflect.Proxy;
import java.util.Hashtable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.naming.Context;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.spi.InitialContextFactory;

/** The JNDI of a server, as far as a look goes: there is one until it is closed. */
public final class Naming implements InitialContextFactory, AutoCloseable {

    private static final Map<String, Object> BOUND = new ConcurrentHashMap<>();
    private static final Map<String, String> REFUSED = new ConcurrentHashMap<>();
    private static final AtomicInteger LOOKUPS = new AtomicInteger();

    static Naming start() {
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, Naming.class.getName());
        LOOKUPS.set(0);
        return new Naming();
    }

    /** Returns how often was looked for a factory. */
    int lookups() {
        return LOOKUPS.get();
    }

    /** @param what if it is an exception, the look-up fails with it */
    void bind(String name, Object what) {
        BOUND.put(name, what);
    }

    /** Has each look-up below that name fail in a way of its own, but for what is bound there. */
    void refuseBelow(String prefix, String words) {
        REFUSED.put(prefix, words);
    }

    void unbind(String name) {
        BOUND.remove(name);
    }

    @Override
    public Context getInitialContext(Hashtable<?, ?> environment) {
        return (Context) Proxy.newProxyInstance(
                Naming.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, args) -> {
                    if (method.getName().equals("lookup")) {
                        if (args[0].toString().endsWith("/holdfast")) {
                            LOOKUPS.incrementAndGet();
                        }
                        return found((String) args[0]);
                    }
                    return null; // it is closed
                });
    }

    private static Object found(String name) throws NamingException {
        Object found = BOUND.get(name);
        if (found instanceof NamingException failure) {
            throw failure;
        }
        for (Map.Entry<String, String> refused : REFUSED.entrySet()) {
            if (found == null && name.startsWith(refused.getKey())) {
                throw new NamingException(refused.getValue() + name);
            }
        }
        if (found == null) {
            throw new NameNotFoundException(name);
        }
        return found;
    }

    @Override
    public void close() {
        BOUND.clear();
        REFUSED.clear();
        System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
    }
}
