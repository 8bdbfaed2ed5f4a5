// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Components that the server makes and CDI does not: where the annotation stands, the lock is held, or nothing is
 * deployed.
 */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(named = "server.page", matches = "(wildfly|payara).md", disabledReason = "not tried")
@Timeout(180)
class ComponentsIT {

    private static final String LOCKED = "components";

    private final ComponentsClient client = new ComponentsClient();

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = LOCKED, managed = false, testable = false)
    static EnterpriseArchive locked() throws Exception {
        WebArchive module = ShrinkWrap.create(WebArchive.class, "components.war")
                .addClasses(LockedWebComponents.class, RealNodes.class, RealNodes.Frozen.class)
                .addClasses(
                        LockedWebComponents.HeldFilter.class,
                        LockedWebComponents.HeldListener.class,
                        Handler.class,
                        GenericLockedEjb.class,
                        LockedWebComponents.HeldServlet.class,
                        LockedWebComponents.Rest.class,
                        LockedWebComponents.HeldResource.class,
                        LockedWebComponents.HeldEndpoint.class);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    @Test
    void components_withoutAScope_runUnderTheirLock() throws Exception {
        deployer.deploy(LOCKED);
        try {
            assertThat(client.get("/components") + client.get("/rest/held") + client.send("/held"))
                    .isEqualTo("servlet=true filter=true listener=true generic=true resource=true endpoint=true ");
        } finally {
            deployer.undeploy(LOCKED);
        }
    }
}
