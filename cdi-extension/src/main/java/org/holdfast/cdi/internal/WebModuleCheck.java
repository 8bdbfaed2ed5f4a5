// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.inject.spi.CDI;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.HandlesTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.holdfast.cdi.Locked;

/**
 * Refuses a web module with locked classes that no interceptor reaches. The servlet container shows every class with the
 * annotation here, those that CDI does not look at among them.
 *
 * <p>Only servlet containers load this class: the rest of the extension needs no Servlet API.
 */
@HandlesTypes(Locked.class)
public class WebModuleCheck implements ServletContainerInitializer {

    /** Servers that were seen to intercept all components that they make, also those that are no beans. */
    private static final List<String> INTERCEPTING = List.of("Payara");

    @Override
    public void onStartup(Set<Class<?>> locked, ServletContext context) throws ServletException {
        if (locked == null) { // there is none
            return;
        }
        LockExtension extension = extension();
        boolean intercepts = INTERCEPTING.stream().anyMatch(context.getServerInfo()::contains);
        List<String> problems = new ArrayList<>();
        for (Class<?> type : locked) {
            List<String> found = SelfCalls.of(type);
            problems.addAll(found.isEmpty() && extension != null ? extension.whyNotReached(type, intercepts) : found);
        }
        if (!problems.isEmpty()) {
            throw new ServletException("HF0510: @Locked: " + String.join("; ", problems));
        }
    }

    /** Returns that of the module, or null if CDI is not there: then nothing is known of beans. */
    private static LockExtension extension() {
        try {
            return CDI.current().getBeanManager().getExtension(LockExtension.class);
        } catch (IllegalStateException | IllegalArgumentException e) {
            return null;
        }
    }
}
