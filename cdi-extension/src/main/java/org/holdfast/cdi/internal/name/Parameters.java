// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import jakarta.enterprise.inject.spi.AnnotatedMethod;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.holdfast.cdi.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a method as expressions know them.
 *
 * @param positions the position of each name
 */
public record Parameters(Method method, Map<String, Integer> positions) {

    /** All arguments, by position. */
    static final String ALL = "args";

    private static final Pattern ALONE =
            Pattern.compile("#\\{\\s*(?:" + ALL + "\\s*\\[\\s*(\\d{1,3})\\s*\\]|([\\p{L}_$][\\p{L}\\p{N}_$]*))\\s*\\}");

    public Parameters {
        positions = Map.copyOf(positions);
    }

    /** @throws IllegalArgumentException if a name is not usable or given twice */
    public static Parameters of(AnnotatedMethod<?> method) {
        return of(
                method.getJavaMember(),
                position -> method.getParameters().get(position).getAnnotation(LockKey.class));
    }

    /** @param keys gives the annotation of the parameter at a position, or null */
    static Parameters of(Method method, IntFunction<LockKey> keys) {
        Map<String, Integer> positions = new HashMap<>();
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            LockKey key = keys.apply(i);
            String name = key == null ? parameters[i].getName() : key.value();
            if (key != null && (!isIdentifier(name) || name.equals(ALL))) {
                throw new IllegalArgumentException(
                        "@LockKey must be a Java identifier other than " + ALL + ", was '" + name + "'");
            }
            Integer other = positions.put(name, i);
            if (other != null) {
                throw new IllegalArgumentException(
                        "arguments " + other + " and " + i + " have the same name '" + name + "', given by @LockKey");
            }
        }
        return new Parameters(method, positions);
    }

    private static boolean isIdentifier(String name) {
        return !name.isEmpty()
                && Character.isJavaIdentifierStart(name.charAt(0))
                && name.chars().allMatch(Character::isJavaIdentifierPart);
    }

    int count() {
        return method.getParameterCount();
    }

    /**
     * Returns which parameter an expression stands for that is nothing but its name or place; null if there is more to
     * it.
     */
    @Nullable
    Integer positionIn(String expression) {
        Matcher alone = ALONE.matcher(expression);
        if (!alone.matches()) {
            return null;
        }
        return alone.group(1) == null ? positions.get(alone.group(2)) : Integer.valueOf(alone.group(1));
    }

    /** Says which names there are. */
    String known() {
        boolean named = Arrays.stream(method.getParameters()).allMatch(Parameter::isNamePresent);
        return new TreeSet<>(positions.keySet()) + " and " + ALL + "[…]"
                + (named ? "" : " (compile with -parameters to use the names of parameters, or name them by @LockKey)");
    }
}
