// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.spi.DeploymentException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;
import org.eclipse.microprofile.config.spi.ConfigBuilder;
import org.eclipse.microprofile.config.spi.ConfigProviderResolver;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.eclipse.microprofile.config.spi.Converter;
import org.holdfast.LockConnection;
import org.holdfast.LockTimeoutException;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members that are set from outside: by system properties, or by MicroProfile Config where it is. */
class ConfigurationTest extends Application {

    private static final String METHOD = Configured.class.getName() + "/work/Locked/";
    private static final String CLASS = Configured.class.getName() + "/Locked/";

    private final Map<String, String> set = new HashMap<>();

    private void set(String key, String value) {
        set.put(key, value);
        System.setProperty(key, value);
    }

    @AfterEach
    void reset() {
        set.keySet().forEach(System::clearProperty);
        ConfigProviderResolver.setInstance(null);
    }

    @ApplicationScoped
    public static class Configured {
        @Locked(value = "configured", waitTimeout = "PT30S")
        public void work() {}

        @Locked(value = "configured", waitTimeout = "PT30S")
        public void other() {}
    }

    private void assertWaits(Runnable call, int millis) throws Exception {
        try (LockConnection connection = otherProcess.getConnection()) {
            connection.acquire("configured");
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(call::run)
                    .withMessageContaining(" wait timeout of " + millis + " ms");
        }
    }

    @Test
    void systemProperty_ofTheMethodTheClassOrTheApplication_countsInThisOrder() throws Exception {
        set("Locked/waitTimeout", "PT0.3S");
        assertWaits(deploy(Configured.class)::work, 300);
        shutDown();
        set(CLASS + "waitTimeout", "PT0.2S");
        assertWaits(deploy(Configured.class)::work, 200);
        shutDown();
        set(METHOD + "waitTimeout", "PT0.1S");
        Configured bean = deploy(Configured.class);
        assertWaits(bean::work, 100);
        assertWaits(bean::other, 200);
    }

    @Test
    void wrongSettings_areRefusedTogether_withTheirKeys() {
        set(METHOD + "ttl", "soon");
        set(METHOD + "mode", "reading");
        set(METHOD + "fair", "yes");
        set(CLASS + "onBusy", "LATER");
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(Configured.class))
                .withMessageContaining(
                        "ttl must be an ISO-8601 duration of at least PT0.1S, was 'soon' (set by " + METHOD + "ttl)")
                .withMessageContaining("mode must be one of [EXCLUSIVE, READ, WRITE], was 'reading' (set by " + METHOD)
                .withMessageContaining("fair must be true or false, was 'yes'")
                .withMessageContaining(
                        "other(): onBusy must be one of [WAIT, FAIL, SKIP], was 'LATER' (set by " + CLASS);
    }

    @Dependent
    public static class Skipping {
        @Locked("skipping")
        public int work() {
            return 1;
        }
    }

    @Test
    void settings_thatDoNotGoWithTheMethod_areRefused() {
        set("Locked/onBusy", "SKIP");
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(Skipping.class))
                .withMessageContaining("onBusy = SKIP is for methods that return void, Optional or boolean, was int");
    }

    @ApplicationScoped
    public static class Impatient {
        @Locked(value = "configured", onBusy = OnBusy.FAIL)
        public void work() {}

        @Locked(value = "configured", onBusy = OnBusy.SKIP)
        public boolean skipped() {
            return true;
        }
    }

    @Test
    void waitTimeout_ofTheClassOrTheApplication_isForMethodsThatWait() throws Exception {
        set("Locked/waitTimeout", "PT30S");
        set(Impatient.class.getName() + "/Locked/waitTimeout", "PT30S");
        Impatient bean = deploy(Impatient.class);
        assertWaits(bean::work, 0);
        try (LockConnection connection = otherProcess.getConnection()) {
            connection.acquire("configured");
            assertThat(bean.skipped()).isFalse();
        }
    }

    @Test
    void waitTimeout_ofAMethodThatDoesNotWait_isRefusedWithTheKeysThatSetIt() {
        String key = Impatient.class.getName() + "/work/Locked/waitTimeout";
        set(key, "PT1S");
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(Impatient.class))
                .withMessageContaining("waitTimeout (set by " + key + ") is for onBusy = WAIT, was FAIL")
                .withMessageNotContaining("skipped");

        set("Locked/waitTimeout", "PT30S");
        set(METHOD + "onBusy", "fail"); // the case of a constant does not matter
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(Configured.class))
                .withMessageContaining("waitTimeout is for onBusy = WAIT, was FAIL (set by " + METHOD + "onBusy)");
    }

    @Test
    void microProfileConfig_whereItIs_isAskedInsteadOfSystemProperties() throws Exception {
        System.setProperty(METHOD + "waitTimeout", "soon");
        set.put(METHOD + "waitTimeout", "PT0.1S");
        ConfigProviderResolver.setInstance(new Resolver(set));
        assertWaits(deploy(Configured.class)::work, 100);
    }

    /** As little of MicroProfile Config as is asked for. */
    private static final class Resolver extends ConfigProviderResolver {

        private final Map<String, String> values;

        Resolver(Map<String, String> values) {
            this.values = values;
        }

        @Override
        public Config getConfig() {
            return new Config() {
                @Override
                public <T> Optional<T> getOptionalValue(String name, Class<T> type) {
                    return Optional.ofNullable(values.get(name)).map(type::cast);
                }

                @Override
                public <T> T getValue(String name, Class<T> type) {
                    return getOptionalValue(name, type).orElseThrow();
                }

                @Override
                public ConfigValue getConfigValue(String name) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public Iterable<String> getPropertyNames() {
                    return values.keySet();
                }

                @Override
                public Iterable<ConfigSource> getConfigSources() {
                    throw new UnsupportedOperationException();
                }

                @Override
                public <T> Optional<Converter<T>> getConverter(Class<T> type) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public <T> T unwrap(Class<T> type) {
                    throw new UnsupportedOperationException();
                }
            };
        }

        @Override
        public Config getConfig(ClassLoader loader) {
            return getConfig();
        }

        @Override
        public ConfigBuilder getBuilder() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void registerConfig(Config config, ClassLoader loader) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void releaseConfig(Config config) {
            throw new UnsupportedOperationException();
        }
    }
}
