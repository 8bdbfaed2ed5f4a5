// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.SessionScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.util.TypeLiteral;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.CompletableFuture;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockTimeoutException;
import org.holdfast.cdi.Locked;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.Test;

/** The annotation in a CDI container, on real nodes. Each bean returns whether its lock is held while it works. */
class LockedTest extends Application {

    @ApplicationScoped
    public static class OnMethod {
        @Locked("on-method-#{id}")
        public boolean work(String id) {
            return isHeld("on-method-" + id);
        }

        public boolean unlocked() {
            return isHeld("on-method-1");
        }

        @Locked("on-method-#{id}")
        public void fail(String id) {
            throw new UnsupportedOperationException(id);
        }

        @Locked(value = "on-method-#{id}", waitTimeout = "PT0.2S")
        public boolean impatient(String id) {
            return true;
        }
    }

    @Test
    void call_ofLockedMethod_holdsTheLockJustSoLong() {
        OnMethod bean = deploy(OnMethod.class);
        assertThat(bean.work("1")).isTrue();
        assertThat(isHeld("on-method-1")).isFalse();
        assertThat(bean.unlocked()).isFalse();
    }

    @Test
    void call_thatThrows_passesTheExceptionOnAndReleases() {
        OnMethod bean = deploy(OnMethod.class);
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> bean.fail("2"));
        assertThat(isHeld("on-method-2")).isFalse();
    }

    @Test
    void call_whileAnotherHoldsTheLock_timesOutAndDoesNotRun() throws Exception {
        OnMethod bean = deploy(OnMethod.class);
        try (LockConnection connection = otherProcess.getConnection()) {
            connection.acquire("on-method-3");
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> bean.impatient("3"))
                    .withMessageContaining("200 ms");
        }
    }

    @Test
    void call_interruptedWhileWaiting_failsAndKeepsTheInterrupt() throws Exception {
        OnMethod bean = deploy(OnMethod.class);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        try (LockConnection connection = otherProcess.getConnection()) {
            connection.acquire("on-method-4");
            Thread waiter = new Thread(() -> {
                try {
                    bean.work("4");
                    interrupted.complete(false);
                } catch (RuntimeException e) {
                    interrupted.complete(Thread.currentThread().isInterrupted());
                }
            });
            waiter.start();
            while (waiter.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait(); // until it waits between two attempts
            }
            waiter.interrupt();
            assertThat(interrupted.get(10, SECONDS)).isTrue();
        }
    }

    @Test
    void call_withNullInTheName_doesNotRun() {
        OnMethod bean = deploy(OnMethod.class);
        assertThatIllegalArgumentException().isThrownBy(() -> bean.work(null)).withMessageContaining("#{id}");
    }

    @ApplicationScoped
    @Locked("on-class")
    public static class OnClass {
        public boolean work() {
            return isHeld("on-class");
        }

        @Locked("on-class-method")
        public boolean special() {
            return isHeld("on-class-method") && !isHeld("on-class");
        }
    }

    @Test
    void annotation_onClass_locksEachMethodUnlessItHasItsOwn() {
        OnClass bean = deploy(OnClass.class);
        assertThat(bean.work()).isTrue();
        assertThat(bean.special()).isTrue();
    }

    @Locked("stereotyped")
    @ApplicationScoped
    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    public @interface Exclusive {}

    @Stereotype
    @Exclusive
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    public @interface VeryExclusive {}

    @VeryExclusive
    public static class Stereotyped {
        public boolean work() {
            return isHeld("stereotyped");
        }
    }

    @Test
    void annotation_onStereotypeOfStereotype_locks() {
        assertThat(deploy(Stereotyped.class).work()).isTrue();
    }

    @ApplicationScoped
    public static class Inherited extends OnClass {}

    @Test
    void annotation_onSuperclass_locksInheritedMethods() {
        assertThat(deploy(Inherited.class).work()).isTrue();
    }

    @ApplicationScoped
    public static class Plain {
        public boolean work(String id) {
            return isHeld("added-" + id);
        }
    }

    /** Adds the annotation as an extension of another vendor would. */
    public static class Adding implements Extension {
        void add(@Observes ProcessAnnotatedType<Plain> event) {
            event.configureAnnotatedType().methods().forEach(m -> m.add(Locked.Literal.of("added-#{id}")));
        }
    }

    @Test
    void annotation_addedByExtension_locks() {
        assertThat(deploy(Plain.class, new Adding()).work("x")).isTrue();
    }

    @ApplicationScoped
    public static class InheritedMethod extends OnMethod {}

    @Test
    void annotation_onMethodOfSuperclass_locksWhatIsInherited() {
        InheritedMethod bean = deploy(InheritedMethod.class);
        assertThat(bean.work("6")).isTrue();
        assertThat(bean.unlocked()).isFalse();
    }

    @InterceptorBinding
    @Locked("bound")
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Guarded {}

    @ApplicationScoped
    public static class Bound {
        @Guarded
        public boolean work() {
            return isHeld("bound");
        }
    }

    @Test
    void annotation_onAnotherBinding_locks() {
        assertThat(deploy(Bound.class).work()).isTrue();
    }

    /** Adds the annotation to a class. */
    public static class AddingToClass implements Extension {
        void add(@Observes ProcessAnnotatedType<Plain> event) {
            event.configureAnnotatedType().add(Locked.Literal.of("added-#{id}", "added-too"));
        }
    }

    @Test
    void annotation_addedToAClassByExtension_locks() {
        Plain bean = deploy(Plain.class, new AddingToClass());
        assertThat(bean.work("y")).isTrue();
        assertThat(bean.work("too")).isTrue();
    }

    /** Takes the annotation away. */
    public static class Removing implements Extension {
        void remove(@Observes ProcessAnnotatedType<Bound> event) {
            event.configureAnnotatedType().methods().forEach(m -> m.removeAll());
        }
    }

    @Test
    void annotation_takenAwayByExtension_locksNothing() {
        assertThat(deploy(Bound.class, new Removing()).work()).isFalse();
    }

    public interface Handler<T> {
        boolean handle(T what);
    }

    @ApplicationScoped
    public static class Generic implements Handler<String> {
        @Locked("generic-#{what}")
        @Override
        public boolean handle(String what) {
            return isHeld("generic-" + what);
        }
    }

    @Test
    void call_throughAGenericInterface_locks() {
        deploy(Generic.class);
        Handler<String> handler =
                container.select(new TypeLiteral<Handler<String>>() {}).get();
        assertThat(handler.handle("a")).isTrue();
    }

    public interface LockedHandler<T> {
        @Locked("handler-#{args[0]}")
        boolean handle(T what);
    }

    @ApplicationScoped
    public static class LockedGeneric implements LockedHandler<String> {
        @Locked("implementing-#{what}")
        @Override
        public boolean handle(String what) {
            return isHeld("implementing-" + what) && !isHeld("handler-" + what);
        }
    }

    @Test
    void annotation_onGenericInterfaceAndItsImplementation_isThatOfTheImplementation() {
        LockedHandler<String> bean = deploy(LockedGeneric.class);
        assertThat(bean.handle("b")).isTrue();
    }

    @Locked("visible-#{id}")
    @ApplicationScoped
    public static class WithPrivateMethod {
        private boolean secret() {
            return isHeld("visible-1");
        }

        public boolean work(String id) {
            return secret();
        }
    }

    @Test
    void annotation_onClass_leavesPrivateMethodsAlone() {
        assertThat(deploy(WithPrivateMethod.class).work("1")).isTrue();
    }

    @Test
    void types_thatAContainerShowsTwice_areUnderstoodOnce() {
        container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension() {})
                .addExtension(new LockExtension())
                .addBeanClasses(Factory.class, OnMethod.class)
                .initialize();
        OnMethod bean = container.select(OnMethod.class).get();
        assertThat(bean.work("7")).isTrue();
        assertThat(isHeld("on-method-7")).isFalse();
    }

    @ApplicationScoped
    public static class Called {
        private static volatile boolean heldWhileObserving;

        @Locked("observing-#{event}")
        void on(@Observes StringBuilder event) {
            heldWhileObserving = isHeld("observing-" + event);
        }

        @Produces
        @Locked("producing")
        Boolean produce() {
            return isHeld("producing");
        }
    }

    @Test
    void methodsThatTheContainerCalls_forEventsAndProducts_areLocked() {
        deploy(Called.class);
        container.getBeanManager().getEvent().fire(new StringBuilder("x"));
        assertThat(Called.heldWhileObserving).isTrue();
        assertThat(container.select(Boolean.class).get()).isTrue();
    }

    @ApplicationScoped
    @Locked("class-#{id}")
    public static class LifecycleOfLockedClass {
        @PostConstruct
        void init() {}

        public boolean work(String id) {
            return isHeld("class-" + id);
        }
    }

    @Test
    void annotation_onClass_meansBusinessMethodsOnly() {
        assertThat(deploy(LifecycleOfLockedClass.class).work("1")).isTrue();
    }

    @SessionScoped
    public static class Passivating implements java.io.Serializable {
        private static final long serialVersionUID = 1L;

        @Locked("passivating")
        public void work() {}
    }

    @Test
    void deployment_withPassivatingBean_isAccepted() {
        deploy(Passivating.class);
    }

    @ApplicationScoped
    static class OtherFactory {
        @Produces
        @ApplicationScoped
        LockConnectionFactory locks() {
            return connect();
        }
    }

    @Alternative
    @Priority(1)
    @ApplicationScoped
    static class AlternativeFactory extends OtherFactory {
        @Produces
        @ApplicationScoped
        @Override
        LockConnectionFactory locks() {
            return super.locks();
        }
    }

    @Test
    void deployment_withTwoFactories_isRefusedUnlessOneIsAnAlternative() {
        Weld ambiguous = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Factory.class, OtherFactory.class, OnMethod.class);
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(ambiguous::initialize)
                .withMessageContaining("several beans of type LockConnectionFactory");

        container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Factory.class, AlternativeFactory.class, OnMethod.class)
                .initialize();
        assertThat(container.select(OnMethod.class).get().work("5")).isTrue();
    }

    @ApplicationScoped
    public static class Losing {
        @Locked(value = "losing", ttl = "PT0.3S")
        public void work() throws Exception {
            for (var node : redis.all()) {
                node.command("CLIENT PAUSE 900");
            }
            SECONDS.sleep(1); // longer than the TTL, while no node answers
        }
    }

    @Test
    void call_whoseLeaseIsLostWithoutATransaction_tellsTheCaller() {
        Losing bean = deploy(Losing.class);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(bean::work)
                .withMessageContaining("'losing'");
    }

    @ApplicationScoped
    public static class NoFactoryNeeded {
        @Locked("a")
        public boolean work() {
            return true;
        }
    }

    @Test
    void call_withoutAnyFactory_isRefused() {
        container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClass(NoFactoryNeeded.class)
                .initialize();
        NoFactoryNeeded bean = container.select(NoFactoryNeeded.class).get();
        assertThatIllegalStateException().isThrownBy(bean::work).withMessageContaining("java:/eis/holdfast");
    }
}
