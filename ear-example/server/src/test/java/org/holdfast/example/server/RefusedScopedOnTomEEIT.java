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

/** Components with a scope that other servers intercept, and this one does not: it makes the instances itself. */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "others intercept them")
@Timeout(180)
class RefusedScopedOnTomEEIT {

    private static final String SCOPED = "scoped";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = SCOPED, managed = false, testable = false)
    static EnterpriseArchive scoped() throws Exception {
        WebArchive module = ShrinkWrap.create(WebArchive.class, "scoped.war")
                .addClasses(ScopedWebComponents.class, RealNodes.class, RealNodes.Frozen.class)
                .addClasses(
                        ScopedWebComponents.Serving.class,
                        ScopedWebComponents.ScopedServlet.class,
                        ScopedWebComponents.ScopedFilter.class,
                        ScopedWebComponents.ScopedListener.class,
                        ScopedWebComponents.ScopedEndpoint.class,
                        EjbEndpoint.class);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    private String refusal(String application) {
        return ApplicationServer.refusal(() -> deployer.deploy(application), () -> deployer.undeploy(application));
    }

    @Test
    void components_withAScope_areNotDeployed() {
        assertThat(refusal(SCOPED))
                .contains("HF0510", "Move the method to a bean")
                .contains("ScopedServlet would run", "ScopedFilter would run", "ScopedListener would run")
                .contains("ScopedEndpoint would run", "EjbEndpoint would run");
    }
}
