// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** Components in a jar of a web module: this server intercepts none of them, and shows none for their methods. */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "others intercept them: ComponentsIT")
@Timeout(180)
class RefusedLibraryOnTomEEIT {

    private static final String COMPONENTS = "components";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = COMPONENTS, managed = false, testable = false)
    static EnterpriseArchive components() throws Exception {
        JavaArchive library = ShrinkWrap.create(JavaArchive.class, "components.jar")
                .addClasses(LockedWebComponents.class, RealNodes.class, RealNodes.Frozen.class)
                .addClasses(
                        LockedWebComponents.HeldFilter.class,
                        LockedWebComponents.HeldListener.class,
                        Handler.class,
                        UnlockedEjb.class,
                        LockedWebComponents.HeldServlet.class,
                        LockedWebComponents.Rest.class,
                        LockedWebComponents.HeldResource.class,
                        LockedWebComponents.HeldEndpoint.class);
        WebArchive module = ShrinkWrap.create(WebArchive.class, "library.war").addAsLibrary(library);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    private String refusal(String application) {
        return ApplicationServer.refusal(() -> deployer.deploy(application), () -> deployer.undeploy(application));
    }

    @Test
    void components_ofALibraryWithoutAScope_areNotDeployed() {
        assertThat(refusal(COMPONENTS))
                .contains("HF0510")
                .contains("HeldFilter would run", "HeldListener would run", "HeldServlet would run")
                .contains("HeldResource would run", "HeldEndpoint would run");
    }
}
