// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.holdfast.GuardMode;
import org.holdfast.InvalidSettingsException;
import org.holdfast.Release;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.redis.address.NodeAddress;
import org.holdfast.redis.address.VoterAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

    private static Map<String, String> with(String... more) {
        Map<String, String> values = new HashMap<>(Map.of("nodes", "redis://a,redis://b,redis://c"));
        for (int i = 0; i < more.length; i += 2) {
            values.put(more[i], more[i + 1]);
        }
        return values;
    }

    @Test
    void of_nodesAlone_hasTheDocumentedDefaults() {
        Settings settings = Settings.of(with());
        assertThat(settings.ttl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.waitTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.keyPrefix()).isEqualTo("holdfast");
        assertThat(settings.timing().nodeTimeout()).isEqualTo(Duration.ofMillis(200));
        assertThat(settings.timing().maxLeaseTtl()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.timing().fenceRetention()).isEqualTo(Duration.ofMinutes(10));
        assertThat(settings.timing().driftFactor()).isEqualTo(0.01);
    }

    @ParameterizedTest
    @CsvSource({
        "ttlMillis, 0, ttlMillis must be 100 to 60000 ms",
        "commitMarginMillis, -1, commitMarginMillis must be 0 to 86400000 ms",
        "ttlMillis, 60001, ttlMillis must be 100 to 60000 ms",
        "ttlMillis, soon, ttlMillis must be 100 to 60000 ms",
        "waitTimeoutMillis, -1, waitTimeoutMillis must be 0 to",
        "release, AS_CONFIGURED, 'release must be CONFIRMED or ASYNC, was ''AS_CONFIGURED'''",
        "nodeTimeoutMillis, 0, nodeTimeoutMillis must be 1 to 15000 ms",
        "nodeTimeoutMillis, 15001, nodeTimeoutMillis must be 1 to 15000 ms",
        "maxLeaseTtlMillis, 99, maxLeaseTtlMillis must be 100 to 86400000 ms",
        "fenceRetentionMillis, 1, fenceRetentionMillis must be 1000 to",
        "driftFactor, 0.6, driftFactor must be 0 to 0.5",
        "driftFactor, NaN, driftFactor must be 0 to 0.5",
        "keyPrefix, 'a b', keyPrefix must be 1 to 64 letters",
        "keyPrefix, '{a}', keyPrefix must be 1 to 64 letters",
        "guard, on, guard must be QUARANTINE, DEVELOPMENT or OFF",
    })
    void of_valueOutOfRange_isRefusedWithNameValueAndRange(String name, String value, String message) {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Settings.of(with(name, value)))
                .withMessageContaining(message)
                .withMessageContaining("was '" + value + "'");
    }

    @Test
    void of_severalFaults_namesThemAll() {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(
                        () -> Settings.of(Map.of("nodes", "redis://a,redis://b", "ttlMillis", "0", "colour", "blue")))
                .withMessageContaining("nodes must name an odd number")
                .withMessageContaining("ttlMillis must be")
                .withMessageContaining("there is no setting 'colour'")
                .withMessageNotContaining("did you mean");
    }

    @ParameterizedTest
    @CsvSource({
        "ttlMilis, ttlMillis",
        "KeyPrefix, keyPrefix",
        "passwordfile, passwordFile",
        "ttl, ttlMillis",
        "waitTimeout, waitTimeoutMillis",
        "maxLeaseTtl, maxLeaseTtlMillis",
        "waitTimeoutMilis, waitTimeoutMillis",
        "HOLDFAST_GARD, guard",
        "HOLDFAST_KEY_PREFFIX, keyPrefix",
        "holdfast.ttl, ttlMillis"
    })
    void of_misspeltName_isRefusedAndTheRightOneShown(String misspelt, String meant) {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Settings.of(with(misspelt, "1")))
                .withMessageContaining("there is no setting '" + misspelt + "': did you mean '" + meant + "'?");
    }

    @ParameterizedTest
    @CsvSource({"development, DEVELOPMENT", "Off, OFF", "quarantine, QUARANTINE"})
    void of_guardInLowerCase_isTheSame(String text, GuardMode mode) {
        assertThat(Settings.of(with("guard", text)).guard()).isEqualTo(mode);
    }

    @ParameterizedTest
    @CsvSource({"DEVELOPMENT", "OFF"})
    void of_sentinelsWithoutQuarantine_areRefused(String guard) {
        Map<String, String> settings = Map.of("nodes", "redis+sentinel://a,b,c/locks", "guard", guard);
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Settings.of(settings))
                .withMessageContaining("guard must be QUARANTINE where nodes has addresses of Sentinels");
    }

    @Test
    void of_noNodes_isRefused() {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Settings.of(Map.of()))
                .withMessageContaining("nodes must name an odd number");
    }

    @Test
    void of_userAndPassword_goToNodesThatHaveNone() {
        Settings settings = Settings.of(
                Map.of("nodes", "redis://a,redis://bob:own@b,redis://c", "user", "ada", "password", "s3cret"));
        assertThat(settings.nodes())
                .extracting(node -> ((NodeAddress) node).user())
                .containsExactly("ada", "bob", "ada");
        assertThat(settings.toString()).doesNotContain("s3cret").doesNotContain("own");
    }

    @Test
    void of_userWithoutPassword_isRefused() {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Settings.of(with("user", "ada")))
                .withMessageContaining("user needs a password");
    }

    @Test
    void of_overrides_takeThePlaceOfTheAdaptersAndNothingElseChanges() {
        Map<String, String> adapters =
                with("keyPrefix", "a", "ttlMillis", "500", "waitTimeoutMillis", "1", "release", "CONFIRMED");
        Settings plain = Settings.of(adapters);
        assertThat(Settings.of(adapters, Map.of())).isEqualTo(plain);
        assertThat(Settings.of(
                        adapters,
                        Map.of("keyPrefix", "b", "ttlMillis", "700", "waitTimeoutMillis", "2", "release", "async")))
                .isEqualTo(new Settings(
                        plain.nodes(),
                        plain.access(),
                        "b",
                        Duration.ofMillis(700),
                        Duration.ofMillis(2),
                        plain.maxTtl(),
                        plain.timing(),
                        plain.acceptedSettings(),
                        Release.ASYNC,
                        plain.guard(),
                        plain.stopTimeout(),
                        plain.checkAtStart()));
    }

    @Test
    void of_previousSettings_keepsTheLimitsOfBoth() {
        Settings changing = Settings.of(with(
                "maxLeaseTtlMillis",
                "90000",
                "previousMaxLeaseTtlMillis",
                "20000",
                "previousFenceRetentionMillis",
                "4000"));
        assertThat(changing.maxTtl()).isEqualTo(Duration.ofSeconds(20));
        assertThat(changing.ttl()).isEqualTo(Duration.ofSeconds(20));
        assertThat(changing.timing().maxLeaseTtl()).isEqualTo(Duration.ofSeconds(90));
        assertThat(changing.timing().fenceRetention()).isEqualTo(Duration.ofMinutes(10));
        assertThat(changing.timing().maxSkew()).isEqualTo(Duration.ofSeconds(2));
        assertThat(changing.acceptedSettings().previous()).contains(new SharedSettings(20_000, 4_000, 0.01));
    }

    @Test
    void of_durable_isMeantForAllNodesOrForOne() {
        assertThat(Settings.of(with("durable", "true")).nodes()).allMatch(VoterAddress::durable);
        assertThat(Settings.of(with()).nodes()).noneMatch(VoterAddress::durable);
    }

    @Test
    void of_faultsInBoth_namesThemAllAndWhoseTheyAre() {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Settings.of(with("ttlMillis", "1"), Map.of("ttlMillis", "2", "nodes", "redis://d")))
                .withMessageContaining("settings: ttlMillis must be 100 to 60000 ms, was '1'")
                .withMessageContaining("the connection factory's ttlMillis must be 100 to 60000 ms, was '2'")
                .withMessageContaining("there is no setting 'nodes'");
    }
}
