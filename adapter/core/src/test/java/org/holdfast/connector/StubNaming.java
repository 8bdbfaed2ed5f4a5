// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.lang.reflect.Proxy;
import java.util.Hashtable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.naming.Context;
import javax.naming.NameNotFoundException;
import javax.naming.spi.InitialContextFactory;

/** The JNDI of a server, as far as a look goes: there is one until it is closed. */
public final class StubNaming implements InitialContextFactory, AutoCloseable {

    private static final Map<String, Object> BOUND = new ConcurrentHashMap<>();

    public static StubNaming start() {
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, StubNaming.class.getName());
        return new StubNaming();
    }

    public void bind(String name, Object what) {
        BOUND.put(name, what);
    }

    @Override
    public Context getInitialContext(Hashtable<?, ?> environment) {
        return (Context) Proxy.newProxyInstance(
                StubNaming.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, args) -> {
                    if (method.getName().equals("lookup")) {
                        return found((String) args[0]);
                    }
                    return null; // it is closed
                });
    }

    private static Object found(String name) throws NameNotFoundException {
        Object found = BOUND.get(name);
        if (found == null) {
            throw new NameNotFoundException(name);
        }
        return found;
    }

    @Override
    public void close() {
        BOUND.clear();
        System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
    }
}
