// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.InterceptionType;
import jakarta.enterprise.inject.spi.Interceptor;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.holdfast.cdi.Locked;

/**
 * The methods that Jakarta Concurrency runs on another thread. Its interceptor must be outside of the lock: else the
 * thread that only submits the method would take the lock, and release it before the work has begun.
 */
final class AsynchronousMethods {

    /** By name: a server of Jakarta EE 9 does not have it. */
    private static final String ASYNCHRONOUS = "jakarta.enterprise.concurrent.Asynchronous";

    private final Queue<Asynchronous> found = new ConcurrentLinkedQueue<>();

    private record Asynchronous(Class<?> beanClass, Method method, Annotation binding) {}

    void collect(AnnotatedType<?> type) {
        type.getMethods().forEach(method -> Stream.concat(
                        method.getAnnotations().stream(), type.getAnnotations().stream())
                .filter(AsynchronousMethods::isIt)
                .forEach(binding -> found.add(new Asynchronous(type.getJavaClass(), method.getJavaMember(), binding))));
    }

    private static boolean isIt(Annotation annotation) {
        return annotation.annotationType().getName().equals(ASYNCHRONOUS);
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
    }
}
