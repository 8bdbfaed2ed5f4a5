// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.factory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.holdfast.InvalidSettingsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the settings of a factory come from; nothing is connected to before it is used. */
class ConfiguredFactoryTest {

    private static final String NODE = "redis://:secret@127.0.0.1:1";

    private final Map<String, String> properties = new TreeMap<>();
    private final Map<String, String> environment = new TreeMap<>();
    private final Set<String> configured = new TreeSet<>();
    private final SettingSources sources =
            new SettingSources(properties::get, properties::keySet, () -> configured, environment);
    private final ClassLoader library = getClass().getClassLoader();
    private final ConfiguredFactory factory = new ConfiguredFactory(sources, library);
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger(ConfiguredFactory.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            log.add(entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void close() {
        factory.close();
        logger.removeHandler(handler);
    }

    @Test
    void nodes_inTwoPlaces_areThoseOfTheProperty_andTheOtherPlaceIsReportedWithoutValues() {
        properties.put("holdfast.nodes", NODE);
        environment.put("HOLDFAST_NODES", "redis://a,redis://b"); // not valid: were it read, there would be no factory
        environment.put("HOLDFAST_TTL_MILLIS", "1000");
        assertThat(factory.find()).isPresent();
        assertThat(factory.find()).isPresent();
        assertThat(log)
                .containsExactly(
                        "HF0513: @Locked: a factory from the settings holdfast.nodes (HOLDFAST_NODES has another"
                                + " value, which is not used), HOLDFAST_TTL_MILLIS");
    }

    @Test
    void setting_thatTwoPlacesHaveAlike_isNotReported() {
        properties.put("holdfast.nodes", NODE);
        environment.put("HOLDFAST_NODES", NODE);
        assertThat(factory.find()).isPresent();
        assertThat(log).containsExactly("HF0513: @Locked: a factory from the settings holdfast.nodes");
    }

    @Test
    void settings_withoutNodes_areNoFactory() {
        environment.put("HOLDFAST_NODES", " ");
        environment.put("HOLDFAST_TTL_MILLIS", "1000");
        assertThat(factory.find()).isEmpty();
        assertThat(log).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"HOLDFAST_KEY_PREFFIX", "HOLDFAST_GAURD", "HOLDFAST_keyPrefix", "HOLDFAST_"})
    void variable_thatIsNoSetting_isRefusedWithoutItsValue(String variable) {
        environment.put("HOLDFAST_NODES", NODE);
        environment.put(variable, "s3cret");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(factory::find)
                .withMessageContaining("there is no setting '" + variable + "'")
                .withMessageNotContaining("s3cret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast.keyprefix", "holdfast.key.prefix"})
    void property_thatIsNoSetting_isRefused(String property) {
        properties.put("holdfast.nodes", NODE);
        properties.put(property, "shop");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(factory::find)
                .withMessageContaining("there is no setting '" + property + "': did you mean 'keyPrefix'?");
    }

    @Test
    void property_thatIsNoSetting_andThatOnlyTheConfigurationHas_isRefused() {
        properties.put("holdfast.nodes", NODE);
        configured.add("holdfast.keyprefix");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(factory::find)
                .withMessageContaining("there is no setting 'holdfast.keyprefix': did you mean 'keyPrefix'?");
    }

    /** As SmallRye Config lists them, which WildFly and TomEE have. */
    @Test
    void variable_thatTheConfigurationListsInTheFormOfAProperty_isNotRefused() {
        environment.put("HOLDFAST_NODES", NODE);
        environment.put("HOLDFAST_KEY_PREFIX", "shop");
        environment.put("HOLDFAST_SERVICE_HOST", "10.0.0.1");
        configured.addAll(Set.of("HOLDFAST_NODES", "holdfast.nodes", "holdfast.key.prefix", "holdfast.service.host"));
        assertThat(factory.find()).isPresent();
    }

    @Test
    void property_ofTheJvm_isNotTakenForTheVariableOfThisForm() {
        environment.put("HOLDFAST_NODES", NODE);
        environment.put("HOLDFAST_KEY_PREFIX", "shop");
        properties.put("holdfast.key.prefix", "other");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(factory::find)
                .withMessageContaining("there is no setting 'holdfast.key.prefix'");
    }

    @Test
    void property_ofALockedMethod_whosePackageIsNamedSo_isNotRefused() {
        properties.put("holdfast.nodes", NODE);
        properties.put("holdfast.shop.Sales/sell/Locked/ttl", "PT10S");
        assertThat(factory.find()).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"HOLDFAST_WAIT_TIMEOUT_MILLIS", "HOLDFAST_WAITTIMEOUTMILLIS"})
    void variable_asMicroProfileConfigTakesIt_hasTheSameEffectWithoutIt(String variable) {
        environment.put("HOLDFAST_NODES", NODE);
        environment.put(variable, "soon");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(factory::find)
                .withMessageContaining("waitTimeoutMillis must be");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HOLDFAST_SERVICE_HOST",
                "HOLDFAST_SHOP_SERVICE_PORT_HTTP",
                "HOLDFAST_PORT",
                "HOLDFAST_PORT_6379_TCP_ADDR",
                "HOLDFASTING"
            })
    void variable_ofSomethingElse_isNotRefused(String variable) {
        environment.put("HOLDFAST_NODES", NODE);
        environment.put(variable, "10.0.0.1");
        properties.put("holdfast.rarRA.KeepAliveTime", "1");
        assertThat(factory.find()).isPresent();
    }

    @Test
    void sources_neverTellValues() {
        environment.put("HOLDFAST_PASSWORD", "s3cret");
        assertThat(sources).asString().doesNotContain("s3cret");
    }

    /** As seen on Open Liberty, in an EAR with the adapter: its factory is bound when the module has begun. */
    @Test
    void settings_withTheImplementationOfAnAdapter_areNoFactory() {
        properties.put("holdfast.nodes", NODE);
        ClassLoader ofAnAdapter = new ClassLoader(library) {
            @Override
            public URL getResource(String name) {
                return name.equals(ConfiguredFactory.STANDALONE) ? null : super.getResource(name);
            }
        };
        ConfiguredFactory besideAnAdapter = new ConfiguredFactory(sources, ofAnAdapter);
        try {
            assertThat(besideAnAdapter.find()).isEmpty();
            assertThat(log).isEmpty();
        } finally {
            besideAnAdapter.close();
        }
    }

    /** As seen on Payara: the factory of the adapter in the same EAR is bound when the module has begun. */
    @Test
    void settings_besideTheClassesOfAnAdapter_areRefused() {
        properties.put("holdfast.nodes", NODE);
        ClassLoader besideAnAdapter = new ClassLoader(library) {
            @Override
            protected Enumeration<URL> findResources(String name) throws IOException {
                return name.endsWith("/HoldfastResourceAdapter.class")
                        ? Collections.enumeration(List.of(new URL("file:/holdfast.rar/core.jar")))
                        : super.findResources(name);
            }
        };
        Thread.currentThread().setContextClassLoader(besideAnAdapter);
        try {
            assertThatIllegalStateException()
                    .isThrownBy(factory::find)
                    .withMessageStartingWith("HF0515")
                    .withMessageContaining("/holdfast.rar/core.jar")
                    .withMessageNotContaining("s3cret");
        } finally {
            Thread.currentThread().setContextClassLoader(library);
        }
    }

    @Test
    void settings_thatAreCorrected_areReadAgain() {
        properties.put("holdfast.nodes", "redis://a,redis://b");
        assertThatExceptionOfType(InvalidSettingsException.class).isThrownBy(factory::find);
        properties.put("holdfast.nodes", NODE);
        assertThat(factory.find()).isPresent();
    }

    @Test
    void find_whenTheApplicationHasEnded_opensNothing() {
        properties.put("holdfast.nodes", NODE);
        factory.close();
        assertThatIllegalStateException().isThrownBy(factory::find).withMessageStartingWith("HF0514");
    }
}
