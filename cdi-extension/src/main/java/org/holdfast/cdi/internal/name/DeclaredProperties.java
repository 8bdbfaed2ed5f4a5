// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Follows the properties in an expression, as {@code order.customer.id}, through the declared types, to find those that
 * are not there before any call does.
 *
 * <p>Types that can have no subclass are certain. What is not understood, such as what methods return, elements and
 * type variables, is left for the call.
 */
final class DeclaredProperties {

    private static final String NAME = "[\\p{L}_$][\\p{L}\\p{N}_$]*+";

    /**
     * A parameter and properties, but not the method that is called at the end, nor what begins behind something else.
     */
    private static final Pattern CHAIN = Pattern.compile("(?<![\\p{L}\\p{N}_$.])(" + Parameters.ALL
            + "\\[(\\d{1,3})\\]|" + NAME + ")((?:\\." + NAME + "(?!\\s*\\())++)");

    private static final Pattern SPACE = Pattern.compile("\\s*([.\\[\\]])\\s*");

    /** It has parameters of its own, which may have the same names. */
    private static final String LAMBDA = "->";

    /** Each object has it. It is not listed, for as a rule it is not what was meant. */
    private static final String CLASS = "class";

    private static final List<String> GETTERS = List.of("get", "is");

    /**
     * A property that the declared type does not have.
     *
     * @param isCertain whether no value can have it
     */
    record Missing(String property, Class<?> type, boolean isCertain) {

        /** Returns it as the end of a sentence. */
        String inWords() {
            return "asks for the property '" + property + "', which " + type.getTypeName()
                    + " does not have; there are " + properties(type).keySet();
        }
    }

    private DeclaredProperties() {}

    /** Returns the first property in each chain that is not there. */
    static List<Missing> missing(String expression, Parameters parameters) {
        String text = SPACE.matcher(NameExpression.withoutStrings(expression)).replaceAll("$1");
        List<Missing> missing = new ArrayList<>();
        Matcher chain = CHAIN.matcher(text);
        while (!text.contains(LAMBDA) && chain.find()) {
            Integer position = chain.group(2) == null
                    ? parameters.positions().get(chain.group(1))
                    : Integer.valueOf(chain.group(2));
            if (position != null && position < parameters.count()) {
                Type declared = parameters.method().getGenericParameterTypes()[position];
                follow(declared, chain.group(3).substring(1).split("\\.")).ifPresent(missing::add);
            }
        }
        return missing;
    }

    private static Optional<Missing> follow(Type declared, String... path) {
        Type at = declared;
        for (String property : path) {
            Class<?> type = classOf(at);
            if (type == null || Map.class.isAssignableFrom(type)) {
                return Optional.empty(); // anything may be in it
            }
            if (List.class.isAssignableFrom(type)) { // its properties are numbers
                return Optional.of(new Missing(property, type, true));
            }
            if (type.isArray()) { // the length is there in newer versions of the language
                return property.equals("length") ? Optional.empty() : Optional.of(new Missing(property, type, true));
            }
            if (property.equals(CLASS)) {
                at = Class.class;
                continue;
            }
            Map<String, Type> known = properties(type);
            if (!known.containsKey(property)) {
                boolean isCertain = Modifier.isFinal(type.getModifiers());
                return isCertain || !isOfThePlatform(type)
                        ? Optional.of(new Missing(property, type, isCertain))
                        : Optional.empty();
            }
            at = known.get(property);
        }
        return Optional.empty();
    }

    /** A parameter that is declared as {@code Object} or {@code Principal} is as a rule something that has more. */
    private static boolean isOfThePlatform(Class<?> type) {
        return type.getName().startsWith("java.");
    }

    /** Returns null for what stands for several classes. */
    private static @Nullable Class<?> classOf(Type declared) {
        if (declared instanceof ParameterizedType parameterized) {
            return (Class<?>) parameterized.getRawType();
        }
        if (declared instanceof GenericArrayType) {
            return Object[].class;
        }
        return declared instanceof Class<?> type ? boxed(type) : null;
    }

    private static Class<?> boxed(Class<?> type) {
        return java.lang.invoke.MethodType.methodType(type).wrap().returnType();
    }

    /** Returns all that values of exactly this type may have, or more: getters are told by their names only. */
    private static Map<String, Type> properties(Class<?> type) {
        Map<String, Type> properties = new TreeMap<>();
        for (Method method : type.getMethods()) {
            if (method.getParameterCount() == 0 && method.getDeclaringClass() != Object.class) {
                propertyOf(method.getName())
                        .ifPresent(name ->
                                properties.merge(name, method.getGenericReturnType(), DeclaredProperties::either));
            }
        }
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                properties.put(component.getName(), component.getGenericType());
            }
        }
        return properties;
    }

    /**
     * Returns what is known of a property with two getters: one that the compiler has made for callers of a supertype
     * has a more general type; which of {@code get} and {@code is} is read, the JDK decides.
     */
    private static Type either(Type one, Type other) {
        Class<?> first = classOf(one);
        Class<?> second = classOf(other);
        if (first == null || second == null) {
            return Object.class;
        }
        if (first.isAssignableFrom(second)) {
            return other;
        }
        return second.isAssignableFrom(first) ? one : Object.class;
    }

    private static Optional<String> propertyOf(String getter) {
        return GETTERS.stream()
                .filter(prefix -> getter.startsWith(prefix) && getter.length() > prefix.length())
                .map(prefix -> decapitalized(getter.substring(prefix.length())))
                .findFirst();
    }

    /** As beans have it: {@code getURL} is of the property URL. */
    private static String decapitalized(String name) {
        boolean isAcronym = name.length() > 1 && name.substring(0, 2).chars().allMatch(Character::isUpperCase);
        return isAcronym ? name : Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }
}
