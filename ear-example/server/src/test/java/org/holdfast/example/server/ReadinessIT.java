// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.holdfast.testkit.RedisServer;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** The server's own readiness, as a probe asks for it, of a web module that brings Holdfast and its check. */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(
        named = "server.page",
        matches = "(wildfly|payara)\\.md",
        disabledReason = "it has no MicroProfile Health, or not in this configuration")
@Timeout(180)
class ReadinessIT {

    private static final String NAME = SettingsServlet.NAME;

    /** A probe must have its answer soon, whatever the nodes do. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = NAME, managed = false, testable = false)
    static WebArchive module() {
        return PlainModule.archive(NAME, SettingsServlet.Operator.class)
                .addClasses(SettingsServlet.class, SettingsServlet.Service.class)
                .addAsLibrary(new File(System.getProperty("server.microprofile")));
    }

    private static URI address() {
        String where = System.getProperty("server").equals("wildfly")
                ? "http://localhost:" + System.getProperty("management.port")
                : RealServers.http();
        return URI.create(where + "/health/ready");
    }

    /** Returns the status and the answer, without the spaces that one server writes. */
    private String probe() throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(address()).GET().timeout(PATIENCE).build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body().replaceAll("\\s", "");
    }

    private void awaitProbe(String status, int votes) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(probe())
                .startsWith(status)
                .contains("\"name\":\"holdfast\"")
                .satisfies(answer -> assertThat(answer.split("\"votes\"", -1)).hasSize(votes + 1)));
    }

    @Test
    void readiness_ofTheServer_isUpWhileAMajorityOfTheNodesVotes() {
        RedisServer first = RealServers.redis().get(0);
        RedisServer second = RealServers.redis().get(1);
        deployer.deploy(NAME);
        try {
            awaitProbe("200", 3);
            first.freeze();
            awaitProbe("200", 2);
            second.freeze();
            awaitProbe("503", 1);
            second.thaw();
            awaitProbe("200", 2);
        } finally {
            first.thaw();
            second.thaw();
            deployer.undeploy(NAME);
        }
    }
}
