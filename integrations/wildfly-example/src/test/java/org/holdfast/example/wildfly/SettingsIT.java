// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.holdfast.Setting;
import org.holdfast.testkit.Certificates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Settings in the environment of a server: all at once, wrong ones, and none. */
@Timeout(240)
class SettingsIT {

    private static final String SECRET = "s3cret-of-the-nodes";

    /** Where nothing listens: the adapter starts all the same. */
    private static Map<Setting, String> all(Path directory) throws Exception {
        Certificates authority = Certificates.in(directory);
        Map<Setting, String> all = new EnumMap<>(Setting.class);
        all.put(Setting.NODES, "rediss://127.0.0.1:1");
        all.put(Setting.USER, "ada");
        all.put(Setting.PASSWORD, SECRET);
        all.put(Setting.TRUST_STORE, authority.trustStore().toString());
        all.put(Setting.TRUST_STORE_TYPE, "pkcs12");
        all.put(Setting.TRUST_STORE_PASSWORD, Certificates.PASSWORD);
        all.put(Setting.KEY_STORE, authority.issue("client", "dns:client").toString());
        all.put(Setting.KEY_STORE_TYPE, "pkcs12");
        all.put(Setting.KEY_STORE_PASSWORD, Certificates.PASSWORD);
        all.put(Setting.VERIFY_HOST_NAME, "false");
        all.put(Setting.KEY_PREFIX, "own");
        all.put(Setting.TTL_MILLIS, "5000");
        all.put(Setting.WAIT_TIMEOUT_MILLIS, "1000");
        all.put(Setting.NODE_TIMEOUT_MILLIS, "300");
        all.put(Setting.MAX_LEASE_TTL_MILLIS, "50000");
        all.put(Setting.FENCE_RETENTION_MILLIS, "700000");
        all.put(Setting.DRIFT_FACTOR, "0.02");
        all.put(Setting.COMMIT_MARGIN_MILLIS, "2000");
        all.put(Setting.TICKET_TTL_MILLIS, "2000");
        all.put(Setting.STOP_TIMEOUT_MILLIS, "3000");
        all.put(Setting.CHECK_AT_START, "false");
        all.put(Setting.RELEASE, "ASYNC");
        all.put(Setting.GUARD, "OFF");
        all.put(Setting.DURABLE, "true");
        all.put(Setting.PREVIOUS_MAX_LEASE_TTL_MILLIS, "60000");
        all.put(Setting.PREVIOUS_FENCE_RETENTION_MILLIS, "600000");
        all.put(Setting.PREVIOUS_DRIFT_FACTOR, "0.01");
        return all;
    }

    @Test
    void settings_ofTheEnvironment_reachTheAdapter_andPasswordsNoFile(@TempDir Path directory) throws Exception {
        Map<Setting, String> all = all(directory);
        Path probe = Archives.write(Archives.probe("probe.war"));
        try (WildFly server = WildFly.start("settings", WildFly.variables(all), List.of(probe))) {
            for (Setting setting : Setting.values()) {
                String injected = server.body("/probe/probe?ask=setting&of=" + setting.key());
                if (setting == Setting.PASSWORD_FILE) { // it excludes the password
                    assertThat(injected).isBlank();
                } else {
                    assertThat(injected).as(setting.key()).isEqualTo(all.get(setting));
                }
            }
            assertThat(server.log()).doesNotContain(SECRET, Certificates.PASSWORD);
            assertThat(server.configuration())
                    .contains("${holdfast.password,env.HOLDFAST_PASSWORD: }")
                    .doesNotContain(SECRET, Certificates.PASSWORD);
        }
    }

    @Test
    void settings_thatAreWrongOrMissing_areNamed_andNoMethodRunsWithoutItsLock() throws Exception {
        Map<String, String> environment = WildFly.variables(Map.of(
                Setting.VERIFY_HOST_NAME, "yes",
                Setting.TTL_MILLIS, "30s",
                Setting.PASSWORD, SECRET,
                Setting.PASSWORD_FILE, "missing"));
        try (WildFly server = WildFly.start("wrong", environment, List.of(Archives.example()))) {
            assertThat(server.get("/example/sell?sku=lamp").statusCode()).isEqualTo(500);
            assertThat(server.log())
                    .contains("nodes must name an odd number of independent Redis nodes")
                    .contains("verifyHostName must be true or false, was 'yes'")
                    .contains("ttlMillis must be 100 to 60000 ms, was '30s'")
                    .contains("a password or a passwordFile, not both")
                    .contains("HF0505")
                    .doesNotContain(SECRET);
        }
    }
}
