// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** What each page says under Statistics, and what Open Liberty's says of its pool. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class StatisticsIT {

    private static final String POOL =
            "WebSphere:type=com.ibm.ws.jca.cm.mbean.ConnectionManagerMBean,jndiName=eis/holdfast,*";

    private final HoldingApp app = new HoldingApp();

    @Deployment(testable = false)
    static EnterpriseArchive holding() throws IOException {
        return HoldingApp.ear();
    }

    @Test
    void lockService_lookedAtAsJconsoleDoesOnTheSameMachine_tellsOfItsLeasesAndNodes() throws Exception {
        app.take("looked-at", 1);
        try (JMXConnector client = ServerJvm.connect()) {
            LockService service = new LockService(client.getMBeanServerConnection());
            int held = service.held();
            app.take("looked-at-again", 3);
            assertThat(service.held()).isEqualTo(held + 3);
            assertThat(service.nodes()).hasSize(3).containsValue("up");
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "server", matches = "liberty", disabledReason = "the others have their own pages")
    void pool_onOpenLiberty_isAsLargeAsItIsSaidToBe() throws Exception {
        app.take("pooled", 1);
        try (JMXConnector client = ServerJvm.connect()) {
            MBeanServerConnection beans = client.getMBeanServerConnection();
            Set<ObjectName> pools = beans.queryNames(new ObjectName(POOL), null);
            assertThat(pools).hasSize(1);
            ObjectName pool = pools.iterator().next();
            assertThat(beans.getAttribute(pool, "MaxSize")).isEqualTo(64L);
            assertThat((Long) beans.getAttribute(pool, "Size")).isPositive();
            assertThat(beans.getAttribute(pool, "Available")).isEqualTo(beans.getAttribute(pool, "Size"));
        }
    }
}
