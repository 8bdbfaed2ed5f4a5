// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.enterprise.inject.spi.Annotated;
import jakarta.enterprise.inject.spi.AnnotatedMethod;
import jakarta.enterprise.inject.spi.AnnotatedType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.holdfast.cdi.internal.operation.TypeArguments;

/** Where the annotation would have no effect: the container does not intercept there, or not for long enough. */
final class InterceptionRules {

    // By name: a server may be without the API that has them, as those of Jakarta EE 9 are without a part of
    // Concurrency.
    private static final Set<String> NOT_BUSINESS = Set.of(
            "jakarta.annotation.PostConstruct",
            "jakarta.annotation.PreDestroy",
            "jakarta.ejb.AfterBegin",
            "jakarta.ejb.AfterCompletion",
            "jakarta.ejb.BeforeCompletion",
            "jakarta.ejb.PostActivate",
            "jakarta.ejb.PrePassivate",
            "jakarta.inject.Inject",
            "jakarta.interceptor.AroundInvoke",
            "jakarta.interceptor.AroundTimeout");

    /** What these say is no business method either. */
    private static final Set<String> OF_THE_LIFE =
            Set.of("jakarta.ejb.SessionSynchronization", "jakarta.ejb.SessionBean", "jakarta.ejb.MessageDrivenBean");

    private static final Set<String> CALLED = Set.of(
            "jakarta.enterprise.inject.Produces",
            "jakarta.ejb.Schedule",
            "jakarta.ejb.Schedules",
            "jakarta.ejb.Timeout");

    private static final Set<String> CALLED_WITH = Set.of(
            "jakarta.enterprise.event.Observes",
            "jakarta.enterprise.event.ObservesAsync",
            "jakarta.enterprise.inject.Disposes");

    private static final Set<String> ASYNCHRONOUS_EJB = Set.of("jakarta.ejb.Asynchronous");
    private static final Set<String> ASYNCHRONOUS = Set.of("jakarta.enterprise.concurrent.Asynchronous");

    private static final String NOT_INHERITED = "@Locked on an interface or on an overridden method is not inherited";

    private static final String NOT_MARKED_INHERITED =
            "a stereotype or binding on a superclass that is not @Inherited is"
                    + " for that class only. Make it @Inherited, or put it on this class too";

    private InterceptionRules() {}

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
                || hasOneOf(annotated, NOT_BUSINESS)
                || TypeNames.isOfOne(annotated.getJavaMember(), beanClass, OF_THE_LIFE);
    }

    /** Returns whether an annotation on the class is meant for the method. */
    static boolean isBusiness(Method method, Class<?> beanClass) {
        return !Modifier.isStatic(method.getModifiers())
                && isVisible(method, beanClass)
                && !TypeNames.isOfOne(method, beanClass, OF_THE_LIFE)
                && Arrays.stream(method.getAnnotations())
                        .noneMatch(annotation -> NOT_BUSINESS.contains(
                                annotation.annotationType().getName()));
    }

    /**
     * Returns whether the subclass that a container makes of the bean class can have a method in the place of this one.
     */
    private static boolean isVisible(Method method, Class<?> beanClass) {
        int modifiers = method.getModifiers();
        return (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
                || !Modifier.isPrivate(modifiers)
                        && method.getDeclaringClass().getPackageName().equals(beanClass.getPackageName());
    }

    /** A lock on the class is meant for such methods too, and no caller of theirs could notice that it is missing. */
    private static boolean isCalledByTheContainer(AnnotatedMethod<?> annotated) {
        return hasOneOf(annotated, CALLED)
                || annotated.getParameters().stream().anyMatch(parameter -> hasOneOf(parameter, CALLED_WITH));
    }

    private static boolean hasOneOf(Annotated annotated, Set<String> names) {
        return annotated.getAnnotations().stream()
                .anyMatch(
                        annotation -> names.contains(annotation.annotationType().getName()));
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
        return hasOneOf(annotated, ASYNCHRONOUS_EJB)
                || hasOneOf(annotated.getDeclaringType(), ASYNCHRONOUS_EJB)
                || hasOneOf(annotated, ASYNCHRONOUS);
    }

    /**
     * Returns a sentence for each annotation that a bean class does not inherit: those on interfaces, those on methods
     * that it overrides, and those in a stereotype or binding of a superclass that is not {@code @Inherited}.
     *
     * @param isLocked whether a method of the bean has a lock
     */
    static List<String> lostAnnotations(Class<?> beanClass, BindingLookup bindings, Predicate<Method> isLocked) {
        List<String> lost = new ArrayList<>();
        for (Class<?> ancestor : ancestors(beanClass)) {
            boolean ofClass = bindings.isAmong(List.of(ancestor.getAnnotations()));
            for (Method method : ancestor.getDeclaredMethods()) {
                boolean meant = ofClass && (ancestor.isInterface() || isBusiness(method, beanClass));
                boolean onMethod = bindings.isAmong(List.of(method.getAnnotations()));
                if ((meant || onMethod) && !method.isSynthetic() && !isLocked.test(method)) {
                    lost.add(beanClass.getName() + " would run " + method + " without its lock: "
                            + (onMethod || ancestor.isInterface() ? NOT_INHERITED : NOT_MARKED_INHERITED));
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
