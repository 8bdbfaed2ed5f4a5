// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Components whose instances a server makes itself, also where their class is a bean. Whether it intercepts them is the
 * choice of the server. Instances of the same class that CDI makes, for others to inject, change nothing for these.
 */
final class ServerInstances {

    /** By name, as all here: an application may be without the API that has them. */
    private static final Set<String> ANNOTATIONS = Set.of(
            "jakarta.servlet.annotation.WebServlet",
            "jakarta.servlet.annotation.WebFilter",
            "jakarta.servlet.annotation.WebListener",
            "jakarta.websocket.ClientEndpoint");

    private static final String SERVER_ENDPOINT = "jakarta.websocket.server.ServerEndpoint";

    private static final String CONFIGURATOR = "jakarta.websocket.server.ServerEndpointConfig$Configurator";

    /** A descriptor may name such classes, and a program may register them. No API says so of each of them. */
    private static final List<String> TYPES = List.of(
            "jakarta.servlet.Servlet",
            "jakarta.servlet.Filter",
            "jakarta.servlet.ServletContextListener",
            "jakarta.servlet.ServletContextAttributeListener",
            "jakarta.servlet.ServletRequestListener",
            "jakarta.servlet.ServletRequestAttributeListener",
            "jakarta.servlet.http.HttpSessionListener",
            "jakarta.servlet.http.HttpSessionAttributeListener",
            "jakarta.servlet.http.HttpSessionIdListener",
            "jakarta.servlet.http.HttpUpgradeHandler",
            "jakarta.websocket.Endpoint");

    private static final List<String> FOUND_BY_SERVICE_LOADER = List.of("jakarta.servlet.ServletContainerInitializer");

    /** Some servers intercept them if they have a scope, others do not. */
    private static final List<String> INTERCEPTED_SOMEWHERE = List.of(
            CONFIGURATOR,
            "jakarta.websocket.ClientEndpointConfig$Configurator",
            "jakarta.websocket.Decoder",
            "jakarta.websocket.Encoder",
            "jakarta.servlet.jsp.tagext.JspTag");

    /** What has its types from them is a part of Faces. Those of a data model may come from CDI. */
    private static final List<String> FACES_PACKAGES = List.of(
            "jakarta.el.",
            "jakarta.faces.application.",
            "jakarta.faces.component.",
            "jakarta.faces.context.",
            "jakarta.faces.convert.",
            "jakarta.faces.event.",
            "jakarta.faces.lifecycle.",
            "jakarta.faces.render.",
            "jakarta.faces.validator.",
            "jakarta.faces.view.");

    /** Faces makes such classes itself, unless they say that CDI does. */
    private static final Set<String> FACES_ANNOTATIONS = Set.of(
            "jakarta.faces.convert.FacesConverter",
            "jakarta.faces.validator.FacesValidator",
            "jakarta.faces.component.behavior.FacesBehavior");

    private static final Map<String, String> OMNIFACES = Map.of(
            "jakarta.faces.convert.FacesConverter",
            "org.omnifaces.cdi.converter.ConverterManager",
            "jakarta.faces.validator.FacesValidator",
            "org.omnifaces.cdi.validator.ValidatorManager");

    private ServerInstances() {}

    static boolean isOne(Class<?> type) {
        return Arrays.stream(type.getAnnotations()).anyMatch(ServerInstances::isOfTheServer)
                || TypeNames.firstOf(type, TYPES).isPresent();
    }

    private static boolean isOfTheServer(Annotation annotation) {
        String kind = annotation.annotationType().getName();
        return ANNOTATIONS.contains(kind) || kind.equals(SERVER_ENDPOINT) && !isMadeByTheApplication(annotation);
    }

    /** Returns whether the server asks a class of the application for instances, which may have them from CDI. */
    private static boolean isMadeByTheApplication(Annotation endpoint) {
        try {
            Class<?> configurator = (Class<?>)
                    endpoint.annotationType().getMethod("configurator").invoke(endpoint);
            return !configurator
                    .getMethod("getEndpointInstance", Class.class)
                    .getDeclaringClass()
                    .getName()
                    .equals(CONFIGURATOR);
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** Returns why it is refused where a server does not intercept what it makes. */
    static String sentence(Class<?> type) {
        return type.getName() + " would run without its lock: this server makes the instance itself and does not"
                + " intercept it, whether the class has a scope or not. Move the method to a bean, inject that here, and"
                + " call it";
    }

    /**
     * Returns why the methods of such a class run without their locks on every server, or on some that cannot be told
     * apart; empty if they may have them.
     *
     * @param named whether CDI makes it, too, for a page that binds it by a name
     */
    static Optional<String> whyNowhere(Class<?> type, boolean named) {
        if (TypeNames.firstOf(type, FOUND_BY_SERVICE_LOADER).isPresent()) {
            return Optional.of(type.getName()
                    + " would run without its lock: servers make it by a ServiceLoader, whether it has a scope or"
                    + " not, and do not intercept it. Move the method to a bean, as one that observes"
                    + " @Initialized(ApplicationScoped.class)");
        }
        if (TypeNames.firstOf(type, INTERCEPTED_SOMEWHERE).isPresent()) {
            return Optional.of(type.getName()
                    + " would run without its lock: servers make a configurator, encoder or decoder of WebSocket and a tag"
                    + " of Jakarta Pages themselves, whether it has a scope or not, and not all of them intercept it. Move"
                    + " the method to a bean, inject that here, and call it");
        }
        return !named && isMadeByFaces(type)
                ? Optional.of(type.getName()
                        + " would run without its lock: Jakarta Faces makes it itself, whether it has a scope or not, and"
                        + " does not intercept it. Move the method to a bean, inject that here, and call it. A converter,"
                        + " validator or behavior may have managed = true instead, and what a page binds by a name may"
                        + " have @Named")
                : Optional.empty();
    }

    private static boolean isMadeByFaces(Class<?> type) {
        return FACES_PACKAGES.stream().anyMatch(prefix -> TypeNames.hasOneBelow(prefix, type))
                && Arrays.stream(type.getAnnotations())
                        .noneMatch(annotation -> hasFacesAskCdi(annotation) || hasOmniFacesAskCdi(annotation, type));
    }

    private static boolean hasFacesAskCdi(Annotation annotation) {
        Class<? extends Annotation> kind = annotation.annotationType();
        if (!FACES_ANNOTATIONS.contains(kind.getName())) {
            return false;
        }
        try {
            return (Boolean) kind.getMethod("managed").invoke(annotation);
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** OmniFaces has CDI make each converter and validator that is a bean. */
    private static boolean hasOmniFacesAskCdi(Annotation annotation, Class<?> type) {
        String maker = OMNIFACES.get(annotation.annotationType().getName());
        if (maker == null) {
            return false;
        }
        try {
            Class.forName(maker, false, type.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Returns whether Faces has instances of the class itself, and not only of those that inherit from it. */
    static boolean isAnnotatedForFaces(Class<?> type) {
        return Arrays.stream(type.getAnnotations())
                .anyMatch(annotation ->
                        FACES_ANNOTATIONS.contains(annotation.annotationType().getName()));
    }
}
