// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
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

/** A message-driven bean, on servers that have a message broker without configuration. */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(named = "server", matches = "glassfish")
@Timeout(180)
class MessageDrivenIT {

    private static final String EAR = "messages";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = EAR, managed = false, testable = false)
    static EnterpriseArchive messages() throws Exception {
        WebArchive module = ShrinkWrap.create(WebArchive.class, "messages.war")
                .addClasses(LockedMessageDriven.class, SendingServlet.class)
                .addClasses(RealNodes.class, RealNodes.Frozen.class);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    @Test
    void message_isReceivedUnderTheLock() throws Exception {
        deployer.deploy(EAR);
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(RealServers.http() + "/message"))
                    .timeout(Duration.ofSeconds(60))
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(request, HttpResponse.BodyHandlers.ofString())
                            .body())
                    .isEqualTo("message=true");
        } finally {
            deployer.undeploy(EAR);
        }
    }
}
