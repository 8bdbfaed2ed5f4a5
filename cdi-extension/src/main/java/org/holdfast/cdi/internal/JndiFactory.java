// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import javax.naming.InitialContext;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import org.holdfast.LockConnectionFactory;

/** What a look-up of a factory in JNDI gave. */
sealed interface JndiFactory {

    record Found(LockConnectionFactory factory) implements JndiFactory {}

    /**
     * @param reason why there is no factory under this name, for people
     * @param isBound whether it is certain that something is bound there: the factory that is meant, and no other
     *     is to be taken in its place
     */
    record Missing(String name, String reason, boolean isBound) implements JndiFactory {
        @Override
        public String toString() {
            return "'" + name + "': " + reason;
        }
    }

    /**
     * Added to a name that cannot be looked up: a look-up of the result shows how this server reports that there
     * is nothing.
     */
    String NEVER_BOUND = "-never-bound";

    static JndiFactory lookUp(String name) {
        try {
            Object bound = InitialContext.doLookup(name);
            return bound instanceof LockConnectionFactory factory
                    ? new Found(factory)
                    : new Missing(name, describe(bound), bound != null);
        } catch (NamingException | RuntimeException | LinkageError e) { // servers differ in how they say no
            return new Missing(name, describe(e), !saysThatThereIsNone(name, e));
        }
    }

    /**
     * Returns whether a failure is how the server says that nothing has this name. All other failures are those of
     * something that is bound: of an adapter that could not start, for example, and servers report these in words of
     * their own.
     */
    private static boolean saysThatThereIsNone(String name, Throwable failure) {
        if (failure instanceof NameNotFoundException || failure instanceof NoInitialContextException) {
            return true;
        }
        try {
            InitialContext.doLookup(name + NEVER_BOUND);
            return false;
        } catch (NamingException | RuntimeException | LinkageError e) {
            return words(e).replace(NEVER_BOUND, "").equals(words(failure));
        }
    }

    private static String words(Throwable failure) {
        StringBuilder words = new StringBuilder();
        Throwable each = failure;
        while (each != null) {
            words.append(each.getClass().getName())
                    .append(": ")
                    .append(each.getMessage())
                    .append('\n');
            each = each.getCause() == each ? null : each.getCause();
        }
        return words.toString();
    }

    private static String describe(Object bound) {
        if (bound == null) {
            return "bound to null";
        }
        Class<?> type = bound.getClass();
        return isFactoryOfAnotherLoader(type)
                ? "bound to a LockConnectionFactory of another class loader (" + type.getClassLoader()
                        + "): its jar is there twice, in the application and in the adapter, or the adapter was redeployed"
                        + " and the application was not"
                : "bound to a " + type.getName() + ", which is no LockConnectionFactory";
    }

    private static boolean isFactoryOfAnotherLoader(Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Class<?> implemented : at.getInterfaces()) {
                if (implemented.getName().equals(LockConnectionFactory.class.getName())
                        || isFactoryOfAnotherLoader(implemented)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String describe(Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null && innermost.getCause() != innermost) {
            innermost = innermost.getCause();
        }
        if (innermost instanceof NameNotFoundException) {
            return "not bound";
        }
        return innermost instanceof NoInitialContextException
                ? "there is no JNDI here"
                : "the look-up failed: " + innermost;
    }
}
