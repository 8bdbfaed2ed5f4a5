// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.ejb.MessageDriven;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Vetoed;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.InterceptionFactory;
import jakarta.enterprise.inject.spi.Unmanaged;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.deployment.TargetOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Classes that the container intercepts and that no event shows as beans, on real nodes. */
class NoBeanTest extends Application {

    @Dependent
    public static class Bean {}

    @Vetoed
    public static class NoBean {
        @Locked("no-bean-#{id}")
        public boolean work(String id) {
            return isHeld("no-bean-" + id);
        }

        public boolean unlocked() {
            return isHeld("no-bean-1");
        }
    }

    @Test
    void call_ofUnmanagedInstance_locks() {
        deploy(Bean.class);
        NoBean unmanaged = new Unmanaged<>(container.getBeanManager(), NoBean.class)
                .newInstance()
                .produce()
                .inject()
                .postConstruct()
                .get();
        assertThat(unmanaged.work("1")).isTrue();
        assertThat(unmanaged.work("2")).isTrue();
        assertThat(unmanaged.unlocked()).isFalse();
    }

    /** Registers a bean of a class that is none. */
    public static class CreatingBean implements Extension {
        void add(@Observes AfterBeanDiscovery event, BeanManager beans) {
            var attributes = beans.createBeanAttributes(beans.createAnnotatedType(NoBean.class));
            event.addBean(beans.createBean(
                    attributes,
                    NoBean.class,
                    beans.getInjectionTargetFactory(beans.createAnnotatedType(NoBean.class))));
        }
    }

    @Test
    void call_ofBeanThatAnExtensionCreates_locks() {
        deploy(Bean.class, new CreatingBean());
        assertThat(container.select(NoBean.class).get().work("3")).isTrue();
    }

    @ApplicationScoped
    public static class Producer {
        @Produces
        NoBean intercepted(InterceptionFactory<NoBean> factory) {
            return factory.createInterceptedInstance(new NoBean());
        }
    }

    @Test
    void call_ofInstanceOfAnInterceptionFactory_locks() {
        deploy(Producer.class);
        assertThat(container.select(NoBean.class).get().work("4")).isTrue();
    }

    @Vetoed
    @Locked("class-#{id}")
    public static class LockedClass {
        public boolean work(String id) {
            return isHeld("class-" + id);
        }
    }

    @Vetoed
    public static class LockedSubclass extends LockedClass {}

    @Test
    void call_ofNoBeanWhoseSuperclassIsLocked_locks() {
        deploy(Bean.class);
        LockedSubclass unmanaged = new Unmanaged<>(container.getBeanManager(), LockedSubclass.class)
                .newInstance()
                .produce()
                .get();
        assertThat(unmanaged.work("1")).isTrue();
    }

    @Vetoed
    public static class Faulty {
        @Locked("faulty")
        public void work() {}

        @Locked(value = "faulty", ttl = "1")
        public void wrong() {}
    }

    @Test
    void call_ofNoBeanWithAFault_isRefusedAndSaysWhich() {
        deploy(Bean.class);
        Faulty unmanaged = new Unmanaged<>(container.getBeanManager(), Faulty.class)
                .newInstance()
                .produce()
                .get();
        assertThatIllegalStateException()
                .isThrownBy(unmanaged::work)
                .withMessageContainingAll("HF0503", "does not run", "Faulty.wrong()", "ttl must be");
    }

    @Test
    void call_ofMethodWithoutAnnotation_isRefused() throws Exception {
        deploy(Bean.class);
        TargetOperations operations = operations();
        Method method = NoBean.class.getMethod("unlocked");
        assertThatIllegalStateException()
                .isThrownBy(() -> operations.of(new NoBean(), method))
                .withMessageContainingAll("HF0503", "does not run");
    }

    private TargetOperations operations() {
        return container.getBeanManager().getExtension(LockExtension.class).targets();
    }

    public interface Handler<T, R> {
        R handle(T what, int times);
    }

    @Dependent
    public static class Generic implements Handler<String, Boolean> {
        @Locked("generic-#{what}")
        @Override
        public Boolean handle(String what, int times) {
            return true;
        }

        public Boolean handle(Integer what, int times) {
            return false;
        }
    }

    public abstract static class GenericParent<T> {
        public abstract void handle(T what);
    }

    @Vetoed
    public static class GenericChild extends GenericParent<Integer> {
        @Locked("generic-#{what}")
        @Override
        public void handle(Integer what) {}
    }

    private static Method bridgeOf(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(Method::isBridge)
                .findFirst()
                .orElseThrow();
    }

    /** Payara 7 shows interceptors of EJBs the bridge. */
    @Test
    void operation_ofABridge_isThatOfItsMethod() throws Exception {
        deploy(Generic.class);
        assertThat(operations().of(new Generic(), bridgeOf(Generic.class)).method())
                .isEqualTo(Generic.class.getMethod("handle", String.class, int.class));
        assertThat(operations()
                        .of(new GenericChild(), bridgeOf(GenericChild.class))
                        .method())
                .isEqualTo(GenericChild.class.getMethod("handle", Integer.class));
    }

    @MessageDriven
    public static class FaultyMessageDriven {
        @Locked("order-#{idd}")
        public void onMessage(String id) {}
    }

    @Test
    void messageDrivenBean_withAFault_isRefused() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(FaultyMessageDriven.class, new VetoingBean()))
                .withMessageContainingAll("FaultyMessageDriven.onMessage", "#{idd}");
    }

    /** Servers do not make a managed bean of it; Weld SE would. */
    public static class VetoingBean implements Extension {
        void veto(
                @Observes @jakarta.annotation.Priority(Integer.MAX_VALUE)
                        jakarta.enterprise.inject.spi.ProcessAnnotatedType<FaultyMessageDriven> event) {
            event.veto();
        }
    }

    @ApplicationScoped
    public static class Shop {
        @Locked("of-the-bean")
        public boolean work() {
            return isHeld("of-the-bean");
        }
    }

    @Vetoed
    public static class OtherOnMethod extends Shop {
        @Locked("its-own")
        @Override
        public boolean work() {
            return isHeld("its-own");
        }
    }

    @Vetoed
    @Locked("its-own")
    public static class OtherOnClass extends Shop {
        @Override
        public boolean work() {
            return isHeld("its-own");
        }
    }

    @Vetoed
    public static class TheSame extends Shop {}

    /** As a message-driven bean that extends a CDI bean. */
    @ParameterizedTest
    @ValueSource(classes = {OtherOnMethod.class, OtherOnClass.class, TheSame.class})
    void call_ofNoBeanThatExtendsABean_hasItsOwnLock(Class<? extends Shop> type) {
        deploy(Shop.class);
        assertThat(new Unmanaged<>(container.getBeanManager(), type)
                        .newInstance()
                        .produce()
                        .get()
                        .work())
                .isTrue();
        assertThat(container.select(Shop.class).get().work()).isTrue();
    }
}
