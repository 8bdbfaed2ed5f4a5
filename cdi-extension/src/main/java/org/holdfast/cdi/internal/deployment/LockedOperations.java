// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.enterprise.inject.spi.AnnotatedMethod;
import jakarta.enterprise.inject.spi.AnnotatedType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.operation.LockedOperation;
import org.holdfast.cdi.internal.operation.OperationReader;
import org.holdfast.cdi.internal.operation.TypeArguments;
import org.jspecify.annotations.Nullable;

/** The methods of classes that are to be locked: filled while the application is deployed, read at each call. */
public final class LockedOperations {

    private final Map<Key, LockedOperation> operations = new ConcurrentHashMap<>();

    /** What the operations were made of. */
    private final Map<Key, Locked> annotations = new ConcurrentHashMap<>();

    /** A method as a bean class has it: an override has the same key. */
    private record Key(Class<?> beanClass, String method, List<Class<?>> parameters) {
        static Key of(Class<?> beanClass, Method method) {
            return new Key(beanClass, method.getName(), List.of(method.getParameterTypes()));
        }
    }

    /** Adds the methods of a bean; what is wrong with them becomes a sentence each. */
    public void add(
            AnnotatedType<?> type, BindingLookup bindings, OperationReader reader, Collection<String> problems) {
        TypeArguments types = new TypeArguments(type.getJavaClass());
        Set<String> calledOnThis = new TreeSet<>();
        for (AnnotatedMethod<?> annotated : type.getMethods()) {
            Method method = annotated.getJavaMember();
            if (method.isSynthetic() || InterceptionRules.isOverridden(method, types)) {
                continue;
            }
            try {
                Optional<Locked> locked = bindings.find(type, annotated);
                if (locked.isPresent() && SelfCalls.isOne(method, types.type())) {
                    calledOnThis.add(method.getName());
                } else if (locked.isPresent()
                        && InterceptionRules.isMeant(annotated, types, bindings.isAmong(annotated.getAnnotations()))) {
                    put(types, annotated, locked.get(), reader);
                }
            } catch (IllegalArgumentException e) {
                problems.add(method + ": " + e.getMessage());
            }
        }
        if (!calledOnThis.isEmpty()) {
            problems.add(SelfCalls.sentence(types.type(), calledOnThis));
        }
        problems.addAll(InterceptionRules.lostAnnotations(types.type(), bindings, method -> isLocked(method, types)));
    }

    private void put(TypeArguments types, AnnotatedMethod<?> annotated, Locked locked, OperationReader reader) {
        Method method = annotated.getJavaMember();
        Key key = Key.of(types.type(), method);
        Locked other = annotations.putIfAbsent(key, locked);
        if (other != null && !other.equals(locked)) {
            throw new IllegalArgumentException(
                    "the class is registered as two beans with two locks, and a call does not"
                            + " tell which of them is meant: " + other + " and " + locked);
        }
        LockedOperation operation = reader.read(types, annotated, locked);
        operations.put(key, operation);
        bridges(method, types).forEach(bridge -> operations.put(bridge, operation));
    }

    /**
     * Returns as what the method is known to its ancestors, with other types in the place of their type variables: a
     * container may show the method that the compiler has made for their callers.
     */
    private static List<Key> bridges(Method method, TypeArguments types) {
        List<Class<?>> parameters = types.parametersOf(method);
        return InterceptionRules.ancestors(types.type()).stream()
                .flatMap(ancestor -> Arrays.stream(ancestor.getDeclaredMethods()))
                .filter(other -> !other.isSynthetic()
                        && !Modifier.isPrivate(other.getModifiers())
                        && !Modifier.isStatic(other.getModifiers())
                        && other.getName().equals(method.getName())
                        && types.parametersOf(other).equals(parameters))
                .map(other -> Key.of(types.type(), other))
                .distinct()
                .toList();
    }

    /**
     * Returns the locked methods of a class that callers may know by another one, which the compiler has made for them.
     */
    List<Method> behindBridges(Class<?> beanClass) {
        return operations.entrySet().stream()
                .filter(entry -> entry.getKey().beanClass() == beanClass)
                .filter(entry -> !entry.getKey()
                        .equals(Key.of(beanClass, entry.getValue().method())))
                .map(entry -> entry.getValue().method())
                .distinct()
                .toList();
    }

    /** The bean may have it with other types in the place of type variables. */
    private boolean isLocked(Method method, TypeArguments types) {
        return operations.containsKey(Key.of(types.type(), method))
                || operations.containsKey(new Key(types.type(), method.getName(), types.parametersOf(method)));
    }

    /**
     * Returns the operation of a method that is being called, or null.
     *
     * @param target of the bean instance; it may be a subclass that the container has made
     */
    @Nullable
    LockedOperation find(Class<?> target, Method method) {
        for (Class<?> type = target; type != null; type = type.getSuperclass()) {
            LockedOperation operation = operations.get(Key.of(type, method));
            if (operation != null) {
                return operation;
            }
        }
        return null;
    }

    /** Returns the classes that have operations. */
    Set<Class<?>> beanClasses() {
        return operations.keySet().stream().map(Key::beanClass).collect(Collectors.toSet());
    }

    /** Returns whether the class itself has operations, and not only an ancestor. */
    boolean has(Class<?> beanClass) {
        return operations.keySet().stream().anyMatch(key -> key.beanClass() == beanClass);
    }

    /**
     * Returns whether a class that has none here is given another annotation there than its ancestor has here, for any
     * method.
     */
    boolean differFrom(LockedOperations others, Class<?> type) {
        return !has(type)
                && others.annotations.entrySet().stream()
                        .anyMatch(entry -> isOfAnAncestor(type, entry.getKey(), entry.getValue()));
    }

    private boolean isOfAnAncestor(Class<?> type, Key key, Locked other) {
        for (Class<?> ancestor = type.getSuperclass(); ancestor != null; ancestor = ancestor.getSuperclass()) {
            Locked known = annotations.get(new Key(ancestor, key.method(), key.parameters()));
            if (known != null) {
                return !known.equals(other);
            }
        }
        return false;
    }

    /** Returns whether an operation leaves it to us to find a factory. */
    boolean needsUnnamedFactory() {
        return operations.values().stream()
                .anyMatch(operation -> operation.factory().isEmpty());
    }

    /** Returns the JNDI names of factories that operations say. */
    Set<String> namedFactories() {
        return operations.values().stream()
                .flatMap(operation -> operation.factory().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns what may be wrong with names, a sentence for each method and expression. */
    Set<String> doubts() {
        Set<String> doubts = new TreeSet<>();
        for (LockedOperation operation : operations.values()) {
            operation.names().forEach(name -> name.doubts()
                    .forEach(doubt -> doubts.add(operation.method() + ": " + doubt)));
        }
        return doubts;
    }

    /**
     * Returns those that a factory may refuse for its settings, by the JNDI name of the factory; empty for the one that
     * is found.
     */
    Map<Optional<String>, List<LockedOperation>> limited() {
        return operations.values().stream()
                .distinct()
                .filter(FactoryLimits::concern)
                .collect(Collectors.groupingBy(LockedOperation::factory));
    }

    boolean isEmpty() {
        return operations.isEmpty();
    }

    void clear() {
        operations.clear();
        annotations.clear();
    }
}
