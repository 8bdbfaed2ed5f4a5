// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.cdi.internal.operation.LockedOperation;
import org.holdfast.cdi.internal.operation.OperationReader;

/**
 * Finds the operation of each call: that of a bean, which was read when the application was deployed, else what the
 * class of the target says. Servers intercept message-driven beans and other components that CDI does not show as
 * beans, and applications have instances intercepted that are none: {@code Unmanaged}, {@code InterceptionFactory}.
 */
public final class TargetOperations {

    /** In the names of subclasses that Weld and OpenWebBeans make, if they do not say that they are synthetic. */
    private static final List<String> GENERATED = List.of("$Proxy$", "$$Owb");

    private final LockedOperations ofBeans;
    private final BeanManager beans;
    private final OperationReader reader;

    /** Read at the first call. It hangs on the class of the target, and goes with it. */
    private final ClassValue<OfClass> ofOthers = new ClassValue<>() {
        @Override
        protected OfClass computeValue(Class<?> target) {
            return read(withoutGenerated(target));
        }
    };

    /** Whether a class that is no bean, but extends one, has other locks than that: they are its own. */
    private final ClassValue<Boolean> haveOthersThanTheirBean = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> target) {
            return ofBeans.differFrom(ofOthers.get(target).operations(), withoutGenerated(target));
        }
    };

    /** The operations of a class that is no bean, and what is wrong with it. */
    private record OfClass(LockedOperations operations, List<String> problems) {}

    TargetOperations(LockedOperations ofBeans, BeanManager beans, OperationReader reader) {
        this.ofBeans = ofBeans;
        this.beans = beans;
        this.reader = reader;
    }

    /**
     * @param target the instance; its class may be a subclass that the container has made
     * @throws IllegalStateException if there is none, or if anything is wrong with a class that was not looked at
     *     before: better no call than one without its lock
     */
    public LockedOperation of(Object target, Method method) {
        LockedOperation known = ofBeans.find(target.getClass(), method);
        return known == null || haveOthersThanTheirBean.get(target.getClass())
                ? ofOther(target.getClass(), method)
                : known;
    }

    private LockedOperation ofOther(Class<?> target, Method method) {
        OfClass found = ofOthers.get(target);
        LockedOperation operation = found.operations().find(target, method);
        if (operation == null || !found.problems().isEmpty()) {
            throw new IllegalStateException("HF0503: the lock of " + method + " is not certain, so it does not run: "
                    + (found.problems().isEmpty()
                            ? "no @Locked was found for it when the application was deployed, nor on "
                                    + target.getName()
                            : String.join("; ", found.problems())));
        }
        return operation;
    }

    private OfClass read(Class<?> type) {
        LockedOperations operations = new LockedOperations();
        List<String> problems = new ArrayList<>();
        operations.add(beans.createAnnotatedType(type), new BindingLookup(beans), reader, problems);
        return new OfClass(operations, List.copyOf(problems));
    }

    /**
     * Returns the class that the application has written: containers copy its annotations, and not the names of
     * parameters.
     */
    private static Class<?> withoutGenerated(Class<?> target) {
        Class<?> type = target;
        while (isGenerated(type)) {
            type = type.getSuperclass();
        }
        return type;
    }

    private static boolean isGenerated(Class<?> type) {
        return type.isSynthetic() || GENERATED.stream().anyMatch(type.getName()::contains);
    }

    /** Returns what is wrong with a class that CDI does not show as a bean, a sentence each. */
    List<String> problemsOf(Class<?> type) {
        return ofOthers.get(type).problems();
    }

    /** Returns the operations of such a class. */
    LockedOperations operationsOf(Class<?> type) {
        return ofOthers.get(type).operations();
    }

    /** Returns whether such a class has locks, or what was meant to be one. */
    boolean hasLocks(Class<?> type) {
        OfClass read = ofOthers.get(type);
        return !read.operations().isEmpty() || !read.problems().isEmpty();
    }
}
