// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.as.arquillian.container.ManagementClient;
import org.jboss.dmr.ModelNode;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A server that an operator suspends takes no requests and runs no managed tasks, but what it holds it holds. */
@Tag("thorough")
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class SuspendIT {

    /** The adapter's ttlMillis, and a second to tell the difference. */
    private static final Duration LONGER_THAN_THE_TTL = Duration.ofSeconds(6);

    private final RealNodes nodes = new RealNodes();
    private final HoldingApp app = new HoldingApp();

    @ArquillianResource
    private ManagementClient management;

    @Deployment(testable = false)
    static EnterpriseArchive holding() throws Exception {
        return HoldingApp.ear();
    }

    @Test
    void lease_heldWhileTheServerIsSuspended_isRenewed() throws Exception {
        long token = app.take("suspended-server", 1);
        operate("suspend");
        try {
            await().during(LONGER_THAN_THE_TTL)
                    .atMost(LONGER_THAN_THE_TTL.multipliedBy(2))
                    .until(() -> nodes.isHeld("suspended-server"));
        } finally {
            operate("resume");
        }
        assertThat(app.hasAll()).isTrue();
        assertThat(nodes.token("suspended-server")).isEqualTo(token);
    }

    private void operate(String operation) throws IOException {
        ModelNode request = new ModelNode();
        request.get("operation").set(operation);
        assertThat(management
                        .getControllerClient()
                        .execute(request)
                        .get("outcome")
                        .asString())
                .isEqualTo("success");
    }
}
