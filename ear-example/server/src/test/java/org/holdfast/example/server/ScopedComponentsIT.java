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
 * Components that are beans: where the server intercepts what it makes, they run under their lock. With other scopes
 * than {@code @Dependent}, Payara refuses some of them itself.
 */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(
        named = "server.page",
        matches = "(wildfly|payara|openliberty).md",
        disabledReason = "not tried")
@Timeout(180)
class ScopedComponentsIT {

    private static final String SCOPED = "scoped";

    private final ComponentsClient client = new ComponentsClient();

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
                        ScopedWebComponents.ScopedEndpoint.class);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    @Test
    void components_withAScope_runUnderTheirLock() throws Exception {
        deployer.deploy(SCOPED);
        try {
            assertThat(client.get("/components") + client.send("/scoped"))
                    .isEqualTo("servlet=true filter=true listener=true endpoint=true ");
        } finally {
            deployer.undeploy(SCOPED);
        }
    }
}
