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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.support.SystemEnvironmentPropertySourceEnvironmentPostProcessor;
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

    private static void assertRefused(StandardEnvironment environment, String name) {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .as(name)
                .isThrownBy(() -> EnvironmentSettings.read(environment))
                .withMessageContaining(name + " is no setting");
    }

    /** The value of the right name must not hide that another one was meant to override it. */
    @ParameterizedTest
    @CsvSource({
        "holdfast.ttl.millis, holdfast.ttl-millis, HOLDFAST_TTL_MILLIS",
        "holdfast.ttl-millis[0], holdfast.ttlMillis, HOLDFAST_TTLMILLIS",
        "holdfast.guard[0], holdfast.guard, HOLDFAST_GUARD",
        "holdfast.wait.timeout.millis, holdfast.wait-timeout-millis, HOLDFAST_WAIT_TIMEOUT_MILLIS",
        "holdfast.nodes.x, holdfast.nodes[0], HOLDFAST_NODES_0",
        "holdfast.nodes[x], holdfast.nodes[0], HOLDFAST_NODES_0",
        "holdfast.no.des, holdfast.nodes, HOLDFAST_NODES",
    })
    void name_withADotOrANumberBesideTheRightOne_isRefused(String wrong, String right, String variable) {
        assertRefused(with(Map.of(wrong, "x", right, "x")), wrong);

        StandardEnvironment twoSources = with(Map.of(wrong, "x"));
        twoSources.getPropertySources().addLast(new MapPropertySource("file", Map.of(right, "x")));
        assertRefused(twoSources, wrong);

        StandardEnvironment variables = withVariables(Map.of(variable, "x"));
        assertThat(EnvironmentSettings.read(variables)).hasSize(1);
        variables.getPropertySources().addFirst(new MapPropertySource("arguments", Map.of(wrong, "x")));
        assertRefused(variables, wrong);
    }

    @Test
    void node_besideAllNodesInTheSameSource_isRefused() {
        assertRefused(
                with(Map.of("holdfast.nodes", "redis://a", "holdfast.nodes[7]", "redis://b")), "holdfast.nodes[7]");
        assertRefused(
                withVariables(Map.of("HOLDFAST_NODES", "redis://a", "HOLDFAST_NODES_7", "redis://b")),
                "holdfast.nodes[7]");
    }

    @Test
    void variable_thatBindsNothing_isRefusedBesideTheRightOne() {
        assertRefused(
                withVariables(Map.of("HOLDFAST_TTL_MILLIS", "x", "HOLDFAST_T_TL_MILLIS", "x")), "holdfast.t.tl.millis");
        assertRefused(withVariables(Map.of("HOLDFAST_GUARD", "x", "HOLDFAST_GUARD_0", "x")), "holdfast.guard[0]");
        assertRefused(withVariables(Map.of("HOLDFAST_SUPPORT", "x")), "holdfast.support");
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast.support", "holdfast.ttl-port", "holdfast.port", "holdfast.service.host"})
    void property_namedAsAVariableOfKubernetes_isRefused(String name) {
        assertRefused(with(twice("holdfast.nodes", name)), name);
    }

    @Test
    void variables_behindThePrefixOfTheApplication_areSettings() {
        StandardEnvironment environment = withVariables(Map.of(
                "SHOP_HOLDFAST_NODES_0", "redis://a", "SHOP_HOLDFAST_TTL_MILLIS", "5", "SHOP_HOLDFAST_PORT", "x"));
        SpringApplication application = new SpringApplication();
        application.setEnvironmentPrefix("shop");
        new SystemEnvironmentPropertySourceEnvironmentPostProcessor().postProcessEnvironment(environment, application);
        assertThat(EnvironmentSettings.read(environment))
                .containsOnly(Map.entry("nodes", "redis://a"), Map.entry("ttlMillis", "5"));
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
                        "tcp://10.0.0.1:6379",
                        "HOLDFAST_PORT_6379_UDP",
                        "udp://10.0.0.1:6379",
                        "HOLDFAST_SERVICE_PORT_REDIS",
                        "6379"))))
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
