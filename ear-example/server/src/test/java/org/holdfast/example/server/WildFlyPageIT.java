// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The commands of {@code docs/servers/wildfly.md}, as they are there. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class WildFlyPageIT {

    private static final String EAR = "two factories";
    private static final Path SCRIPT = Path.of("src/main/server/holdfast.cli");

    private final Page page = new Page("wildfly.md");
    private final RealNodes nodesOfJobs = new RealNodes("jobs");

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = EAR, managed = false, testable = false)
    static EnterpriseArchive twoFactories() throws IOException {
        WebArchive module = ShrinkWrap.create(WebArchive.class, "two.war").addClass(DetachedServlet.class);
        return TestEar.withoutShop(References.add(module, "holdfast", "jobs"));
    }

    @Test
    void commands_forAnEar_areThoseThatTheServerWasMadeWith() throws IOException {
        assertThat(Files.readAllLines(SCRIPT)).containsAll(page.lines("ear")).containsAll(page.lines("connections"));
    }

    @Test
    void commands_forASecondFactory_bindOneWithAPrefixOfItsOwn() throws Exception {
        JBossCli.run(page.lines("jobs"));
        try {
            deployer.deploy(EAR);
            takeFromJobs("second");
            assertThat(nodesOfJobs.isHeld("second")).isTrue();
            deployer.undeploy(EAR);
        } finally {
            JBossCli.run(List.of(
                    "/subsystem=resource-adapters/resource-adapter=holdfast/connection-definitions=jobs:remove"));
        }
    }

    private static void takeFromJobs(String lock) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(RealServers.http() + "/?factory=jobs&lock=" + lock))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }
}
