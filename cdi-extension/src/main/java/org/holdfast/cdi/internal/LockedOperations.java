// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.inject.spi.AnnotatedMethod;
import jakarta.enterprise.inject.spi.AnnotatedType;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.holdfast.cdi.Locked;

/** What is to be locked: filled while the application is deployed, read at each call. */
final class LockedOperations {

    private final Map<Key, LockedOperation> operations = new ConcurrentHashMap<>();

    /** A method as a bean class has it: an override has the same key. */
    private record Key(Class<?> beanClass, String method, List<Class<?>> parameters) {
        static Key of(Class<?> beanClass, Method method) {
            return new Key(beanClass, method.getName(), List.of(method.getParameterTypes()));
        }
    }

    /** Adds the methods of a bean; what is wrong with them becomes a sentence each. */
    void add(AnnotatedType<?> type, BindingLookup bindings, OperationReader reader, Collection<String> problems) {
        TypeArguments types = new TypeArguments(type.getJavaClass());
        for (AnnotatedMethod<?> annotated : type.getMethods()) {
            Method method = annotated.getJavaMember();
            if (method.isSynthetic() || Placement.isOverridden(method, types)) {
                continue;
            }
            try {
                Optional<Locked> locked = bindings.find(type, annotated);
                if (locked.isPresent()
                        && Placement.isMeant(annotated, types, bindings.isAmong(annotated.getAnnotations()))) {
                    operations.put(Key.of(types.type(), method), reader.read(types, annotated, locked.get()));
                }
            } catch (IllegalArgumentException e) {
                problems.add(method + ": " + e.getMessage());
            }
        }
        problems.addAll(Placement.lostAnnotations(types.type(), bindings, method -> isLocked(method, types)));
    }

    /** The bean may have it with other types in the place of type variables. */
    private boolean isLocked(Method method, TypeArguments types) {
        return operations.containsKey(Key.of(types.type(), method))
                || operations.containsKey(new Key(types.type(), method.getName(), types.parametersOf(method)));
    }

    /**
     * Returns the operation of a method that is being called.
     *
     * @param target the bean instance; its class may be a subclass that the container has made
     * @throws IllegalStateException if there is none: better no call than one without a lock
     */
    LockedOperation of(Object target, Method method) {
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            LockedOperation operation = operations.get(Key.of(type, method));
            if (operation != null) {
                return operation;
            }
        }
        throw new IllegalStateException("HF0503: the lock of " + method
                + " is unknown, so it does not run: no @Locked was found for it when the application was deployed");
    }

    /** Returns whether an operation leaves it to us to find a factory. */
    boolean needsUnnamedFactory() {
        return operations.values().stream()
                .anyMatch(operation -> operation.factory().isEmpty());
    }

    boolean isEmpty() {
        return operations.isEmpty();
    }

    void clear() {
        operations.clear();
    }
}
