// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.ejb.PostActivate;
import jakarta.ejb.PrePassivate;
import jakarta.ejb.Schedule;
import jakarta.ejb.Schedules;
import jakarta.ejb.Timeout;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.Annotated;
import jakarta.enterprise.inject.spi.AnnotatedMethod;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.AroundTimeout;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Where the annotation would have no effect: the container does not intercept there, or not for long enough. */
final class Placement {

    private static final List<Class<? extends Annotation>> NOT_BUSINESS = List.of(
            PostConstruct.class,
            PreDestroy.class,
            PostActivate.class,
            PrePassivate.class,
            Inject.class,
            AroundInvoke.class,
            AroundTimeout.class);

    private static final List<Class<? extends Annotation>> CALLED =
            List.of(Produces.class, Schedule.class, Schedules.class, Timeout.class);

    private static final List<Class<? extends Annotation>> CALLED_WITH =
            List.of(Observes.class, ObservesAsync.class, Disposes.class);

    private Placement() {}

    /**
     * Returns whether an annotation that holds for the method is for it: one on the class is for business methods only.
     *
     * @param types of the bean class
     * @param onMethod whether the annotation is on the method
     * @throws IllegalArgumentException if the lock could not be relied on; says why
     */
    static boolean isMeant(AnnotatedMethod<?> annotated, TypeArguments types, boolean onMethod) {
        Method method = annotated.getJavaMember();
        if (isNoBusiness(annotated, types.type())) {
            if (onMethod || isCalledByTheContainer(annotated)) {
                throw unlocked("private and static methods, those that only another package sees, and those that the"
                        + " container calls in the life of a bean, are not intercepted");
            }
            return false;
        }
        if (Modifier.isFinal(method.getModifiers())) {
            throw unlocked("final methods are not intercepted");
        }
        Optional<String> unfinished = UnfinishedWork.of(method, types, isAsynchronous(annotated));
        if (unfinished.isPresent()) {
            throw unlocked(unfinished.get());
        }
        return true;
    }

    private static boolean isNoBusiness(AnnotatedMethod<?> annotated, Class<?> beanClass) {
        return Modifier.isStatic(annotated.getJavaMember().getModifiers())
                || !isVisible(annotated.getJavaMember(), beanClass)
                || NOT_BUSINESS.stream().anyMatch(annotated::isAnnotationPresent);
    }

    /** Returns whether the subclass that a container makes of the bean class can have a method in the place of this one. */
    private static boolean isVisible(Method method, Class<?> beanClass) {
        int modifiers = method.getModifiers();
        return (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
                || !Modifier.isPrivate(modifiers)
                        && method.getDeclaringClass().getPackageName().equals(beanClass.getPackageName());
    }

    /** What a class is locked for: events, timers and what is produced do not come by way of a caller who could see it. */
    private static boolean isCalledByTheContainer(AnnotatedMethod<?> annotated) {
        return CALLED.stream().anyMatch(annotated::isAnnotationPresent)
                || annotated.getParameters().stream()
                        .anyMatch(parameter -> CALLED_WITH.stream().anyMatch(parameter::isAnnotationPresent));
    }

    private static IllegalArgumentException unlocked(String why) {
        return new IllegalArgumentException("it would run without its lock: " + why);
    }

    /**
     * Returns whether the bean class, or what is between, has a method in the place of this one.
     *
     * @param types of the bean class
     */
    static boolean isOverridden(Method method, TypeArguments types) {
        if (Modifier.isPrivate(method.getModifiers())) {
            return false;
        }
        Class<?> declaring = method.getDeclaringClass();
        for (Class<?> type = types.type(); type != null && type != declaring; type = type.getSuperclass()) {
            if (hasInPlaceOf(method, type, types)) {
                return true;
            }
        }
        return declaring.isInterface()
                && ancestors(types.type()).stream()
                        .anyMatch(type -> type.isInterface()
                                && type != declaring
                                && declaring.isAssignableFrom(type)
                                && hasInPlaceOf(method, type, types));
    }

    private static boolean hasInPlaceOf(Method method, Class<?> type, TypeArguments types) {
        return Arrays.stream(type.getDeclaredMethods())
                .anyMatch(other -> !other.isSynthetic()
                        && other.getName().equals(method.getName())
                        && other.getParameterCount() == method.getParameterCount()
                        && types.parametersOf(other).equals(types.parametersOf(method)));
    }

    /** The container runs the whole of such a method, and its interceptors, on another thread. */
    private static boolean isAsynchronous(AnnotatedMethod<?> annotated) {
        return annotated.isAnnotationPresent(jakarta.ejb.Asynchronous.class)
                || annotated.getDeclaringType().isAnnotationPresent(jakarta.ejb.Asynchronous.class)
                || annotated.isAnnotationPresent(jakarta.enterprise.concurrent.Asynchronous.class);
    }

    /**
     * Returns a sentence for each annotation that a bean class does not inherit: those on interfaces, and those on methods
     * that it overrides.
     *
     * @param isLocked whether a method of the bean has a lock
     */
    static List<String> lostAnnotations(Class<?> beanClass, BindingLookup bindings, Predicate<Method> isLocked) {
        List<String> lost = new ArrayList<>();
        for (Class<?> ancestor : ancestors(beanClass)) {
            boolean all = ancestor.isInterface() && bindings.isAmong(List.of(ancestor.getAnnotations()));
            for (Method method : ancestor.getDeclaredMethods()) {
                boolean locked = all || bindings.isAmong(List.of(method.getAnnotations()));
                if (locked && !method.isSynthetic() && !isLocked.test(method)) {
                    lost.add(beanClass.getName() + " would run " + method
                            + " without its lock: @Locked on an interface or on an overridden method is not inherited");
                }
            }
        }
        return lost;
    }

    /**
     * Returns a sentence if a decorator or an interceptor has an annotation.
     *
     * @param kind what the container calls around beans instead
     */
    static List<String> lostAnnotations(Annotated component, String kind, BindingLookup bindings) {
        boolean locked = component instanceof AnnotatedType<?> type
                && (bindings.isAmong(type.getAnnotations())
                        || type.getMethods().stream().anyMatch(method -> bindings.isAmong(method.getAnnotations())));
        return locked
                ? List.of(component.getBaseType().getTypeName() + " would run without its lock: " + kind
                        + " are not intercepted")
                : List.of();
    }

    /** Returns the superclasses and interfaces of a class. */
    static Set<Class<?>> ancestors(Class<?> beanClass) {
        Set<Class<?>> ancestors = new LinkedHashSet<>();
        for (Class<?> type = beanClass; type != null && type != Object.class; type = type.getSuperclass()) {
            if (type != beanClass) {
                ancestors.add(type);
            }
            addInterfaces(type, ancestors);
        }
        return ancestors;
    }

    private static void addInterfaces(Class<?> type, Set<Class<?>> ancestors) {
        Arrays.stream(type.getInterfaces()).filter(ancestors::add).forEach(parent -> addInterfaces(parent, ancestors));
    }
}
