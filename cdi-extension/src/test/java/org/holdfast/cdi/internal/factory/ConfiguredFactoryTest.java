// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.factory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.HashMap;
import java.util.Map;
import org.holdfast.InvalidSettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings that an operator writes into the environment of a server. */
class ConfiguredFactoryTest {

    private static ConfiguredFactory with(String variable, String value) {
        Map<String, String> environment = new HashMap<>(Map.of("PATH", "/bin", "HOLDFAST_NODES", "redis://127.0.0.1:1"));
        environment.put(variable, value);
        return new ConfiguredFactory(name -> null, environment);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HOLDFAST_KEY_PREFFIX", "HOLDFAST_GAURD", "HOLDFAST_keyPrefix", "HOLDFAST_"})
    void variable_thatIsNoSetting_isRefused(String variable) {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(with(variable, "shop")::find)
                .withMessageContaining("there is no setting '" + variable + "'");
    }

    @Test
    void property_thatIsNoSetting_isRefused() {
        System.setProperty("holdfast.keyprefix", "shop");
        try {
            assertThatExceptionOfType(InvalidSettingsException.class)
                    .isThrownBy(with("HOLDFAST_GUARD", "OFF")::find)
                    .withMessageContaining("there is no setting 'holdfast.keyprefix'");
        } finally {
            System.clearProperty("holdfast.keyprefix");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HOLDFAST_WAIT_TIMEOUT_MILLIS", "HOLDFAST_WAITTIMEOUTMILLIS"})
    void variable_writtenAsMicroProfileConfigTakesIt_hasAnEffectToo(String variable) {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(with(variable, "soon")::find)
                .withMessageContaining("waitTimeoutMillis must be");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HOLDFAST_SERVICE_HOST",
                "HOLDFAST_SHOP_SERVICE_PORT_HTTP",
                "HOLDFAST_PORT",
                "HOLDFAST_PORT_6379_TCP_ADDR",
                "HOLDFASTING",
            })
    void variable_ofSomethingElse_isNoConcernOfOurs(String variable) {
        ConfiguredFactory factory = with(variable, "10.0.0.1");
        try {
            assertThat(factory.find()).isPresent();
        } finally {
            factory.close();
        }
    }
}
