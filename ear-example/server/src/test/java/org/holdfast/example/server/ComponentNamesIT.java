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

/** Each EJB of an EJB JAR has the factory that it names itself, and no other: two components may name two. */
@ExtendWith(ArquillianExtension.class)
@Timeout(180)
class ComponentNamesIT {

    private static final String COMPONENTS = "components";

    private static final String TEXT = """
            <env-entry>
              <env-entry-name>eis/holdfast</env-entry-name>
              <env-entry-type>java.lang.String</env-entry-type>
              <env-entry-value>no factory</env-entry-value>
            </env-entry>
            """;

    private final ComponentNamesApp app = new ComponentNamesApp();

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = COMPONENTS, managed = false, testable = false)
    static EnterpriseArchive components() throws IOException {
        return ComponentNamesApp.ear(Map.of(
                ReferringEjb.class, References.reference("holdfast"), MistakenEjb.class, TEXT, SilentEjb.class, ""));
    }

    @Test
    void ejb_ofAnEjbJar_hasTheFactoryThatItNamesItself_atEachCall() throws Exception {
        deployer.deploy(COMPONENTS);
        try {
            for (int round = 0; round < 2; round++) {
                assertThat(app.call(ReferringEjb.class)).isEqualTo(ComponentNamesApp.RAN);
                assertThat(app.call(MistakenEjb.class)).contains("HF0505", "'java:comp/env/eis/holdfast': bound to a");
                assertThat(app.call(SilentEjb.class)).isEqualTo(ComponentNamesApp.RAN);
            }
        } finally {
            deployer.undeploy(COMPONENTS);
        }
    }
}
