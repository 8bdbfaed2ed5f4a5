// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.DeploymentException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.InvalidSettingsException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.Setting;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.factory.FactoryLocator;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A module without an adapter and without a producer: its factory comes from settings. */
class FactoryFromSettingsTest extends Application {

    private final Naming naming = Naming.start();
    private final List<String> set = new ArrayList<>();

    @AfterEach
    void forget() {
        set.forEach(System::clearProperty);
        naming.close();
    }

    private void set(Setting setting, String value) {
        System.setProperty(setting.property(), value);
        set.add(setting.property());
    }

    @ApplicationScoped
    public static class Work {
        @Locked("from-settings")
        public boolean work() {
            return isHeld("from-settings");
        }
    }

    private Work deployed(Class<?>... others) {
        container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Work.class)
                .addBeanClasses(others)
                .initialize();
        return container.select(Work.class).get();
    }

    /** Lets the application see the names of its module when it begins, as on a server. */
    private void haveNamesOfAModule() {
        naming.bind("java:comp/env", new Object());
    }

    @ApplicationScoped
    public static class Demanding {
        @Locked(value = "at-least", atLeast = "PT2H")
        public boolean atLeast() {
            return isHeld("at-least");
        }
    }

    private static long renewalThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast"))
                .count();
    }

    @Test
    void nodes_inASystemProperty_areAllThatLockedNeeds() {
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        set(Setting.NODE_TIMEOUT_MILLIS, "2000");
        assertThat(deployed().work()).isTrue();
        assertThat(isHeld("from-settings")).isFalse();
    }

    @Test
    void application_thatEnds_closesTheFactory() {
        long before = renewalThreads();
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        deployed().work();
        container.close();
        container = null;
        awaitNoMoreThreadsThan(before);
    }

    private static void awaitNoMoreThreadsThan(long before) {
        await().untilAsserted(() -> assertThat(renewalThreads()).isLessThanOrEqualTo(before));
    }

    @Test
    void nodes_besideABrokenAdapterInJndi_areNotTakenInItsPlace() {
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        naming.bind("java:/eis/holdfast", "no factory");
        Work bean = deployed();
        assertThatIllegalStateException().isThrownBy(bean::work).withMessageStartingWith("HF0505");
    }

    @Test
    void factory_inJndi_besideSettings_isRefusedAtDeployment() {
        haveNamesOfAModule();
        set(Setting.NODES, "redis://127.0.0.1:1");
        naming.bind("java:/eis/holdfast", otherProcess);
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(this::deployed)
                .withMessageContainingAll("HF0501", "HF0515", "bound in JNDI", "holdfast-standalone")
                .withMessageNotContaining("127.0.0.1");
    }

    /** As on a server that starts the adapter and the application at the same time: each call would be refused. */
    @Test
    void factory_thatIsNotThereYetInJndi_besideSettings_isRefusedAtDeployment() {
        haveNamesOfAModule();
        set(Setting.NODES, "redis://127.0.0.1:1");
        naming.bind("java:/eis/holdfast", "no factory yet");
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(this::deployed)
                .withMessageContainingAll("HF0501", "HF0515", "bound in JNDI", "holdfast-standalone");
    }

    /** Where the first call is the first that can look it up. */
    @ParameterizedTest
    @ValueSource(strings = {"java:/eis/holdfast", "java:comp/env/eis/holdfast"})
    void factory_inJndi_besideSettings_isRefusedAtEachCall(String name) {
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        naming.bind(name, otherProcess);
        Work bean = deployed();
        assertThatIllegalStateException().isThrownBy(bean::work).withMessageStartingWith("HF0515");
        assertThatIllegalStateException().isThrownBy(bean::work).withMessageStartingWith("HF0515");
    }

    @Test
    void factory_inJndi_besideSettingsWithoutNodes_isTaken() {
        set(Setting.KEY_PREFIX, "shop");
        naming.bind("java:/eis/holdfast", otherProcess);
        assertThat(deployed().work()).isTrue();
    }

    @Test
    void factory_thatWasInJndiOnce_isNeverReplacedBySettings() {
        LockConnectionFactory leaving = connect();
        naming.bind("java:/eis/holdfast", leaving);
        Work bean = deployed();
        assertThat(bean.work()).isTrue();
        naming.unbind("java:/eis/holdfast");
        leaving.close();
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        assertThatIllegalStateException().isThrownBy(bean::work); // closed, and looked up anew by the next call
        assertThatIllegalStateException().isThrownBy(bean::work).withMessageStartingWith("HF0505");
    }

    @Test
    void factory_ofSettings_staysWhenOneIsBoundLater() {
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        set(Setting.NODE_TIMEOUT_MILLIS, "2000");
        Work bean = deployed();
        assertThat(bean.work()).isTrue();
        naming.bind("java:/eis/holdfast", "no factory");
        assertThat(bean.work()).isTrue();
    }

    /** Where nothing is known of the module when the application begins, as on some threads. */
    @Test
    void settings_thatAreWrong_areReportedAndTheMethodDoesNotRun() {
        set(Setting.NODES, "redis://127.0.0.1,redis://127.0.0.2");
        Work bean = deployed();
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(bean::work)
                .withMessageContaining("odd number");
    }

    @Test
    void settings_thatAreWrong_areAllNamed_andTheApplicationIsNotDeployed() throws Exception {
        long before = renewalThreads();
        haveNamesOfAModule();
        set(Setting.NODES, "redis://127.0.0.1,redis://127.0.0.2");
        set(Setting.TTL_MILLIS, "soon");
        set(Setting.GUARD, "MAYBE");
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(this::deployed)
                .withMessageContainingAll("HF0501", "HF0101", "odd number", "ttlMillis", "soon", "guard", "MAYBE");
        assertThat(renewalThreads()).isLessThanOrEqualTo(before);
    }

    @Test
    void nodes_thatNoMajorityAnswers_withACheckAtTheStart_areRefusedAtDeployment() {
        haveNamesOfAModule();
        set(Setting.NODES, "redis://127.0.0.1:1");
        set(Setting.CHECK_AT_START, "true");
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(this::deployed)
                .withMessageContainingAll("HF0501", "HF0110", "127.0.0.1:1");
    }

    @Test
    void method_thatAsksForMoreThanTheSettingsAllow_isRefusedAtDeployment_andDeployedWhenTheyAllowIt()
            throws Exception {
        long before = renewalThreads();
        haveNamesOfAModule();
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        set(Setting.NODE_TIMEOUT_MILLIS, "2000");
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deployed(Demanding.class))
                .withMessageContainingAll(
                        "HF0501",
                        "Demanding.atLeast()",
                        "atLeast must be at most maxLeaseTtlMillis = 60000 ms, was PT2H");
        awaitNoMoreThreadsThan(before);

        set(Setting.MAX_LEASE_TTL_MILLIS, "7200000");
        deployed(Demanding.class);
        assertThat(container.select(Demanding.class).get().atLeast()).isTrue();
    }

    /** No setting may be taken for the password of another deployment because an operator left it empty. */
    @Test
    void setting_thatIsEmpty_isNotSet() {
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        set(Setting.PASSWORD, "");
        set(Setting.NODE_TIMEOUT_MILLIS, "2000");
        assertThat(deployed().work()).isTrue();
    }

    @Test
    void call_afterTheApplicationHasEnded_opensNothing() throws Exception {
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        long before = renewalThreads();
        deployed();
        FactoryLocator factories = container
                .getBeanManager()
                .getExtension(LockExtension.class)
                .services()
                .factories();
        container.close();
        container = null;
        assertThatIllegalStateException()
                .isThrownBy(() -> factories.connect(Optional.empty()))
                .withMessageContainingAll("HF0514", "has ended");
        assertThat(renewalThreads()).isLessThanOrEqualTo(before);
    }

    @Test
    void call_thatWaitsWhenTheApplicationEnds_endsAndDoesNotRun() throws Exception {
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        set(Setting.NODE_TIMEOUT_MILLIS, "2000");
        Work bean = deployed();
        bean.work();
        try (LockConnection other = otherProcess.getConnection()) {
            other.acquire("from-settings");
            CompletableFuture<Throwable> waiter = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    bean.work();
                    waiter.complete(null);
                } catch (RuntimeException e) {
                    waiter.complete(e);
                }
            });
            thread.start();
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            container.close();
            container = null;
            assertThat(waiter.get(10, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void nothing_set_isReportedWithWhatToDo() {
        Work bean = deployed();
        assertThatIllegalStateException()
                .isThrownBy(bean::work)
                .withMessageContainingAll("holdfast.nodes", "HOLDFAST_NODES", "holdfast-standalone");
    }

    @Test
    void nodes_underAMisspeltName_areNoFactory_andTheMessageNamesIt() {
        System.setProperty("holdfast.node", redis.uris());
        set.add("holdfast.node");
        Work bean = deployed();
        assertThatIllegalStateException()
                .isThrownBy(bean::work)
                .withMessageStartingWith("HF0505")
                .withMessageContaining("Not settings: holdfast.node. ");
    }
}
