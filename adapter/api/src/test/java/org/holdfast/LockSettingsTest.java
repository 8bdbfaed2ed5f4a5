// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.entry;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockSettingsTest {

    private static final LockSettings NODES = LockSettings.of("redis://a:6379");

    @Test
    void toMap_ofTypedValues_hasTheTextsOfThePage() {
        LockSettings settings = NODES.ttl(Duration.ofSeconds(5))
                .waitTimeout(Duration.ZERO)
                .guard(GuardMode.DEVELOPMENT)
                .driftFactor(0.02)
                .durable(true)
                .passwordFile(Path.of("secret.txt"));
        assertThat(settings.toMap())
                .containsOnly(
                        entry("nodes", "redis://a:6379"),
                        entry("ttlMillis", "5000"),
                        entry("waitTimeoutMillis", "0"),
                        entry("guard", "DEVELOPMENT"),
                        entry("driftFactor", "0.02"),
                        entry("durable", "true"),
                        entry("passwordFile", "secret.txt"));
    }

    @Test
    void changes_leaveTheOriginalAsItWas() {
        assertThat(NODES.ttl(Duration.ofSeconds(5)).ttl(Duration.ofSeconds(6)).toMap())
                .containsEntry("ttlMillis", "6000");
        assertThat(NODES).isEqualTo(LockSettings.of("redis://a:6379")).hasSameHashCodeAs(NODES);
        assertThat(NODES.toMap()).hasSize(1);
    }

    @Test
    void time_thatMillisecondsCannotExpress_isTheFarthestThatTheyCan() {
        Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
        assertThat(NODES.ttl(longest).toMap()).containsEntry("ttlMillis", Long.toString(Long.MAX_VALUE));
        assertThat(NODES.ttl(longest.negated()).toMap()).containsEntry("ttlMillis", Long.toString(Long.MIN_VALUE));
    }

    @Test
    void value_null_isRefusedWithTheNameOfItsSetting() {
        assertThatNullPointerException().isThrownBy(() -> LockSettings.of(null)).withMessage("nodes");
        assertThatNullPointerException().isThrownBy(() -> NODES.ttl(null)).withMessage("ttlMillis");
        assertThatNullPointerException().isThrownBy(() -> NODES.guard(null)).withMessage("guard");
        assertThatNullPointerException()
                .isThrownBy(() -> NODES.passwordFile(null))
                .withMessage("passwordFile");
    }

    @Test
    void toString_ofPasswords_hidesThem() {
        assertThat(NODES.user("app").password("hush").trustStorePassword("hush").keyStorePassword("hush"))
                .hasToString("LockSettings[nodes=redis://a:6379, user=app, password=***, trustStorePassword=***,"
                        + " keyStorePassword=***]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://:hush@a:6379",
                "redis://app:hush@a:6379",
                "redis://a,rediss://app:hush@b",
                "redis://:hush%40a:6379",
                "redis://:hush",
                "redis://a/hush",
                "hush"
            })
    void toString_ofAddressesThatMayHaveAPassword_hidesThem(String nodes) {
        assertThat(LockSettings.of(nodes)).hasToString("LockSettings[nodes=***]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://a", "redis://a:1/2?durable=true, rediss://b-1.example:6379", "redis://[::1]:6379"})
    void toString_ofAddressesWithoutAPassword_showsThem(String nodes) {
        assertThat(LockSettings.of(nodes)).hasToString("LockSettings[nodes=" + nodes + "]");
    }
}
