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

/** An EJB that other servers intercept and this one does not: it was seen to run without its lock. */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "others intercept them: ComponentsIT")
@Timeout(180)
class RefusedEjbOnTomEEIT {

    private static final String GENERIC = "generic";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = GENERIC, managed = false, testable = false)
    static EnterpriseArchive generic() throws Exception {
        WebArchive module = ShrinkWrap.create(WebArchive.class, "generic.war")
                .addClasses(GenericLockedEjb.class, Handler.class, RealNodes.class, RealNodes.Frozen.class);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    private String refusal(String application) {
        return ApplicationServer.refusal(() -> deployer.deploy(application), () -> deployer.undeploy(application));
    }

    @Test
    void ejb_behindAViewWithTypeVariables_isNotDeployed() {
        assertThat(refusal(GENERIC)).contains("errors that are added by AfterDeploymentValidation");
    }
}
