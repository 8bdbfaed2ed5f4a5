// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.util.TypeLiteral;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.holdfast.cdi.Locked;
import org.junit.jupiter.api.Test;

/** Where the annotation may stand, on real nodes: each bean returns whether its lock is held while it works. */
class LockedPlacesTest extends Application {

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
    public static class InheritedMethod extends LockedTest.OnMethod {}

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

    public interface Defaulting {
        default boolean work() {
            return isHeld("inherited");
        }

        @Locked("of-the-method")
        default boolean other() {
            return isHeld("of-the-method");
        }
    }

    @ApplicationScoped
    @Locked("inherited")
    public static class InheritingDefault implements Defaulting {}

    /** OpenWebBeans does not intercept them: the application is refused there. */
    @Test
    void annotation_onClass_isMeantForTheDefaultMethodsThatItInherits() {
        InheritingDefault bean = deploy(InheritingDefault.class);
        assertThat(bean.work()).isTrue();
        assertThat(bean.other()).isTrue();
    }
}
