// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.inject.Vetoed;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.HandlesTypes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.deployment.Components;
import org.holdfast.cdi.internal.deployment.Intercepted;
import org.holdfast.cdi.internal.deployment.LockedClassFiles;
import org.holdfast.cdi.internal.deployment.SelfCalls;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a web module with locked classes that no interceptor reaches. The servlet container shows every class with
 * the annotation here, those that CDI does not look at among them; what it does not show is looked for. Refuses also
 * one
 * whose factory would refuse each call, where web modules share the extension.
 *
 * <p>Only servlet containers load this class: the rest of the extension needs no Servlet API.
 */
@HandlesTypes(Locked.class)
public class WebModuleCheck implements ServletContainerInitializer {

    /** Servers that were seen to intercept all components that they make, also those that are no beans. */
    private static final List<String> INTERCEPTING = List.of("Payara");

    /**
     * A server that shows classes which have the annotation themselves, not those whose methods have it; and that makes
     * servlets, filters, listeners and endpoints itself and does not intercept them, whether they have a scope or not.
     */
    private static final String TOMCAT = "Tomcat";

    @Override
    public void onStartup(Set<Class<?>> locked, ServletContext context) throws ServletException {
        LockExtension extension = extension();
        Optional<DeploymentException> refusal = refusal(candidates(locked, context), context, extension);
        if (refusal.isPresent()) {
            if (extension != null) {
                extension.refuseAtStart(refusal.get());
            }
            throw new ServletException(refusal.get().getMessage());
        }
    }

    private static Optional<DeploymentException> refusal(
            Set<Class<?>> candidates, ServletContext context, @Nullable LockExtension extension) {
        Intercepted server = interceptedBy(context.getServerInfo());
        if (extension != null && server == Intercepted.MADE_BY_CDI) {
            candidates.addAll(extension.lockedBeans()); // by a stereotype, too
        }
        List<String> problems = new ArrayList<>();
        for (Class<?> type : candidates) {
            problems.addAll(problemsOf(type, extension, server));
        }
        if (extension != null && extension.isShared()) {
            problems.addAll(extension.whyFactoriesAreNotFit());
        }
        return problems.isEmpty()
                ? Optional.empty()
                : Optional.of(new DeploymentException("HF0510: @Locked: " + String.join("; ", problems)));
    }

    private static Intercepted interceptedBy(String server) {
        if (server.contains(TOMCAT)) {
            return Intercepted.MADE_BY_CDI;
        }
        return INTERCEPTING.stream().anyMatch(server::contains) ? Intercepted.ALL : Intercepted.BEANS;
    }

    private static List<String> problemsOf(Class<?> type, @Nullable LockExtension extension, Intercepted server) {
        try {
            List<String> found = SelfCalls.of(type);
            return found.isEmpty() && extension != null ? extension.whyNotReached(type, server) : found;
        } catch (LinkageError e) {
            return type.isAnnotationPresent(Vetoed.class)
                    ? List.of()
                    : List.of(type.getName()
                            + " would run without its lock: it is no bean, for a class that its methods name is"
                            + " missing (" + e.getMessage()
                            + "). Add that, or leave both out; or give it @Vetoed, if nothing"
                            + " calls it");
        }
    }

    private static Set<Class<?>> candidates(Set<Class<?>> shown, ServletContext module) {
        Set<Class<?>> candidates = new LinkedHashSet<>(shown == null ? Set.of() : shown);
        if (module.getServerInfo().contains(TOMCAT)) {
            candidates.addAll(LockedClassFiles.of(module));
        }
        LockedClassFiles.heirs(module, candidates).stream()
                .filter(Components::isOne)
                .forEach(candidates::add);
        return candidates;
    }

    /** Returns that of the module, or null if CDI is not there: then nothing is known of beans. */
    private static @Nullable LockExtension extension() {
        try {
            return CDI.current().getBeanManager().getExtension(LockExtension.class);
        } catch (IllegalStateException | IllegalArgumentException e) {
            return null;
        }
    }
}
