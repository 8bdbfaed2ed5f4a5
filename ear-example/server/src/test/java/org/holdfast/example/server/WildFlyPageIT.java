// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.dmr.ModelNode;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** The commands of {@code docs/servers/wildfly.md}, as they are there. */
@Tag("thorough")
@EnabledIfSystemProperty(named = "server", matches = "wildfly", disabledReason = "there is no jboss-cli")
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class WildFlyPageIT {

    private static final String EAR = "two factories";
    private static final String ADAPTER = "/subsystem=resource-adapters/resource-adapter=holdfast";
    private static final Path SCRIPT = Path.of("src/main/server/holdfast.cli");

    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final Path CONFIGURATION =
            Path.of(System.getProperty("server.home"), "standalone", "configuration", "standalone.xml");

    /** A node that was never used grants nothing until the longest TTL is over. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Page page = new Page("wildfly.md");
    private final WildFlyServer server = (WildFlyServer) ApplicationServer.current();
    private final RealNodes nodes = new RealNodes();
    private final RealNodes nodesOfJobs = new RealNodes("jobs");
    private final HttpClient http = HttpClient.newHttpClient();

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
        server.run("jobs");
        try {
            deployer.deploy(EAR);
            assertThat(post("/?factory=jobs&lock=second")).isEqualTo(200);
            assertThat(nodesOfJobs.isHeld("second")).isTrue();
            deployer.undeploy(EAR);
        } finally {
            JBossCli.run(List.of(ADAPTER + "/connection-definitions=jobs:remove"));
        }
    }

    @Test
    void commands_forAnEar_deployTheOneThatWasBuiltAndTakeItAway() throws Exception {
        server.deploy("ear-deploy", Path.of(System.getProperty("server.ear")));
        assertThat(post("/shop/stock/lamp?quantity=1")).isEqualTo(200);
        assertThat(post("/shop/orders?sku=lamp")).isEqualTo(201);

        server.run("ear-gone");
        assertThat(post("/shop/orders?sku=lamp")).isEqualTo(404);
    }

    /** Twice: nothing is left of the first time that the second one trips over. */
    @RepeatedTest(2)
    void commands_forTheAdapterAlone_deployItWithAnApplication_andTakeAllOfItAway() throws Exception {
        Path application = orders("holdfast", "jobs");
        server.run("alone");
        try {
            useAlone(application);
        } catch (Throwable e) {
            undo(e, "application-gone", "alone-gone", "settings-gone");
            throw e;
        }
        server.run("settings-gone");
        assertThat(JBossCli.run(List.of("/:read-attribute(name=server-state)")))
                .as("no reload is due")
                .containsExactly(new ModelNode("running"));
    }

    private void useAlone(Path application) throws Exception {
        server.deploy("alone-deploy", Path.of(System.getProperty("server.rar")));
        server.deploy("application", application);
        assertThat(post("/orders/?factory=holdfast&lock=alone")).isEqualTo(200);
        assertThat(post("/orders/?factory=jobs&lock=alone")).isEqualTo(200);
        long token = nodes.token("alone");
        long tokenOfJobs = nodesOfJobs.token("alone");
        assertThat(nodes.isHeld("alone") && nodesOfJobs.isHeld("alone")).isTrue();

        server.run("application-gone");
        assertThat(post("/orders/?factory=holdfast&lock=alone")).isEqualTo(404);
        assertThat(nodes.isHeld("alone") && nodesOfJobs.isHeld("alone")).isTrue();
        server.run("alone-gone");
        assertThat(nodes.isReleased("alone", token) || nodesOfJobs.isReleased("alone", tokenOfJobs))
                .as("nobody has given them back: they must expire")
                .isFalse();
        await().atMost(PATIENCE) // keys outlive their leases by the longest TTL and more
                .until(() -> nodes.isFree("alone") && nodesOfJobs.isFree("alone"));
    }

    @Test
    void commands_forThePool_makeItLargerAndTellWhatItIsUsedFor() throws Exception {
        server.deploy("ear-deploy", Path.of(System.getProperty("server.ear")));
        try {
            server.run("pool");
            assertThat(post("/shop/stock/lamp?quantity=1")).isEqualTo(200);
            assertThat(post("/shop/orders?sku=lamp")).isEqualTo(201);

            List<ModelNode> answers = server.run("pool-statistics");
            assertThat(answers.get(0).get(0).asBoolean()).isTrue();
            ModelNode pool = answers.get(1);
            assertThat(pool.get("InUseCount").asInt()).isZero();
            assertThat(pool.get("AvailableCount").asInt()).isEqualTo(128);
            assertThat(pool.get("MaxUsedCount").asInt()).isPositive();
        } finally {
            server.run("ear-gone");
            JBossCli.run(List.of(
                    ADAPTER + "/connection-definitions=holdfast:write-attribute(name=max-pool-size, value=64)",
                    ADAPTER + ":undefine-attribute(name=statistics-enabled)",
                    "reload"));
        }
    }

    @Test
    void commands_forPasswords_keepThemOutOfTheConfigurationAndTheModel() throws Exception {
        Path application = orders("holdfast");
        try (NodesWithPasswords withPasswords = new NodesWithPasswords(TARGET.resolve("passwords"))) {
            server.run("encryption");
            String expression = JBossCli.run(changed("encrypt", "changeit", NodesWithPasswords.PASSWORD))
                    .get(0)
                    .get("expression")
                    .asString();
            JBossCli.run(changed("passwords", "\\$\\{ENC::.*?}", expression).stream()
                    .map(line -> line.replace(System.getProperty("holdfast.nodes"), withPasswords.uris()))
                    .toList());
            try {
                server.deploy("alone-deploy", Path.of(System.getProperty("server.rar")));
                server.deploy("application", application);
                await().atMost(PATIENCE).until(() -> post("/orders/?factory=holdfast&lock=secret") == 200);
                await().atMost(PATIENCE)
                        .until(() -> withPasswords.areHeld("secret")); // the last is healed by a renewal
                assertModelHides(expression, withPasswords.uris());
            } catch (Throwable e) {
                undo(e, "application-gone", "alone-gone", "settings-gone");
                throw e;
            }
            server.run("application-gone");
            server.run("alone-gone");
            server.run("settings-gone");
        }
    }

    private void assertModelHides(String expression, String uris) {
        String read = "(recursive=true, include-runtime=true, resolve-expressions=true)";
        assertThat(JBossCli.run(List.of(
                                "/subsystem=resource-adapters:read-resource" + read,
                                "/deployment=holdfast.rar:read-resource" + read))
                        .toString())
                .contains(expression, uris)
                .doesNotContain(NodesWithPasswords.SECRETS);
        assertThat(CONFIGURATION).content().contains(expression).doesNotContain(NodesWithPasswords.SECRETS);
    }

    /** Takes away what a failed test leaves, so that it alone fails: the next tests deploy the same files. */
    private void undo(Throwable failure, String... blocks) {
        for (String block : blocks) {
            try {
                server.run(block);
            } catch (IllegalStateException e) {
                failure.addSuppressed(e); // the test failed before it came to this
            }
        }
    }

    private List<String> changed(String block, String pattern, String replacement) {
        return page.lines(block).stream()
                .map(line -> line.replaceAll(pattern, Matcher.quoteReplacement(replacement)))
                .toList();
    }

    private Path orders(String... factories) throws IOException {
        WebArchive orders = ShrinkWrap.create(WebArchive.class, "orders.war").addClass(DetachedServlet.class);
        server.grantAdapter(orders);
        Path file = Files.createDirectories(Path.of("target", "deployments").toAbsolutePath())
                .resolve(orders.getName());
        References.addAlone(orders, factories).as(ZipExporter.class).exportTo(file.toFile(), true);
        return file;
    }

    private int post(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(RealServers.http() + path))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    }
}
