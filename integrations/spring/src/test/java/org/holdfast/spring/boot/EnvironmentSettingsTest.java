// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.holdfast.InvalidSettingsException;
import org.holdfast.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class EnvironmentSettingsTest {

    private static StandardEnvironment with(Map<String, Object> properties) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("application", properties));
        return environment;
    }

    private static StandardEnvironment withVariables(Map<String, Object> variables) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        return environment;
    }

    /** The nodes and one more, which may be the same. */
    private static Map<String, Object> twice(String nodes, String name) {
        Map<String, Object> values = new HashMap<>();
        values.put(nodes, "x");
        values.put(name, "x");
        return values;
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void setting_byEachOfItsNames_isRead(Setting setting) {
        for (String name : List.of(setting.property(), "holdfast." + EnvironmentSettings.dashed(setting))) {
            assertThat(EnvironmentSettings.read(with(twice("holdfast.nodes", name))))
                    .as(name)
                    .containsEntry(setting.key(), "x");
        }
        String variable = setting.environmentVariable();
        for (String name : List.of(variable, "HOLDFAST_" + setting.name().replace("_", ""))) {
            assertThat(EnvironmentSettings.read(withVariables(twice("HOLDFAST_NODES", name))))
                    .as(name)
                    .containsEntry(setting.key(), "x");
        }
    }

    @Test
    void nodes_asAList_areJoined() {
        StandardEnvironment environment =
                with(Map.of("holdfast.nodes[0]", "redis://a", "holdfast.nodes[1]", "redis://b"));
        assertThat(EnvironmentSettings.arePresent(environment)).isTrue();
        assertThat(EnvironmentSettings.read(environment)).containsEntry("nodes", "redis://a,redis://b");
    }

    @Test
    void settings_thatCannotBeRead_areRefusedWithoutTheirPasswords() {
        for (Map<String, Object> properties : List.<Map<String, Object>>of(
                Map.of("holdfast.nodes[0]", "redis://a", "holdfast.nodes[2]", "redis://:s3cret@b"),
                Map.of("holdfast.nodes", "redis://:s3cret@${holdfast.nodes}"),
                Map.of("holdfast.nodes", "redis://a", "holdfast.password", "s3cret${holdfast.password}"))) {
            assertThatExceptionOfType(InvalidSettingsException.class)
                    .as(properties.toString())
                    .isThrownBy(() -> {
                        EnvironmentSettings.arePresent(with(properties));
                        EnvironmentSettings.read(with(properties));
                    })
                    .withMessageContaining("holdfast.")
                    .withNoCause()
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));
        }
    }

    @Test
    void nodes_emptyOrMissing_areNotPresent() {
        assertThat(EnvironmentSettings.arePresent(with(Map.of("holdfast.nodes", " "))))
                .isFalse();
        assertThat(EnvironmentSettings.arePresent(with(Map.of("holdfast.ttlMillis", "1"))))
                .isFalse();
    }

    @Test
    void misspeltName_isRefused() {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> EnvironmentSettings.read(
                        with(Map.of("holdfast.nodes", "redis://a", "holdfast.ttl-milis", "1", "holdfast.gard", "2"))))
                .withMessageContainingAll("ttl-milis", "gard");
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast.ttl.millis", "holdfast.ttl-millis[0]", "holdfast.password[0]", "holdfast.tls.x"})
    void name_withADotOrANumber_isRefused(String name) {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> EnvironmentSettings.read(with(twice("holdfast.nodes", name))))
                .withMessageContaining(name);
    }

    @Test
    void variablesOfKubernetes_arePassedOver() {
        assertThat(EnvironmentSettings.read(withVariables(Map.of(
                        "HOLDFAST_NODES",
                        "redis://a",
                        "HOLDFAST_SERVICE_HOST",
                        "10.0.0.1",
                        "HOLDFAST_REDIS_PORT_6379_TCP_ADDR",
                        "10.0.0.1",
                        "HOLDFAST_PORT",
                        "tcp://10.0.0.1:6379"))))
                .containsOnlyKeys("nodes");
    }

    @Test
    void metadata_hasEachSetting() throws IOException {
        String metadata;
        try (InputStream file =
                EnvironmentSettings.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            metadata = new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
        List<String> names = Pattern.compile("\"name\": \"(holdfast\\.[a-z-]+)\",\\s+\"type\"")
                .matcher(metadata)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
        assertThat(names)
                .containsExactlyElementsOf(Arrays.stream(Setting.values())
                        .map(setting -> "holdfast." + EnvironmentSettings.dashed(setting))
                        .toList());
    }
}
