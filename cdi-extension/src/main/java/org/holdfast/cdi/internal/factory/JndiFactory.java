// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.factory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
            boolean isBound = !saysThatThereIsNone(name, e);
            return new Missing(name, describe(e, isBound), isBound);
        }
    }

    /** Returns whether there is no JNDI at all, as in Java SE. */
    static boolean isThereNone() {
        try {
            InitialContext.doLookup("java:comp");
            return false;
        } catch (NoInitialContextException e) {
            return true;
        } catch (NamingException | RuntimeException | LinkageError e) {
            return false;
        }
    }

    /** Returns whether names of a module can be looked up. A thread without them does not say what the module binds. */
    static boolean isModuleThere() {
        try {
            InitialContext.doLookup("java:comp/env");
            return true;
        } catch (NamingException | RuntimeException e) {
            return false;
        }
    }

    /**
     * Returns whether a failure is how the server says that nothing has this name. All other failures are those
     * of something that is bound: of an adapter that could not start, for example, or of a reference to a factory
     * that is not there. Servers report these in words of their own, some of them in a NameNotFoundException.
     */
    private static boolean saysThatThereIsNone(String name, Throwable failure) {
        if (failure instanceof NoInitialContextException) {
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
        return parts(failure).stream()
                .map(part -> part.getClass().getName() + ": " + part.getMessage())
                .collect(Collectors.joining("\n"));
    }

    /**
     * Returns a failure, its causes, and what each of these suppresses. GlassFish has one exception for a name that
     * is not bound and for one that leads to nothing, and suppresses in it what differs.
     */
    private static List<Throwable> parts(Throwable failure) {
        List<Throwable> parts = new ArrayList<>(List.of(failure));
        for (int at = 0; at < parts.size(); at++) {
            Throwable part = parts.get(at);
            Stream.concat(Stream.ofNullable(part.getCause()), Arrays.stream(part.getSuppressed()))
                    .filter(next -> parts.stream().noneMatch(known -> known == next))
                    .forEach(parts::add);
        }
        return parts;
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

    private static String describe(Throwable failure, boolean isBound) {
        List<Throwable> innermost = parts(failure).stream()
                .filter(part -> part.getCause() == null && part.getSuppressed().length == 0)
                .toList();
        if (innermost.stream().anyMatch(NoInitialContextException.class::isInstance)) {
            return "there is no JNDI here";
        }
        return !isBound && innermost.stream().anyMatch(NameNotFoundException.class::isInstance)
                ? "not bound"
                : "the look-up failed: "
                        + innermost.stream().map(Throwable::toString).collect(Collectors.joining("; "));
    }
}
