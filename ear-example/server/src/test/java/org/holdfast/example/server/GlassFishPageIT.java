// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a page about asadmin says that no deployment needs. */
@EnabledIfSystemProperty(named = "server", matches = "glassfish", disabledReason = "there is no asadmin")
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class GlassFishPageIT {

    private final GlassFish server = (GlassFish) ApplicationServer.current();

    @Deployment(testable = false)
    static EnterpriseArchive holding() throws IOException {
        return HoldingApp.ear();
    }

    @Test
    void commands_forThePool_changeItAndFindItAlive() throws Exception {
        List<String> answers = server.run("pool");
        assertThat(answers).contains("resources.connector-connection-pool.locks.max-pool-size=128");
    }

    @Test
    void lockService_lookedAtThroughTheConnectorOfTheServer_isThere() throws Exception {
        Map<String, ?> administrator = Map.of(JMXConnector.CREDENTIALS, new String[] {"admin", ""});
        try (JMXConnector client = JMXConnectorFactory.connect(server.jmx(), administrator)) {
            assertThat(new LockService(client.getMBeanServerConnection()).nodes())
                    .hasSize(3);
        }
    }
}
