// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.InvalidSettingsException;
import org.holdfast.LockConnectionFactory;
import org.holdfast.Setting;
import org.holdfast.cdi.Locked;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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

    private Work deployed() {
        container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Work.class)
                .initialize();
        return container.select(Work.class).get();
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
    void application_thatEnds_closesTheFactory() throws InterruptedException {
        long before = renewalThreads();
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        deployed().work();
        container.close();
        container = null;
        for (int look = 0; look < 100 && renewalThreads() > before; look++) {
            Thread.sleep(50); // threads end by themselves: there is nothing to be notified by
        }
        assertThat(renewalThreads()).isLessThanOrEqualTo(before);
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
    void factory_inJndi_isTakenBeforeSettings() {
        set(Setting.NODES, "redis://127.0.0.1:1");
        naming.bind("java:/eis/holdfast", otherProcess);
        assertThat(deployed().work()).isTrue();
    }

    @Test
    void factory_thatWasInJndiOnce_isNeverReplacedBySettings() {
        set(Setting.NODES, redis.uris());
        set(Setting.GUARD, "OFF");
        LockConnectionFactory leaving = connect();
        naming.bind("java:/eis/holdfast", leaving);
        Work bean = deployed();
        assertThat(bean.work()).isTrue();
        naming.unbind("java:/eis/holdfast");
        leaving.close();
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

    @Test
    void settings_thatAreWrong_areReportedAndTheMethodDoesNotRun() {
        set(Setting.NODES, "redis://127.0.0.1,redis://127.0.0.2");
        Work bean = deployed();
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(bean::work)
                .withMessageContaining("odd number");
    }

    @Test
    void nothing_set_isReportedWithWhatToDo() {
        Work bean = deployed();
        assertThatIllegalStateException()
                .isThrownBy(bean::work)
                .withMessageContainingAll("holdfast.nodes", "HOLDFAST_NODES", "holdfast-standalone");
    }
}
