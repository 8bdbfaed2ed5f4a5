// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What each page says under Statistics. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class StatisticsIT {

    private final HoldingApp app = new HoldingApp();

    @Deployment(testable = false)
    static EnterpriseArchive holding() throws IOException {
        return HoldingApp.ear();
    }

    @Test
    void lockService_lookedAtAsJconsoleDoesOnTheSameMachine_tellsOfItsLeasesAndNodes() throws Exception {
        app.take("looked-at", 3);
        JMXServiceURL address =
                new JMXServiceURL(agentOf(ApplicationServer.current().pid()));
        try (JMXConnector client = JMXConnectorFactory.connect(address)) {
            LockService service = new LockService(client.getMBeanServerConnection());
            assertThat(service.heldNames()).isEqualTo(3);
            assertThat(service.nodes()).hasSize(3).containsValue("up");
        }
    }

    private static String agentOf(long pid) throws Exception {
        VirtualMachine server = VirtualMachine.attach(Long.toString(pid));
        try {
            return server.startLocalManagementAgent();
        } finally {
            server.detach();
        }
    }
}
