// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.management;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.security.Principal;
import java.util.stream.Collectors;
import javax.security.auth.Subject;
import org.jspecify.annotations.Nullable;

/** Which user calls through JMX, where the connector has its users log in. */
final class JmxCaller {

    private static final String UNKNOWN = "a user of JMX that is not known";

    /** {@code Subject.current}, which JMX sets since Java 23; null where it is not there. */
    private static final @Nullable MethodHandle CURRENT = find("current", MethodType.methodType(Subject.class));

    /** So much of the names of a user is written. */
    private static final int LONGEST_NAME = 80;

    private JmxCaller() {}

    private static @Nullable MethodHandle find(String method, MethodType type) {
        try {
            return MethodHandles.publicLookup().findStatic(Subject.class, method, type);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** Returns which user calls, for the audit. */
    static String describe() {
        Subject subject = current();
        if (subject == null || subject.getPrincipals().isEmpty()) {
            return UNKNOWN;
        }
        String names = subject.getPrincipals().stream().map(Principal::getName).collect(Collectors.joining(", "));
        return "the user of JMX " + names.substring(0, Math.min(names.length(), LONGEST_NAME));
    }

    @SuppressWarnings("removal") // before Java 23 it is the only way
    private static @Nullable Subject current() {
        try {
            Subject current = CURRENT == null ? null : (Subject) CURRENT.invokeExact();
            return current != null ? current : Subject.getSubject(java.security.AccessController.getContext());
        } catch (Throwable e) { // since Java 24 the old way is closed
            return null;
        }
    }
}
