// SPDX-License-Identifier: Apache-2.0
package org.holdfast.microprofile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.smallrye.health.SmallRyeHealth;
import io.smallrye.health.SmallRyeHealthReporter;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.json.JsonObject;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.cdi.Locked;
import org.holdfast.testkit.RedisServers;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** SmallRye Health asks an application on real nodes. */
@Timeout(120)
class LockReadinessTest {

    private static String nodes = "";
    private static String guard = "";

    private final RedisServers redis = RedisServers.start(3);

    private WeldContainer container = null;

    @AfterEach
    void stop() {
        if (container != null) {
            container.close();
        }
        redis.close();
    }

    /** An application with a factory of its own. */
    @ApplicationScoped
    public static class Factory {
        @Produces
        @ApplicationScoped
        LockConnectionFactory locks() {
            return Holdfast.connect(Map.of("nodes", nodes, "guard", guard, "nodeTimeoutMillis", "5000"));
        }
    }

    /** Work under a lock. */
    @ApplicationScoped
    public static class Work {
        @Locked("health")
        public boolean work() {
            return true;
        }
    }

    /** Work under a lock of a factory that is not there. */
    @ApplicationScoped
    public static class Elsewhere {
        @Locked(value = "health", factory = "java:/eis/elsewhere")
        public boolean work() {
            return true;
        }
    }

    private void deploy(String addresses, String guardMode, Class<?>... beans) {
        nodes = addresses;
        guard = guardMode;
        container = new Weld()
                .disableDiscovery()
                .addExtension(new org.holdfast.cdi.internal.LockExtension())
                .addExtension(new io.smallrye.config.inject.ConfigExtension())
                .addPackages(true, SmallRyeHealthReporter.class)
                .addBeanClasses(LockReadiness.class)
                .addBeanClasses(beans)
                .initialize();
    }

    private JsonObject readiness() {
        SmallRyeHealth health =
                container.select(SmallRyeHealthReporter.class).get().getReadiness();
        return health.getPayload().getJsonArray("checks").stream()
                .map(check -> (JsonObject) check)
                .filter(check -> check.getString("name").equals("holdfast"))
                .findFirst()
                .orElseThrow();
    }

    private static String status(JsonObject check) {
        return check.getString("status");
    }

    @Test
    void readiness_whileNodesAreKilled_isUpUntilThereIsNoMajority() {
        deploy(redis.uris(), "OFF", Factory.class, Work.class);
        await().atMost(60, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(status(readiness())).isEqualTo("UP"));
        assertThat(container.select(Work.class).get().work()).isTrue();

        redis.get(0).kill();
        String killed = redis.get(0).uri();
        await().atMost(60, TimeUnit.SECONDS)
                .until(() ->
                        !readiness().getJsonObject("data").getString(killed).equals("votes"));
        JsonObject minority = readiness();
        assertThat(status(minority)).isEqualTo("UP");
        assertThat(minority.getJsonObject("data").getString(killed)).contains("suspected");
        assertThat(minority.getJsonObject("data").getString(redis.get(1).uri())).isEqualTo("votes");

        redis.get(1).kill();
        await().atMost(60, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(status(readiness())).isEqualTo("DOWN"));
    }

    @Test
    void readiness_inTheFirstQuarantine_isDownAndSaysForHowLong() {
        deploy(redis.uris(), "QUARANTINE", Factory.class, Work.class);
        await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> assertThat(
                        readiness().getJsonObject("data").getString(redis.get(2).uri()))
                .contains("in quarantine for another"));
        assertThat(status(readiness())).isEqualTo("DOWN");
    }

    @Test
    void readiness_ofAnApplicationWithoutLockedMethods_isThatOfItsFactory() {
        deploy(redis.uris(), "OFF", Factory.class);
        await().atMost(60, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(status(readiness())).isEqualTo("UP"));
        assertThat(readiness().getJsonObject("data")).hasSize(3);
    }

    @Test
    void readiness_whereOneOfTwoFactoriesIsMissing_isDownAndNamesIt() {
        deploy(redis.uris(), "OFF", Factory.class, Work.class, Elsewhere.class);
        await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> assertThat(readiness()
                        .getJsonObject("data")
                        .getString("default " + redis.get(0).uri()))
                .isEqualTo("votes"));
        assertThat(status(readiness())).isEqualTo("DOWN");
        assertThat(readiness().getJsonObject("data").getString("java:/eis/elsewhere factory"))
                .contains("HF0504");
    }

    @Test
    void readiness_ofNodesWithPasswords_showsNone() {
        String addresses = redis.all().stream()
                .map(node -> "redis://app:s3cret@127.0.0.1:" + node.port())
                .collect(Collectors.joining(","));
        deploy(addresses, "OFF", Factory.class, Work.class);
        await().atMost(60, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(readiness().toString()).contains("WRONGPASS"));
        assertThat(readiness().toString()).doesNotContain("s3cret", "app:");
        assertThat(status(readiness())).isEqualTo("DOWN");
    }
}
