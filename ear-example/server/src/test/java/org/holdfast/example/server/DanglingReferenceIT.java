// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A reference to a factory that is not there. The server's factory is there, and is not the one that is meant. */
@ExtendWith(ArquillianExtension.class)
@Timeout(180)
class DanglingReferenceIT {

    private static final String DANGLING = "dangling";

    private final ComponentNamesApp app = new ComponentNamesApp();

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = DANGLING, managed = false, testable = false)
    static EnterpriseArchive dangling() throws IOException {
        String name = ApplicationServer.current().jndiName("holdfast");
        String reference = References.reference("holdfast")
                .replace("<lookup-name>" + name, "<lookup-name>" + name.replace("holdfast", "gone"));
        assertThat(reference).contains("gone");
        return ComponentNamesApp.ear(Map.of(ReferringEjb.class, reference, SilentEjb.class, ""));
    }

    /** Some servers do not deploy it. */
    @Test
    void ejb_whoseReferenceLeadsToNothing_doesNotRun() throws Exception {
        String refusal = "";
        try {
            deployer.deploy(DANGLING);
        } catch (Exception e) { // Arquillian throws what the server's container throws
            refusal = e.toString();
        }
        try {
            if (refusal.isEmpty()) {
                assertThat(app.call(ReferringEjb.class)).contains("HF0505", "'java:comp/env/eis/holdfast': ");
                assertThat(app.call(SilentEjb.class)).isEqualTo(ComponentNamesApp.RAN);
            } else {
                assertThat(refusal).contains("gone");
            }
        } finally {
            undeploy(!refusal.isEmpty());
        }
    }

    private void undeploy(boolean mayBeGone) {
        try {
            deployer.undeploy(DANGLING);
        } catch (Exception e) { // Arquillian throws what the server's container throws
            assertThat(mayBeGone).as(e.toString()).isTrue();
        }
    }
}
