// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Priority;
import jakarta.decorator.Decorator;
import jakarta.decorator.Delegate;
import jakarta.ejb.AfterBegin;
import jakarta.ejb.AfterCompletion;
import jakarta.ejb.BeforeCompletion;
import jakarta.ejb.Schedule;
import jakarta.ejb.SessionSynchronization;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.inject.Inject;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.holdfast.cdi.Elsewhere;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.deployment.BindingLookup;
import org.holdfast.cdi.internal.deployment.LockedOperations;
import org.holdfast.cdi.internal.operation.Configuration;
import org.holdfast.cdi.internal.operation.OperationReader;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

/** Annotations without an effect, or with one that cannot be kept: the application is not deployed, with a reason. */
class RefusedDeploymentTest extends RefusedBeans {

    static Stream<Arguments> refused() {
        return Stream.of(
                bean(PrivateMethod.class, "work()", "would run without its lock: private and static methods"),
                bean(FinalOfClass.class, "final"),
                bean(Synchronized.class, "begun()", "would run without its lock", "in the life of a bean"),
                bean(Synchronized.class, "ending()", "would run without its lock"),
                bean(Synchronized.class, "ended(boolean)", "would run without its lock"),
                bean(SynchronizedByInterface.class, "beforeCompletion()", "would run without its lock"),
                bean(SynchronizedByInterface.class, "afterCompletion(boolean)", "would run without its lock"),
                bean(Lifecycle.class, "init()", "would run without its lock", "in the life of a bean"),
                bean(FutureResult.class, "it returns a java.util.concurrent.Future", "before its work is done"),
                bean(FutureOfClass.class, "it returns a java.util.concurrent.Future", "before its work is done"),
                bean(Published.class, "a method that returns a Flow.Publisher must have maxHold"),
                bean(OnInterface.class, "View.work() without its lock"),
                bean(Overriding.class, "Overridden.work() without its lock"),
                bean(OverridingGeneric.class, "OverriddenGeneric.work(java.lang.Object) without its lock"),
                bean(OverridingDefault.class, "Defaulting.work() without its lock"),
                bean(OverridingBound.class, "OverriddenBound.work() without its lock"),
                bean(OnBoundInterface.class, "BoundView.work() without its lock"),
                bean(FutureOfTypeVariable.class, "it returns a java.util.concurrent.Future", "before its work is done"),
                bean(PrivateBound.class, "work()", "would run without its lock: private and static methods"),
                bean(PrivateObserver.class, "on(java.lang.String)", "would run without its lock: private"),
                bean(PrivateTimer.class, "tick()", "would run without its lock: private"),
                bean(HiddenElsewhere.class, "work()", "those that only another package sees"),
                bean(TwoStereotypes.class, "several stereotypes have a @Locked each"));
    }

    @Test
    void decorator_isRefused() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(Decorated.class, Decorating.class))
                .withMessageContainingAll("Decorating", "would run without its lock", "decorators are not intercepted");
    }

    /** Weld refuses it before we come to that; other containers may not. */
    @Test
    void finalMethod_isRefusedByUsToo() {
        List<String> problems = new ArrayList<>();
        try (WeldContainer container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Object.class)
                .initialize()) {
            BeanManager beans = container.getBeanManager();
            new LockedOperations()
                    .add(
                            beans.createAnnotatedType(FinalOfClass.class),
                            new BindingLookup(beans),
                            new OperationReader(new Configuration((beanClass, key) -> null)),
                            problems);
        }
        assertThat(problems).singleElement().asString().contains("final methods are not intercepted");
    }

    @Dependent
    public static class PrivateMethod {
        @Locked("a")
        private void work() {}
    }

    @Dependent
    @Locked("a")
    public static class FinalOfClass {
        public final void work() {}
    }

    @Dependent
    public static class Lifecycle {
        @Locked("a")
        @PostConstruct
        void init() {}
    }

    @Dependent
    public static class FutureResult {
        @Locked("a")
        public Future<String> work() {
            return new CompletableFuture<>();
        }
    }

    @ApplicationScoped
    @Locked("a")
    public static class FutureOfClass {
        public Future<String> work() {
            return new CompletableFuture<>();
        }
    }

    @Dependent
    public static class Published {
        @Locked("a")
        public Flow.Publisher<String> work() {
            return subscriber -> {};
        }
    }

    public interface View {
        @Locked("a")
        void work();
    }

    @Dependent
    public static class OnInterface implements View {
        @Override
        public void work() {}
    }

    public static class Overridden {
        @Locked("a")
        public void work() {}
    }

    @Dependent
    public static class Overriding extends Overridden {
        @Override
        public void work() {}
    }

    public static class OverriddenGeneric<T> {
        @Locked("a")
        public void work(T what) {}
    }

    @Dependent
    public static class OverridingGeneric extends OverriddenGeneric<String> {
        @Override
        public void work(String what) {}
    }

    public interface Defaulting {
        @Locked("a")
        default void work() {}
    }

    public interface OverridingDefaulting extends Defaulting {
        @Override
        default void work() {}
    }

    @Dependent
    public static class OverridingDefault implements OverridingDefaulting {}

    @Locked("a")
    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Bound {}

    public static class OverriddenBound {
        @Bound
        public void work() {}
    }

    @Dependent
    public static class OverridingBound extends OverriddenBound {
        @Override
        public void work() {}
    }

    @Bound
    public interface BoundView {
        void work();
    }

    @Dependent
    public static class OnBoundInterface implements BoundView {
        @Override
        public void work() {}
    }

    public interface Decoratable {
        void work();
    }

    @Dependent
    public static class Decorated implements Decoratable {
        @Override
        public void work() {}
    }

    @Decorator
    @Priority(1)
    public static class Decorating implements Decoratable {
        @Inject
        @Delegate
        Decoratable delegate;

        @Locked("a")
        @Override
        public void work() {
            delegate.work();
        }
    }

    public static class TypeVariable<T> {
        @Locked("a")
        public T work() {
            return null;
        }
    }

    @Dependent
    public static class FutureOfTypeVariable extends TypeVariable<Future<String>> {}

    @Dependent
    public static class PrivateBound {
        @Bound
        private void work() {}
    }

    @Dependent
    @Locked("a")
    public static class PrivateObserver {
        private void on(@Observes String event) {}
    }

    @Dependent
    @Locked("a")
    public static class PrivateTimer {
        @Schedule
        private void tick() {}
    }

    @Dependent
    public static class HiddenElsewhere extends Elsewhere {}

    @Locked("one")
    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    public @interface One {}

    @Locked("other")
    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    public @interface Other {}

    @One
    @Other
    @Dependent
    public static class TwoStereotypes {
        public void work() {}
    }

    /** As a stateful session bean is called about its transaction: no interceptor is called for that. */
    @Dependent
    public static class Synchronized {
        @AfterBegin
        @Locked("a")
        public void begun() {}

        @BeforeCompletion
        @Locked("a")
        public void ending() {}

        @AfterCompletion
        @Locked("a")
        public void ended(boolean committed) {}
    }

    @Dependent
    public static class SynchronizedByInterface implements SessionSynchronization {
        @Override
        public void afterBegin() {}

        @Override
        @Locked("a")
        public void beforeCompletion() {}

        @Override
        @Locked("a")
        public void afterCompletion(boolean committed) {}
    }
}
