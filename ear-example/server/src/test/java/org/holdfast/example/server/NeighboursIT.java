// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two plain web modules on one server at the same time, each with its own settings in MicroProfile Config. */
@ExtendWith(ArquillianExtension.class)
@DisabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "as PlainWarIT")
@Timeout(240)
class NeighboursIT {

    /** Less than the TTL of either module's leases: what is free by then was released. */
    private static final Duration SOON = Duration.ofSeconds(3);

    private static final String FIRST = "first-neighbour";
    private static final String SECOND = "second-neighbour";
    private static final String TTL_OF_THE_FIRST = "20000";
    private static final String TTL_OF_THE_SECOND = "40000";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = FIRST, managed = false, testable = false)
    static WebArchive first() {
        return module(FIRST, TTL_OF_THE_FIRST);
    }

    @Deployment(name = SECOND, managed = false, testable = false)
    static WebArchive second() {
        return module(SECOND, TTL_OF_THE_SECOND);
    }

    private static WebArchive module(String name, String ttlMillis) {
        return PlainModule.archive(name)
                .addClasses(NeighbourServlet.class, NeighbourServlet.Service.class)
                .addAsResource(
                        new StringAsset("""
                                holdfast.keyPrefix=%s
                                holdfast.ttlMillis=%s
                                holdfast.nodeTimeoutMillis=2000
                                holdfast.guard=DEVELOPMENT
                                """.formatted(name, ttlMillis)), "META-INF/microprofile-config.properties");
    }

    /** Takes the lock in the module and, while it is held, in the other module, if one is named. */
    private static String lock(String module, String other) throws Exception {
        return new PlainModule(module).post("lock=shared&other=" + other);
    }

    @Test
    void settings_ofTwoModules_areEachItsOwn_alsoWhenTheOtherComesOrGoes() throws Exception {
        String byTheFirst = FIRST + ", " + TTL_OF_THE_FIRST;
        String byTheSecond = SECOND + ", " + TTL_OF_THE_SECOND;
        String byBoth = byTheFirst + "; meanwhile " + byTheFirst + " and " + byTheSecond;
        deployer.deploy(FIRST);
        try {
            assertThat(lock(FIRST, "")).isEqualTo(byTheFirst);
            deployer.deploy(SECOND);
            try {
                assertThat(lock(SECOND, "")).isEqualTo(byTheSecond);
                assertThat(lock(FIRST, "")).isEqualTo(byTheFirst);
                assertThat(lock(FIRST, SECOND))
                        .as("locks of equal names below two prefixes are two locks")
                        .isEqualTo(byBoth);
                deployer.undeploy(FIRST);
                assertThat(lock(SECOND, "")).isEqualTo(byTheSecond);
                await().atMost(SOON).until(() -> new RealNodes(FIRST).isFree("shared"));
                deployer.deploy(FIRST);
                assertThat(lock(FIRST, SECOND)).isEqualTo(byBoth);
            } finally {
                deployer.undeploy(SECOND);
            }
            assertThat(lock(FIRST, "")).isEqualTo(byTheFirst);
        } finally {
            deployer.undeploy(FIRST);
        }
    }
}
