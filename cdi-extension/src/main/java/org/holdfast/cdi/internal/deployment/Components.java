// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.enterprise.inject.Vetoed;
import jakarta.interceptor.Interceptor;
import java.lang.annotation.Annotation;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which classes are beans, and which are components that servers make: CDI does not show the latter as beans, unless
 * they have a scope.
 */
public final class Components {

    private static final String MESSAGE_DRIVEN = "jakarta.ejb.MessageDriven";

    /** By name: an application may be without the API that has them. */
    private static final Set<String> ANNOTATIONS = Set.of(
            MESSAGE_DRIVEN,
            "jakarta.servlet.annotation.WebServlet",
            "jakarta.servlet.annotation.WebFilter",
            "jakarta.servlet.annotation.WebListener",
            "jakarta.websocket.server.ServerEndpoint",
            "jakarta.websocket.ClientEndpoint",
            "jakarta.ws.rs.Path",
            "jakarta.ws.rs.ext.Provider");

    private static final List<String> TYPES = List.of(
            "jakarta.servlet.Servlet",
            "jakarta.servlet.Filter",
            "java.util.EventListener",
            "jakarta.websocket.Endpoint",
            "jakarta.ws.rs.core.Application");

    private final Set<Class<?>> shown = ConcurrentHashMap.newKeySet();

    private final Set<Class<?>> beans = ConcurrentHashMap.newKeySet();

    /** What superclasses of beans have is their beans'. */
    private final Set<Class<?>> superclasses = ConcurrentHashMap.newKeySet();

    /** Returns whether servers make instances of the class. */
    public static boolean isOne(Class<?> type) {
        return isAnnotated(type) || TypeNames.firstOf(type, TYPES).isPresent();
    }

    /** The annotations that say so are not inherited. */
    private static boolean isAnnotated(Class<?> type) {
        return Arrays.stream(type.getAnnotations())
                .map(Annotation::annotationType)
                .anyMatch(kind -> ANNOTATIONS.contains(kind.getName()));
    }

    void show(Class<?> type) {
        shown.add(type);
    }

    void collect(Class<?> beanClass) {
        beans.add(beanClass);
        for (Class<?> type = beanClass.getSuperclass(); type != null; type = type.getSuperclass()) {
            superclasses.add(type);
        }
    }

    /**
     * Returns whether an application has instances of the class that interceptors are meant to reach: there are none of
     * a class that others complete, and one with {@code @Vetoed} says that it is made otherwise.
     */
    private static boolean isMeantToBeReached(Class<?> type) {
        return !type.isInterface()
                && !Modifier.isAbstract(type.getModifiers())
                && !type.isAnnotationPresent(Vetoed.class)
                && !type.isAnnotationPresent(Interceptor.class);
    }

    /** Returns whether a server makes the instance itself, beside those of a bean of the class if it is one. */
    boolean isMadeByTheServer(Class<?> type) {
        return isMeantToBeReached(type) && ServerInstances.isOne(type);
    }

    /**
     * Returns why no interceptor comes to instances of the class, on some servers or on all; empty if one may, or if
     * the class is there for beans that inherit from it.
     *
     * @param named whether it is a bean that has a name
     */
    Optional<String> whyNowhere(Class<?> type, boolean named) {
        boolean isInherited =
                superclasses.contains(type) && !isAnnotated(type) && !ServerInstances.isAnnotatedForFaces(type);
        return isMeantToBeReached(type) && !isInherited ? ServerInstances.whyNowhere(type, named) : Optional.empty();
    }

    /** A component that is a superclass of a bean has instances of its own, unless it is abstract. */
    private boolean isBean(Class<?> type) {
        return beans.contains(type)
                || superclasses.contains(type) && (!isAnnotated(type) || Modifier.isAbstract(type.getModifiers()));
    }

    /**
     * Returns whether nothing speaks against a class: that of a bean, which was looked at; one that other classes
     * complete; one that is around beans; one that the application makes no bean of on purpose, or has shown to CDI,
     * which may leave out an alternative.
     */
    boolean mayBeReached(Class<?> type) {
        return isBean(type)
                || !isMeantToBeReached(type)
                || shown.contains(type) && (!isOne(type) || isMessageDriven(type));
    }

    private static boolean isMessageDriven(Class<?> type) {
        return Arrays.stream(type.getAnnotations())
                .anyMatch(annotation -> annotation.annotationType().getName().equals(MESSAGE_DRIVEN));
    }

    List<Class<?>> shownButNoBeans() {
        return shown.stream()
                .<Class<?>>map(type -> type)
                .filter(type -> !isBean(type) && isOne(type))
                .toList();
    }

    void clear() {
        shown.clear();
        beans.clear();
        superclasses.clear();
    }
}
