// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
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
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The RAR alone, configured as on the server's page, with nodes that speak TLS only to clients that they know. */
@Tag("thorough")
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class TlsIT {

    private static final String ADAPTER = "adapter";
    private static final String APPLICATION = "application";

    /** The first handshake of a server loads classes: nodes may be suspected before one has come through. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final RealNodes nodes = new RealNodes();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = ADAPTER, managed = false, testable = false)
    static ResourceAdapterArchive adapter() {
        return ShrinkWrap.createFromZipFile(ResourceAdapterArchive.class, new File(System.getProperty("server.rar")));
    }

    @Deployment(name = APPLICATION, managed = false, testable = false)
    static WebArchive application() {
        WebArchive application =
                ShrinkWrap.create(WebArchive.class, "secure.war").addClass(DetachedServlet.class);
        ApplicationServer.current().grantAdapter(application);
        return References.addAlone(application, "holdfast");
    }

    @Test
    void lock_onNodesThatWantCertificates_isTakenAndReleasedOverTls() throws Exception {
        ApplicationServer.current().configureAlone("tls");
        deployer.deploy(ADAPTER);
        deployer.deploy(APPLICATION);
        await().atMost(PATIENCE).untilAsserted(this::take);
        assertThat(nodes.isHeld("secret")).isTrue();
        assertThat(SecureNodes.current().used()).isGreaterThanOrEqualTo(2);

        deployer.undeploy(APPLICATION);
        deployer.undeploy(ADAPTER);
        await().atMost(PATIENCE).until(() -> !nodes.isHeld("secret")); // a key outlives its lease
        ApplicationServer.current().forgetAlone();
    }

    private void take() throws Exception {
        URI uri = URI.create(RealServers.http() + "/secure/?factory=holdfast&lock=secret");
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(uri)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }
}
