// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An EAR with a resource adapter, and with the jar that takes a factory from settings, which the operator has set.
 * Which of the two factories would be found first differs by server.
 */
@ExtendWith(ArquillianExtension.class)
@Timeout(240)
class StandaloneBesideAdapterIT {

    private static final String EAR = "standalone-beside-adapter";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = EAR, managed = false, testable = false)
    static EnterpriseArchive ear() throws IOException {
        return SettingsBesideAdapterIT.besideTheAdapter()
                .addAsLibrary(new File(System.getProperty("server.standalone")));
    }

    @Test
    void locked_thatCouldLockByAnAdapterAndBySettings_isRefused() {
        assertThat(ApplicationServer.refusal(() -> deployer.deploy(EAR), () -> deployer.undeploy(EAR)))
                .contains("HF0515", "holdfast.nodes", "Take holdfast-standalone out of the application");
    }
}
