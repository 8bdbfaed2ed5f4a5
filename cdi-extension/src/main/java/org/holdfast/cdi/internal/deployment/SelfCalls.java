// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.holdfast.cdi.Locked;

/**
 * Methods that {@code HttpServlet.service} and {@code HttpFilter.doFilter} call on {@code this}: {@code doGet} and its
 * like. The server calls another method of that name, with the parameters of the interface, and no interceptor sees
 * what follows.
 */
public final class SelfCalls {

    /** What the server calls instead, for each class that calls others on itself. */
    private static final Map<String, String> CALLED_BY_THE_SERVER = Map.of(
            "jakarta.servlet.http.HttpServlet", "service(ServletRequest, ServletResponse)",
            "jakarta.servlet.http.HttpFilter", "doFilter(ServletRequest, ServletResponse, FilterChain)");

    private static final List<String> PARAMETERS =
            List.of("jakarta.servlet.http.HttpServletRequest", "jakarta.servlet.http.HttpServletResponse");

    private SelfCalls() {}

    /** Returns whether it is such a method, written by the application. */
    static boolean isOne(Method method, Class<?> type) {
        return !CALLED_BY_THE_SERVER.containsKey(method.getDeclaringClass().getName())
                && method.getParameterCount() >= PARAMETERS.size()
                && isNamed(method, 0)
                && isNamed(method, 1)
                && TypeNames.firstOf(type, CALLED_BY_THE_SERVER.keySet()).isPresent();
    }

    private static boolean isNamed(Method method, int position) {
        return method.getParameterTypes()[position].getName().equals(PARAMETERS.get(position));
    }

    /**
     * Returns a sentence if a class has such methods with the annotation, or is one with it. Looks at the class without
     * CDI.
     */
    public static List<String> of(Class<?> type) {
        Set<String> methods = new TreeSet<>();
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (isOne(method, type)
                        && (type.isAnnotationPresent(Locked.class) || method.isAnnotationPresent(Locked.class))) {
                    methods.add(method.getName());
                }
            }
        }
        return methods.isEmpty() ? List.of() : List.of(sentence(type, methods));
    }

    /** Returns what is wrong with a class that has such methods with a lock. */
    static String sentence(Class<?> type, Collection<String> methods) {
        String base = TypeNames.firstOf(type, CALLED_BY_THE_SERVER.keySet()).orElseThrow();
        return type.getName() + " would run " + methods + " without its lock: " + base
                + " calls them on this, where no interceptor sees it. Put @Locked on a method of a bean that they call, or, where the"
                + " server intercepts that, on " + CALLED_BY_THE_SERVER.get(base);
    }
}
