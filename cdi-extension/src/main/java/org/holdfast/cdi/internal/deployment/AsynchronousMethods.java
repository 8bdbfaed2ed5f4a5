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
import java.util.Arrays;
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

    private static final String ASYNCHRONOUS_STAGE = "org.eclipse.microprofile.faulttolerance.Asynchronous";
    private static final String TIMEOUT = "org.eclipse.microprofile.faulttolerance.Timeout";
    private static final String RETRY = "org.eclipse.microprofile.faulttolerance.Retry";

    private static final int PRIORITY_OF_LOCKED = jakarta.interceptor.Interceptor.Priority.PLATFORM_BEFORE + 110;

    private static final String PRIORITY = "mp.fault.tolerance.interceptor.priority";

    private final Queue<Asynchronous> found = new ConcurrentLinkedQueue<>();
    private final Queue<OfFaultTolerance> limited = new ConcurrentLinkedQueue<>();
    private final Queue<OfFaultTolerance> repeated = new ConcurrentLinkedQueue<>();
    private final Configuration configuration;

    private record Asynchronous(Class<?> beanClass, Method method, Annotation binding) {}

    private record OfFaultTolerance(Class<?> beanClass, Method method) {}

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
            Set<String> kinds = all.stream().map(AsynchronousMethods::nameOf).collect(Collectors.toSet());
            if (kinds.contains(ASYNCHRONOUS_STAGE)) {
                collectStage(new OfFaultTolerance(type.getJavaClass(), method.getJavaMember()), kinds);
            }
        }
    }

    private void collectStage(OfFaultTolerance method, Set<String> kinds) {
        boolean outside = isFaultToleranceOutside(method.beanClass());
        if (!outside && kinds.contains(TIMEOUT)) {
            limited.add(method);
        } else if (outside && kinds.contains(RETRY)) {
            repeated.add(method);
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
        repeated.stream()
                .filter(each ->
                        isLocked.test(each.beanClass(), each.method()) && isOnePassOnly(beans, each.beanClass()))
                .map(each -> each.method() + ": it would run without its lock when Fault Tolerance tries again: for"
                        + " this bean the server passes the interceptors once. Let a method without @Retry have the lock,"
                        + " which this one calls")
                .forEach(problems::add);
        return problems;
    }

    /** OpenWebBeans, and Weld for session beans, go on behind all interceptors where one proceeds once more. */
    private static boolean isOnePassOnly(BeanManager beans, Class<?> beanClass) {
        return beans.getClass().getName().startsWith("org.apache.webbeans.")
                || Arrays.stream(beanClass.getAnnotations())
                        .anyMatch(annotation -> nameOf(annotation).startsWith("jakarta.ejb."));
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
        repeated.clear();
    }
}
