// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.operation;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the type variables of its ancestors stand for in a class: {@code work(T)} there may be {@code work(String)}
 * here.
 */
public final class TypeArguments {

    private final Class<?> type;
    private final Map<TypeVariable<?>, Type> known = new HashMap<>();

    public TypeArguments(Class<?> type) {
        this.type = type;
        collect(type);
    }

    /** Returns the class. */
    public Class<?> type() {
        return type;
    }

    private void collect(Class<?> child) {
        Type superclass = child.getGenericSuperclass();
        if (superclass != null) {
            add(superclass);
        }
        for (Type parent : child.getGenericInterfaces()) {
            add(parent);
        }
    }

    private void add(Type parent) {
        Class<?> raw = classOf(parent);
        if (parent instanceof ParameterizedType parameterized) {
            Type[] arguments = parameterized.getActualTypeArguments();
            for (int i = 0; i < arguments.length; i++) {
                known.put(raw.getTypeParameters()[i], arguments[i]);
            }
        }
        collect(raw);
    }

    /** Returns the parameters of a method that the class has or inherits. */
    public List<Class<?>> parametersOf(Method method) {
        return Arrays.<Type>stream(method.getGenericParameterTypes())
                .<Class<?>>map(this::classOf)
                .toList();
    }

    /** Returns what such a method returns. */
    public Class<?> resultOf(Method method) {
        return classOf(method.getGenericReturnType());
    }

    /** Returns what is written inside of that: elements of arrays, type arguments, and those of both. */
    public Set<Class<?>> insideResultOf(Method method) {
        Set<Class<?>> inside = new LinkedHashSet<>();
        collectInside(method.getGenericReturnType(), inside, new HashSet<>());
        return inside;
    }

    /** @param seen bounds may name their own variable */
    private void collectInside(Type written, Set<Class<?>> inside, Set<Type> seen) {
        if (!seen.add(written)) {
            return;
        }
        if (written instanceof Class<?> plain) {
            if (plain.isArray()) {
                addInside(plain.getComponentType(), inside, seen);
            }
        } else if (written instanceof GenericArrayType array) {
            addInside(array.getGenericComponentType(), inside, seen);
        } else if (written instanceof ParameterizedType parameterized) {
            for (Type argument : parameterized.getActualTypeArguments()) {
                addInside(argument, inside, seen);
            }
        } else {
            boundsOf(written).forEach(bound -> collectInside(bound, inside, seen));
        }
    }

    private void addInside(Type part, Set<Class<?>> inside, Set<Type> seen) {
        if (part instanceof WildcardType) {
            boundsOf(part).forEach(bound -> addInside(bound, inside, seen));
        } else {
            inside.add(classOf(part));
            collectInside(part, inside, seen);
        }
    }

    private List<Type> boundsOf(Type wildcardOrVariable) {
        if (wildcardOrVariable instanceof WildcardType wildcard) {
            return List.of(wildcard.getUpperBounds());
        }
        TypeVariable<?> variable = (TypeVariable<?>) wildcardOrVariable;
        Type meant = known.get(variable);
        return meant == null ? List.of(variable.getBounds()) : List.of(meant);
    }

    private Class<?> classOf(Type written) {
        if (written instanceof Class<?> plain) {
            return plain;
        }
        if (written instanceof ParameterizedType parameterized) {
            return classOf(parameterized.getRawType());
        }
        if (written instanceof GenericArrayType array) {
            return Array.newInstance(classOf(array.getGenericComponentType()), 0)
                    .getClass();
        }
        TypeVariable<?> variable = (TypeVariable<?>) written; // a wildcard stands inside of another type only
        return classOf(known.containsKey(variable) ? known.get(variable) : variable.getBounds()[0]);
    }
}
