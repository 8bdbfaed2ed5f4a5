// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.PostConstruct;
import jakarta.batch.api.AbstractBatchlet;
import jakarta.batch.api.chunk.ItemProcessor;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Model;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.inject.Named;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Set;
import org.holdfast.cdi.Locked;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What other containers intercept. That OpenWebBeans does not, the tests on TomEE show. */
class OpenWebBeansLimitsTest {

    private static Set<String> problemsOf(Class<?> bean) {
        try (WeldContainer container =
                new Weld().disableDiscovery().addBeanClasses(bean).initialize()) {
            LockedApplication application = new LockedApplication(container.getBeanManager(), new WebModule(null));
            AnnotatedType<?> type = container.getBeanManager().createAnnotatedType(bean);
            application.addBean(type);
            assertThat(application.problems()).as("elsewhere").isEmpty();
            String name = container.select(bean).getHandle().getBean().getName();
            application.refuseOnOpenWebBeans(type, name);
            return application.problems();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Inheriting.class, ByStereotype.class, Grandchild.class, OverridingAnother.class})
    void defaultMethod_thatALockedClassInherits_isRefused(Class<?> bean) {
        assertThat(problemsOf(bean))
                .singleElement()
                .asString()
                .contains(bean.getName() + " would run ", "Working.work(", "without its lock", "Override it");
    }

    @Test
    void defaultMethod_ofTheNearestInterface_isNamed() {
        assertThat(problemsOf(InheritingTheNearest.class))
                .singleElement()
                .asString()
                .contains("WorkingOtherwise.work(");
    }

    @ParameterizedTest
    @ValueSource(classes = {Overriding.class, OverridingInASuperclass.class, LockedMethod.class, NoBusiness.class})
    void defaultMethod_thatNoLockIsMeantFor_isAccepted(Class<?> bean) {
        assertThat(problemsOf(bean)).isEmpty();
    }

    @Test
    void batchlet_withoutAName_isRefused() {
        assertThat(problemsOf(Nameless.class))
                .singleElement()
                .asString()
                .contains("Nameless would run without its lock", "Give it @Named");
        assertThat(problemsOf(Processing.class)).singleElement().asString().contains("Processing would run");
    }

    @ParameterizedTest
    @ValueSource(classes = {WithAName.class, NamedByItsClass.class, ByModel.class, WithoutALock.class})
    void batchlet_thatJobsFindOrThatHasNoLock_isAccepted(Class<?> bean) {
        assertThat(problemsOf(bean)).isEmpty();
    }

    @Dependent
    public static class WithoutALock extends AbstractBatchlet {
        @Override
        public String process() {
            return "";
        }
    }

    @Dependent
    public static class Nameless extends AbstractBatchlet {
        @Locked("a")
        @Override
        public String process() {
            return "";
        }
    }

    @Named
    @Dependent
    public static class WithAName extends Nameless {}

    @Named("org.holdfast.example.NamedByItsClass")
    @Dependent
    public static class NamedByItsClass extends Nameless {}

    @Model
    public static class ByModel extends Nameless {}

    @Dependent
    public static class Processing implements ItemProcessor {
        @Locked("a")
        @Override
        public Object processItem(Object item) {
            return item;
        }
    }

    public interface Working<T> {
        default void work(T what) {}

        static void help() {}
    }

    public interface WorkingOtherwise extends Working<String> {
        @Override
        default void work(String what) {}
    }

    @Locked("a")
    @Dependent
    public static class Inheriting implements Working<String> {}

    @Locked("a")
    @Dependent
    public static class InheritingTheNearest implements WorkingOtherwise {}

    @Locked("a")
    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    public @interface Exclusive {}

    @Exclusive
    @Dependent
    public static class ByStereotype implements Working<String> {}

    public static class Parent implements Working<String> {}

    @Locked("a")
    @Dependent
    public static class Grandchild extends Parent {}

    @Locked("a")
    @Dependent
    public static class OverridingAnother implements Working<String> {
        public void work(Integer what) {}
    }

    @Locked("a")
    @Dependent
    public static class Overriding implements Working<String> {
        @Override
        public void work(String what) {}
    }

    @Locked("a")
    @Dependent
    public static class OverridingInASuperclass extends Overriding {}

    @Dependent
    public static class LockedMethod implements Working<String> {
        @Locked("a")
        public void other() {}
    }

    public interface Beginning {
        @PostConstruct
        default void begin() {}
    }

    @Locked("a")
    @Dependent
    public static class NoBusiness implements Beginning {}
}
