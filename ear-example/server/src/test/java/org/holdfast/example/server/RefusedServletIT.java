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

/** The same with the extension in the EAR's {@code lib}. */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(named = "server.page", matches = "(wildfly|payara|tomee).md", disabledReason = "not tried")
@Timeout(180)
class RefusedServletIT {

    private static final String GETTING = "getting";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = GETTING, managed = false, testable = false)
    static EnterpriseArchive getting() throws Exception {
        WebArchive module = ShrinkWrap.create(WebArchive.class, "getting.war")
                .addClasses(RealNodes.class, RealNodes.Frozen.class)
                .addClass(GettingServlet.class);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    @Test
    void servlet_whoseDoGetIsLocked_isNotDeployed() {
        String refusal = ApplicationServer.refusal(() -> deployer.deploy(GETTING), () -> deployer.undeploy(GETTING));
        assertThat(refusal).contains("GettingServlet would run [doGet] without its lock");
    }
}
