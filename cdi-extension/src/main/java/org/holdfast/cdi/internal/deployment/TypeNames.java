// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Compares types by name, where an application may be without the API that has them. */
final class TypeNames {

    private TypeNames() {}

    /** Returns the first of the names that the class, a superclass or an interface of it has. */
    static Optional<String> firstOf(Class<?> type, Collection<String> names) {
        Set<String> all = all(type);
        return names.stream().filter(all::contains).findFirst();
    }

    /** Returns whether the class, a superclass or an interface of it is in a package, or in one below. */
    static boolean hasOneBelow(String prefix, Class<?> type) {
        return all(type).stream().anyMatch(name -> name.startsWith(prefix));
    }

    private static Set<String> all(Class<?> type) {
        Set<String> all = new LinkedHashSet<>();
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            collect(each, all);
        }
        return all;
    }

    /** Returns whether the method is one of an interface that has one of the names. */
    static boolean isOfOne(Method method, Class<?> type, Collection<String> names) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Class<?> parent : each.getInterfaces()) {
                if (names.contains(parent.getName()) && has(parent, method) || isOfOne(method, parent, names)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean has(Class<?> type, Method method) {
        return Arrays.stream(type.getMethods())
                .anyMatch(each -> each.getName().equals(method.getName())
                        && Arrays.equals(each.getParameterTypes(), method.getParameterTypes()));
    }

    private static void collect(Class<?> type, Set<String> names) {
        names.add(type.getName());
        for (Class<?> parent : type.getInterfaces()) {
            collect(parent, names);
        }
    }
}
