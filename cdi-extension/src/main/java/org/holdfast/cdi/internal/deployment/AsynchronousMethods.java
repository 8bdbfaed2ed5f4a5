// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.enterprise.inject.spi.AnnotatedMethod;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.InterceptionType;
import jakarta.enterprise.inject.spi.Interceptor;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.operation.Configuration;

/**
 * The methods that other threads run. The interceptor of Jakarta Concurrency must be outside of the lock: else the
 * thread that only submits the method would take the lock, and release it before the work has begun. So must that of
 * MicroProfile Fault Tolerance be where there is a time limit: when the time is over it completes what the method
 * returns, and the method goes on.
 */
final class AsynchronousMethods {

    /** By name, as those below: a server of Jakarta EE 9 does not have it. */
    private static final String ASYNCHRONOUS = "jakarta.enterprise.concurrent.Asynchronous";

    private static final Set<String> WITH_A_LIMIT = Set.of(
            "org.eclipse.microprofile.faulttolerance.Asynchronous", "org.eclipse.microprofile.faulttolerance.Timeout");

    private static final int PRIORITY_OF_LOCKED = jakarta.interceptor.Interceptor.Priority.PLATFORM_BEFORE + 110;

    private static final String PRIORITY = "mp.fault.tolerance.interceptor.priority";

    private final Queue<Asynchronous> found = new ConcurrentLinkedQueue<>();
    private final Queue<Limited> limited = new ConcurrentLinkedQueue<>();
    private final Configuration configuration;

    private record Asynchronous(Class<?> beanClass, Method method, Annotation binding) {}

    private record Limited(Class<?> beanClass, Method method) {}

    /** @param configuration says where Fault Tolerance is among the interceptors */
    AsynchronousMethods(Configuration configuration) {
        this.configuration = configuration;
    }

    void collect(AnnotatedType<?> type) {
        for (AnnotatedMethod<?> method : type.getMethods()) {
            List<Annotation> all = Stream.concat(method.getAnnotations().stream(), type.getAnnotations().stream())
                    .toList();
            all.stream()
                    .filter(annotation -> nameOf(annotation).equals(ASYNCHRONOUS))
                    .forEach(binding ->
                            found.add(new Asynchronous(type.getJavaClass(), method.getJavaMember(), binding)));
            if (all.stream()
                            .map(AsynchronousMethods::nameOf)
                            .collect(Collectors.toSet())
                            .containsAll(WITH_A_LIMIT)
                    && !isFaultToleranceOutside(type.getJavaClass())) {
                limited.add(new Limited(type.getJavaClass(), method.getJavaMember()));
            }
        }
    }

    private static String nameOf(Annotation annotation) {
        return annotation.annotationType().getName();
    }

    private boolean isFaultToleranceOutside(Class<?> beanClass) {
        String priority = configuration.value(beanClass, PRIORITY);
        try {
            return priority != null && Integer.parseInt(priority.strip()) < PRIORITY_OF_LOCKED;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /**
     * Returns a sentence for each that would be submitted under its lock.
     *
     * @param isLocked whether a method of a bean class has a lock
     */
    List<String> problems(BeanManager beans, BiPredicate<Class<?>, Method> isLocked) {
        List<String> problems = new ArrayList<>();
        for (Asynchronous each : found) {
            if (isLocked.test(each.beanClass(), each.method())) {
                insideTheLock(beans, each.binding())
                        .forEach(interceptor -> problems.add(each.method()
                                + ": it would run without its lock, which only the thread that submits it would take:"
                                + " the interceptor of @Asynchronous, " + interceptor
                                + ", must have a lower priority than that of @Locked. Let a method without @Asynchronous"
                                + " have the lock, which this one calls"));
            }
        }
        limited.stream()
                .filter(each -> isLocked.test(each.beanClass(), each.method()))
                .map(each -> each.method() + ": it would go on without its lock when its time is over: with"
                        + " @Asynchronous and @Timeout, Fault Tolerance then completes what the method has returned, and"
                        + " the method runs on. Set " + PRIORITY + "=50, so that each attempt has a lock until it ends;"
                        + " or do without one of the two")
                .forEach(problems::add);
        return problems;
    }

    private static Stream<String> insideTheLock(BeanManager beans, Annotation asynchronous) {
        List<Interceptor<?>> inOrder =
                beans.resolveInterceptors(InterceptionType.AROUND_INVOKE, asynchronous, Locked.Literal.of(""));
        return inOrder.stream()
                .dropWhile(interceptor -> !isBoundTo(interceptor, Locked.class))
                .filter(interceptor -> isBoundTo(interceptor, asynchronous.annotationType()))
                .map(interceptor -> interceptor.getBeanClass().getName());
    }

    private static boolean isBoundTo(Interceptor<?> interceptor, Class<? extends Annotation> binding) {
        return interceptor.getInterceptorBindings().stream().anyMatch(bound -> bound.annotationType() == binding);
    }

    void clear() {
        found.clear();
        limited.clear();
    }
}
