// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Priority;
import jakarta.decorator.Decorator;
import jakarta.decorator.Delegate;
import jakarta.ejb.AfterBegin;
import jakarta.ejb.AfterCompletion;
import jakarta.ejb.BeforeCompletion;
import jakarta.ejb.Schedule;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.holdfast.LockMode;
import org.holdfast.cdi.Elsewhere;
import org.holdfast.cdi.LockKey;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;
import org.holdfast.cdi.OnLoss;
import org.holdfast.cdi.internal.deployment.BindingLookup;
import org.holdfast.cdi.internal.deployment.LockedOperations;
import org.holdfast.cdi.internal.operation.Configuration;
import org.holdfast.cdi.internal.operation.OperationReader;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Annotations without an effect, or with one that cannot be kept: the application is not deployed, with a reason. */
class RefusedDeploymentTest {

    private static void deploy(Class<?>... beans) {
        try (WeldContainer container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(beans)
                .initialize()) {
            container.select(beans[0]).get();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void deployment_isRefused(Class<?> bean, String... words) {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(bean))
                .withMessageContainingAll(words);
    }

    /** Servers print each problem with its stack trace. */
    @Test
    void deployment_withSeveralFaults_isRefusedWithOneMessageAndWithoutATrace() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(NoName.class, NoNames.class))
                .withMessageContainingAll(
                        "HF0501: @Locked: 2 faults:", "must not be empty", "value must have 1 to 100 names")
                .satisfies(refusal -> assertThat(refusal.getStackTrace()) // it may have one of the container
                        .noneMatch(frame -> frame.getClassName().startsWith(LockExtension.class.getName())));
    }

    private static org.junit.jupiter.params.provider.Arguments bean(Class<?> bean, String... words) {
        return arguments(bean, words);
    }

    static Stream<org.junit.jupiter.params.provider.Arguments> refused() {
        return Stream.of(
                bean(NoName.class, "work()", "the name of the lock must not be empty"),
                bean(NoNames.class, "value must have 1 to 100 names, had 0"),
                bean(NameTwice.class, "value must have each name once, was [a, a]"),
                bean(UnknownName.class, "work(java.lang.String)", "#{idd} names [idd], which is no parameter"),
                bean(UnknownPosition.class, "#{args[1]} asks for argument 1, counted from 0, and the method has 1"),
                bean(
                        UnknownProperty.class,
                        "#{order.nope} asks for the property 'nope', which",
                        "Order does not have; there are [id]"),
                bean(KeyTwice.class, "arguments 0 and 1 have the same name 'key', given by @LockKey"),
                bean(KeyNoName.class, "@LockKey must be a Java identifier other than args, was '1st'"),
                bean(NoDuration.class, "waitTimeout must be an ISO-8601 duration of at least PT0S, was '5s'"),
                bean(TooShort.class, "ttl must be an ISO-8601 duration of at least PT0.1S, was 'PT0S'"),
                bean(Permit.class, "mode must be one of [EXCLUSIVE, READ, WRITE], was 'PERMIT'"),
                bean(SeveralToRead.class, "several names are locked in the mode EXCLUSIVE, was READ"),
                bean(SeveralFair.class, "fair must be false, was true"),
                bean(AtLeastToRead.class, "atLeast is for the mode EXCLUSIVE, was WRITE"),
                bean(AtLeastTooLong.class, "ttl must not be less than atLeast, which is PT10S, was PT5S"),
                bean(MaxHoldTooShort.class, "maxHold must not be less than atLeast, which is PT10S, was PT5S"),
                bean(WaitToFail.class, "waitTimeout is for onBusy = WAIT, was FAIL"),
                bean(SkipNumber.class, "onBusy = SKIP is for methods that return void, Optional or boolean, was int"),
                bean(SkipStage.class, "onBusy = SKIP is for methods that return void, Optional or boolean"),
                bean(InterruptStage.class, "onLoss = INTERRUPT is for methods whose thread does the work"),
                bean(ContinueInTransaction.class, "onLoss = CONTINUE needs scope = INVOCATION, was TRANSACTION"),
                bean(PrivateMethod.class, "work()", "would run without its lock: private and static methods"),
                bean(FinalOfClass.class, "final"),
                bean(Synchronized.class, "begun()", "would run without its lock", "in the life of a bean"),
                bean(Synchronized.class, "ending()", "would run without its lock"),
                bean(Synchronized.class, "ended(boolean)", "would run without its lock"),
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

    @Test
    void severalFaults_areToldTogether_oneMessageForEachMethod() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(NoDuration.class, UnknownName.class, Manifold.class))
                .withMessageContainingAll("NoDuration.work()", "'5s'")
                .withMessageContainingAll("UnknownName.work(java.lang.String)", "[idd]")
                .withMessageContaining(
                        "Manifold.one(): #{x} names [x], which is no parameter of the method; there are [] and"
                                + " args[…]; mode must be one of [EXCLUSIVE, READ, WRITE], was 'PERMIT';"
                                + " ttl must be an ISO-8601 duration of at least PT0.1S, was '1'")
                .withMessageContaining("Manifold.two(): the name of the lock must not be empty");
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
    public static class Manifold {
        @Locked(value = "#{x}", mode = LockMode.PERMIT, ttl = "1")
        public void one() {}

        @Locked("")
        public void two() {}
    }

    @Dependent
    public static class NoName {
        @Locked("")
        public void work() {}
    }

    @Dependent
    public static class NoNames {
        @Locked({})
        public void work() {}
    }

    @Dependent
    public static class NameTwice {
        @Locked({"a", "a"})
        public void work() {}
    }

    @Dependent
    public static class UnknownName {
        @Locked("order-#{idd}")
        public void work(String id) {}
    }

    record Order(long id) {}

    @ApplicationScoped
    static class UnknownProperty {
        @Locked("order-#{order.nope}")
        public void work(Order order) {}
    }

    @Dependent
    public static class UnknownPosition {
        @Locked("order-#{args[1]}")
        public void work(String id) {}
    }

    @Dependent
    public static class KeyTwice {
        @Locked("order-#{key}")
        public void work(@LockKey String one, @LockKey String other) {}
    }

    @Dependent
    public static class KeyNoName {
        @Locked("order")
        public void work(@LockKey("1st") String one) {}
    }

    @Dependent
    public static class NoDuration {
        @Locked(value = "a", waitTimeout = "5s", ttl = "PT30S")
        public void work() {}
    }

    @Dependent
    public static class TooShort {
        @Locked(value = "a", ttl = "PT0S")
        public void work() {}
    }

    @Dependent
    public static class Permit {
        @Locked(value = "a", mode = LockMode.PERMIT)
        public void work() {}
    }

    @Dependent
    public static class SeveralToRead {
        @Locked(
                value = {"a", "b"},
                mode = LockMode.READ)
        public void work() {}
    }

    @Dependent
    public static class SeveralFair {
        @Locked(
                value = {"a", "b"},
                fair = true)
        public void work() {}
    }

    @Dependent
    public static class AtLeastToRead {
        @Locked(value = "a", mode = LockMode.WRITE, atLeast = "PT1S")
        public void work() {}
    }

    @Dependent
    public static class AtLeastTooLong {
        @Locked(value = "a", ttl = "PT5S", atLeast = "PT10S")
        public void work() {}
    }

    @Dependent
    public static class MaxHoldTooShort {
        @Locked(value = "a", maxHold = "PT5S", atLeast = "PT10S")
        public void work() {}
    }

    @Dependent
    public static class WaitToFail {
        @Locked(value = "a", onBusy = OnBusy.FAIL, waitTimeout = "PT1S")
        public void work() {}
    }

    @Dependent
    public static class SkipNumber {
        @Locked(value = "a", onBusy = OnBusy.SKIP)
        public int work() {
            return 1;
        }
    }

    @Dependent
    public static class SkipStage {
        @Locked(value = "a", onBusy = OnBusy.SKIP)
        public CompletionStage<Optional<String>> work() {
            return CompletableFuture.completedStage(Optional.empty());
        }
    }

    @Dependent
    public static class InterruptStage {
        @Locked(value = "a", onLoss = OnLoss.INTERRUPT)
        public CompletionStage<String> work() {
            return CompletableFuture.completedStage("");
        }
    }

    @Dependent
    public static class ContinueInTransaction {
        @Locked(value = "a", onLoss = OnLoss.CONTINUE, scope = LockScope.TRANSACTION)
        public void work() {}
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
}
