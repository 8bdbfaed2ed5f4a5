// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the type variables of its ancestors stand for in a class: {@code work(T)} there may be {@code work(String)} here. */
final class TypeArguments {

    private final Class<?> type;
    private final Map<TypeVariable<?>, Type> known = new HashMap<>();

    TypeArguments(Class<?> type) {
        this.type = type;
        collect(type);
    }

    /** Returns the class. */
    Class<?> type() {
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
    List<Class<?>> parametersOf(Method method) {
        return Arrays.<Type>stream(method.getGenericParameterTypes())
                .<Class<?>>map(this::classOf)
                .toList();
    }

    /** Returns what such a method returns. */
    Class<?> resultOf(Method method) {
        return classOf(method.getGenericReturnType());
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
