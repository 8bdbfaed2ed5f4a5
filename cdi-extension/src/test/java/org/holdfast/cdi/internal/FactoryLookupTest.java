// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.ejb.Stateless;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.DeploymentException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import org.holdfast.LockConnectionFactory;
import org.holdfast.cdi.Locked;
import org.junit.jupiter.api.Test;

/** Where the factory is found in JNDI, what is reported if it is not, and how often it is looked up. */
class FactoryLookupTest extends FactoriesInNaming {

    /** Another component of the application. */
    @Stateless
    public static class Ejb {}

    private static <T> T inModule(ClassLoader module, Supplier<T> call) {
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        caller.setContextClassLoader(module);
        try {
            return call.get();
        } finally {
            caller.setContextClassLoader(before);
        }
    }

    private static ClassLoader module() {
        return new ClassLoader(FactoryLookupTest.class.getClassLoader()) {};
    }

    /** Counts what it is asked for. */
    private static LockConnectionFactory counting(List<String> used, String name) {
        return (LockConnectionFactory) Proxy.newProxyInstance(
                FactoryLookupTest.class.getClassLoader(),
                new Class<?>[] {LockConnectionFactory.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("getConnection")) {
                        used.add(name);
                    }
                    return method.invoke(otherProcess, args);
                });
    }

    @Test
    void factory_ofTheServer_isLookedUpOnceForEachModule() {
        Object context = new Object();
        naming.bind("java:comp/env", context);
        naming.bind("java:/eis/holdfast", otherProcess);
        Work bean = deployed();
        ClassLoader module = module();
        assertThat(inModule(module, bean::work)).isTrue();
        int before = naming.lookups();
        for (int i = 0; i < 10; i++) {
            inModule(module, bean::work);
        }
        assertThat(naming.lookups()).isEqualTo(before);
    }

    @Test
    void factory_thatAModuleBindsForItself_isUsedThereOnly() {
        List<String> used = new CopyOnWriteArrayList<>();
        LockConnectionFactory ofOne = counting(used, "one");
        LockConnectionFactory ofOther = counting(used, "other");
        naming.bind("java:comp/env", new Object());
        Work bean = deployed();
        ClassLoader one = module();
        ClassLoader other = module();
        for (int i = 0; i < 2; i++) {
            naming.bind("java:comp/env/eis/holdfast", ofOne);
            inModule(one, bean::work);
            naming.bind("java:comp/env/eis/holdfast", ofOther);
            inModule(other, bean::work);
        }
        assertThat(used).containsExactly("one", "other", "one", "other");
    }

    /** Components of one module then have names of their own. */
    @Test
    void factory_inAnApplicationWithEjbs_isLookedUpAtEachCall() {
        List<String> used = new CopyOnWriteArrayList<>();
        naming.bind("java:comp/env", new Object());
        Work bean = deployed(Ejb.class);
        naming.bind("java:comp/env/eis/holdfast", counting(used, "one"));
        bean.work();
        naming.bind("java:comp/env/eis/holdfast", counting(used, "other"));
        bean.work();
        assertThat(used).containsExactly("one", "other");
    }

    /** As when the adapter was redeployed. */
    @Test
    void factory_thatFails_isLookedUpAgain() {
        LockConnectionFactory stale = (LockConnectionFactory) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockConnectionFactory.class}, (proxy, method, args) -> {
                    throw new IllegalStateException("the adapter is gone");
                });
        naming.bind("java:comp/env", new Object());
        naming.bind("java:comp/env/eis/holdfast", stale);
        Work bean = deployed();
        assertThatIllegalStateException().isThrownBy(bean::work).withMessage("the adapter is gone");
        naming.bind("java:comp/env/eis/holdfast", otherProcess);
        assertThat(bean.work()).isTrue();
    }

    @Test
    void factory_thatIsMissing_isReportedAtDeploymentAndWithWhatEachNameGave() throws Exception {
        naming.bind("java:comp/env", new Object());
        naming.bind("java:app/eis/holdfast", "text");
        naming.bind("java:/eis/holdfast", ofAnotherLoader());
        NamingException down = new NamingException("look-up failed");
        down.setRootCause(new IllegalStateException("HF0401: Holdfast cannot start: nodes must be set"));
        naming.bind("eis/holdfast", down);
        Work bean = deployed();
        String[] reasons = {
            "'java:comp/env/eis/holdfast': not bound",
            "'java:app/eis/holdfast': bound to a java.lang.String, which is no LockConnectionFactory",
            "'java:/eis/holdfast': bound to a LockConnectionFactory of another class loader",
            "HF0401: Holdfast cannot start: nodes must be set"
        };
        assertThat(log).singleElement().asString().startsWith("HF0509").contains(reasons);
        assertThatIllegalStateException()
                .isThrownBy(bean::work)
                .withMessageStartingWith("HF0505")
                .withMessageContainingAll(reasons);
    }

    /** The later name may be of another adapter, with other nodes: some callers would lock there, and others here. */
    @Test
    void factory_underALaterName_isNotTakenInThePlaceOfOneThatIsBoundWrongly() throws Exception {
        naming.bind("java:comp/env", new Object());
        naming.bind("eis/holdfast", otherProcess);
        NamingException down = new NamingException("look-up failed");
        down.setRootCause(new IllegalStateException(
                "HF0401: Holdfast cannot start: nodes must be set", new IllegalArgumentException("nodes must be set")));
        NamingException quoted = new NamingException("failed: IllegalStateException: HF0401: nodes must be set");
        NamingException ofLiberty = new NamingException("CWNEN1001E: it could not be instantiated");
        ofLiberty.setRootCause(new IllegalStateException("Located service is null"));
        for (String name : List.of("java:comp/env/eis/holdfast", "java:app/eis/holdfast", "java:/eis/holdfast")) {
            NamingException ofGlassFish = new NameNotFoundException(name); // as of a name that is not bound
            ofGlassFish.addSuppressed(new NamingException("look-up of eis/gone failed"));
            NamingException dangling = new NameNotFoundException("eis/gone");
            for (Object wrong : List.of("text", ofAnotherLoader(), down, quoted, ofLiberty, ofGlassFish, dangling)) {
                Work bean = deployed();
                assertThat(bean.work()).isTrue();
                container.close();
                naming.bind(name, wrong);
                Work wronged = deployed();
                assertThatIllegalStateException()
                        .as(name)
                        .isThrownBy(wronged::work)
                        .withMessageStartingWith("HF0505")
                        .withMessageContaining("'" + name + "': ");
                naming.unbind(name);
                assertThat(wronged.work()).isTrue();
                container.close();
                container = null;
            }
        }
    }

    /** It may only not be there yet, or be down: as the server says it. */
    @Test
    void factory_underALaterName_isUsedIfTheServerSaysInItsWayThatThereIsNoOther() {
        naming.bind("java:comp/env", new Object());
        naming.refuseBelow("java:app/", "no such scheme: ");
        naming.bind("eis/holdfast", otherProcess);
        assertThat(deployed().work()).isTrue();
    }

    @ApplicationScoped
    public static class OfTheModule {
        @Locked(value = "looked-up", factory = "java:module/eis/locks")
        public void work() {}
    }

    /** The library may be in the lib of an EAR, for several modules. */
    @Test
    void factory_thatAMemberNamesInTheModule_isThatOfEachModule() {
        List<String> used = new CopyOnWriteArrayList<>();
        OfTheModule bean = deploy(OfTheModule.class);
        naming.bind("java:module/eis/locks", counting(used, "one"));
        bean.work();
        naming.bind("java:module/eis/locks", counting(used, "other"));
        bean.work();
        assertThat(used).containsExactly("one", "other");
    }

    @Test
    void factory_thatAMemberNames_isReportedIfItIsMissingAtTheStart() {
        naming.bind("java:comp/env", new Object());
        naming.bind("java:/eis/holdfast", otherProcess);
        deployed(NamedDemanding.class);
        assertThat(log).singleElement().asString().startsWith("HF0509").contains("'java:/eis/jobs': not bound");
    }

    /** Bound late: the application was not refused, and works. */
    @Test
    void factory_thatIsBoundLate_isUsed() {
        naming.bind("java:comp/env", new Object());
        Work bean = deployed();
        naming.bind("java:/eis/holdfast", otherProcess);
        assertThat(bean.work()).isTrue();
    }

    @ApplicationScoped
    static class OtherFactory {
        @Produces
        @ApplicationScoped
        LockConnectionFactory locks() {
            return connect();
        }
    }

    @ApplicationScoped
    public static class Named {
        @Locked(value = "named", factory = "java:/eis/jobs")
        public boolean named() {
            return isHeld("named");
        }
    }

    /** A factory in JNDI would be another than both. */
    @Test
    void factories_thatAreSeveralBeans_areRefusedWhereOneIsNeededOnly() {
        naming.bind("java:comp/env", new Object());
        naming.bind("java:/eis/jobs", otherProcess);
        naming.bind("java:/eis/holdfast", otherProcess);
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deployed(Factory.class, OtherFactory.class))
                .withMessageContainingAll("HF0501", "there are several beans of type LockConnectionFactory");
        Named named = deploy(Named.class, new Class<?>[] {OtherFactory.class});
        assertThat(named.named()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> container
                        .getBeanManager()
                        .getExtension(LockExtension.class)
                        .services()
                        .factories()
                        .connect(Optional.empty()))
                .withMessageContainingAll("HF0505", "there are several beans of type LockConnectionFactory");
    }

    /** Where no module can be seen nothing is known, and nothing reported. */
    @Test
    void deployment_withoutNamesOfAModule_saysNothing() {
        deployed();
        assertThat(log).isEmpty();
    }

    /** Returns a factory as an adapter has it that brought the API a second time. */
    private static Object ofAnotherLoader() throws Exception {
        String name = LockConnectionFactory.class.getName();
        ClassLoader second = new ClassLoader(FactoryLookupTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String asked, boolean resolve) throws ClassNotFoundException {
                if (!asked.equals(name)) {
                    return super.loadClass(asked, resolve);
                }
                Class<?> known = findLoadedClass(asked);
                return known == null ? define(asked) : known;
            }

            private Class<?> define(String asked) throws ClassNotFoundException {
                try (InputStream in = getResourceAsStream(asked.replace('.', '/') + ".class")) {
                    byte[] bytes = in.readAllBytes();
                    return defineClass(asked, bytes, 0, bytes.length);
                } catch (java.io.IOException e) {
                    throw new ClassNotFoundException(asked, e);
                }
            }
        };
        return Proxy.newProxyInstance(second, new Class<?>[] {second.loadClass(name)}, (proxy, method, args) -> null);
    }
}
