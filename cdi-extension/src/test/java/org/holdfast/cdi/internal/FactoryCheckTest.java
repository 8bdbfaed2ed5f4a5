// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.annotation.Priority;
import jakarta.ejb.MessageDriven;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;
import javax.naming.NamingException;
import org.holdfast.LockConnectionFactory;
import org.holdfast.cdi.Locked;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.Test;

/** Methods that their factory would refuse, and properties that may be missing: what is found at the start. */
class FactoryCheckTest extends FactoriesInNaming {

    public static class Parent {
        public long getId() {
            return 1;
        }
    }

    @ApplicationScoped
    public static class Doubtful {
        @Locked("#{parent.nope}")
        public void work(Parent parent) {}
    }

    @Test
    void method_thatTheFactoryOfTheServerRefuses_isReportedAtTheStart() {
        naming.bind("java:comp/env", new Object());
        naming.bind("java:/eis/holdfast", otherProcess);
        deployed(Demanding.class);
        assertThat(log)
                .singleElement()
                .asString()
                .startsWith("HF0512")
                .contains("atLeast(): HF0204: atLeast must be at most maxLeaseTtlMillis = 60000 ms, was PT2H")
                .contains("ttl(): HF0204: ttl must be at most maxLeaseTtlMillis = 60000 ms, was PT3H")
                .doesNotContain("allowed()", "(lock");
    }

    /** It is the only one, in all modules. */
    @Test
    void method_thatTheFactoryOfTheApplicationRefuses_isRefusedAtDeployment() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deployed(Demanding.class, Factory.class))
                .withMessageContainingAll(
                        "HF0501",
                        "2 faults",
                        "atLeast(): HF0204: atLeast must be at most maxLeaseTtlMillis = 60000 ms, was PT2H. Ask for less; or"
                                + " raise maxLeaseTtlMillis",
                        "ttl(): HF0204: ttl must be at most maxLeaseTtlMillis = 60000 ms, was PT3H");
    }

    @ApplicationScoped
    public static class Failing {
        @Produces
        @ApplicationScoped
        LockConnectionFactory locks() {
            throw new IllegalStateException("not yet");
        }
    }

    /** A bean is not made before it is needed, and what it says is left to the call if it cannot be made then. */
    @Test
    void factoryOfTheApplication_thatCannotBeMadeAtTheStart_isLeftToTheCall() {
        Work bean = deployed(Demanding.class, Failing.class);
        assertThat(log).isEmpty();
        assertThatIllegalStateException().isThrownBy(bean::work).withMessage("not yet");
    }

    /** Bound after the application was validated, before it began: as a server does with what a web.xml defines. */
    public static class BindingLate implements Extension {
        void bind(@Observes @Initialized(ApplicationScoped.class) @Priority(1) Object event) throws NamingException {
            BINDING.get().run();
        }
    }

    private static final AtomicReference<Runnable> BINDING = new AtomicReference<>();

    @Test
    void factoryThatIsNamed_andBoundAfterTheValidation_refusesTheDeploymentAllTheSame() {
        BINDING.set(() -> naming.bind("java:/eis/jobs", otherProcess));
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> container = new Weld()
                        .disableDiscovery()
                        .addExtension(new BindingLate())
                        .addExtension(new LockExtension())
                        .addBeanClasses(NamedDemanding.class)
                        .initialize())
                .withMessageContainingAll("HF0501", "named(): HF0204", "was PT2H");
    }

    /** It is this factory and no other. */
    @Test
    void method_thatTheFactoryItNamesRefuses_isRefusedAtDeployment() {
        deployed(NamedDemanding.class); // not bound yet: left for the call
        container.close();
        container = null;
        naming.bind("java:/eis/jobs", otherProcess);
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deployed(NamedDemanding.class))
                .withMessageContaining("HF0501")
                .withMessageContaining(
                        "named(): HF0204: atLeast must be at most maxLeaseTtlMillis = 60000 ms, was PT2H");
    }

    /** One that the application wraps need not know how to check. */
    @Test
    void factory_thatCannotCheck_isUsed() {
        LockConnectionFactory wrapper = (LockConnectionFactory) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockConnectionFactory.class}, (proxy, method, args) -> {
                    if (method.getName().equals("validate")) {
                        throw new UnsupportedOperationException("validate");
                    }
                    return method.invoke(otherProcess, args);
                });
        naming.bind("java:comp/env", new Object());
        naming.bind("java:/eis/jobs", wrapper);
        naming.bind("java:/eis/holdfast", wrapper);
        assertThat(deployed(NamedDemanding.class, Demanding.class).work()).isTrue();
    }

    @Test
    void property_thatOnlyASubclassMayHave_isReportedAtDeployment() {
        deployed(Doubtful.class);
        assertThat(log)
                .singleElement()
                .asString()
                .startsWith("HF0511")
                .contains(
                        "Doubtful.work(",
                        "#{parent.nope} asks for the property 'nope'",
                        "Parent does not have; there are [id]");
    }

    @MessageDriven
    public static class Listening {
        @Locked("#{parent.nope}")
        public void doubtful(Parent parent) {}

        @Locked(value = "long", ttl = "PT3H")
        public void demanding() {}

        @Locked(value = "named", factory = "java:/eis/nowhere")
        public void named() {}
    }

    /** Servers do not make a managed bean of it; Weld SE would. */
    public static class Vetoing implements Extension {
        void veto(@Observes @Priority(Integer.MAX_VALUE) ProcessAnnotatedType<Listening> event) {
            event.veto();
        }
    }

    @Test
    void methods_ofAMessageDrivenBean_areReportedAsThoseOfBeansAre() {
        naming.bind("java:comp/env", new Object());
        naming.bind("java:/eis/holdfast", otherProcess);
        container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addExtension(new Vetoing())
                .addBeanClasses(Work.class, Listening.class)
                .initialize();
        assertThat(log).anyMatch(line -> line.startsWith("HF0511") && line.contains("doubtful("));
        assertThat(log).anyMatch(line -> line.startsWith("HF0512") && line.contains("demanding()"));
        assertThat(log).anyMatch(line -> line.startsWith("HF0509") && line.contains("'java:/eis/nowhere': not bound"));
    }
}
