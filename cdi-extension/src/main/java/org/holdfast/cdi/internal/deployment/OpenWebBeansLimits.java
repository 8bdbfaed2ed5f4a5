// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.enterprise.inject.spi.AnnotatedType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.holdfast.cdi.internal.operation.TypeArguments;
import org.jspecify.annotations.Nullable;

/**
 * What OpenWebBeans, or TomEE around it, does not intercept of a bean, and other containers do: it was seen to run
 * without its lock.
 */
final class OpenWebBeansLimits {

    private static final String BEHIND_A_BRIDGE =
            ": it would run without its lock: this server does not intercept an EJB"
                    + " that callers know by a type with type variables. Give it a view that has the method with these parameters,"
                    + " and no such supertype";

    private static final String INHERITED_DEFAULT =
            " without its lock: this server does not intercept a default method that"
                    + " a class inherits from an interface. Override it in the class, or put @Locked on the methods that need it"
                    + " and not on the class";

    /** In the names of the types that parts of batch jobs have. An application may be without that API. */
    private static final String BATCH = "jakarta.batch.api.";

    private static final String BATCH_WITHOUT_NAME =
            " would run without its lock: this server finds a bean for a job by its name only, and makes the instance"
                    + " itself of what a job calls by its class. Give it @Named, and have the job call it so";

    private OpenWebBeansLimits() {}

    /**
     * Returns a sentence for each locked method of an EJB that callers know by a bridge method.
     *
     * @param behindBridges these methods
     */
    static List<String> bridges(Collection<Method> behindBridges) {
        return behindBridges.stream().map(method -> method + BEHIND_A_BRIDGE).toList();
    }

    /**
     * Returns a sentence for each default method that a bean inherits and that a lock on its class is meant for.
     * OpenWebBeans does not even show these methods.
     */
    static List<String> inheritedDefaults(AnnotatedType<?> bean, BindingLookup bindings) {
        if (!bindings.isAmong(bean.getAnnotations())) {
            return List.of();
        }
        TypeArguments types = new TypeArguments(bean.getJavaClass());
        return InterceptionRules.ancestors(types.type()).stream()
                .flatMap(ancestor -> Arrays.stream(ancestor.getDeclaredMethods()))
                .filter(method -> method.isDefault() && !method.isSynthetic())
                .filter(method -> InterceptionRules.isBusiness(method, types.type()))
                .filter(method -> !InterceptionRules.isOverridden(method, types))
                .map(method -> types.type().getName() + " would run " + method + INHERITED_DEFAULT)
                .toList();
    }

    /** Returns a sentence for a bean that is part of a batch job and has no name, so that no job finds it. */
    static List<String> batchWithoutName(Class<?> bean, @Nullable String name) {
        return name == null && TypeNames.hasOneBelow(BATCH, bean)
                ? List.of(bean.getName() + BATCH_WITHOUT_NAME)
                : List.of();
    }
}
