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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the pages of Payara and GlassFish say under Passwords. The RAR stands alone. */
@EnabledIfSystemProperty(named = "server", matches = "glassfish", disabledReason = "there is no asadmin")
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class PasswordAliasIT {

    private static final String ADAPTER = "adapter";
    private static final String APPLICATION = "application";
    private static final String BLOCK = "passwords";

    /** A node that was never used grants nothing until the longest TTL is over. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path directory = Path.of("target", BLOCK).toAbsolutePath();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private NodesWithPasswords nodes;

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = ADAPTER, managed = false, testable = false)
    static ResourceAdapterArchive adapter() {
        return ShrinkWrap.createFromZipFile(ResourceAdapterArchive.class, new File(System.getProperty("server.rar")));
    }

    @Deployment(name = APPLICATION, managed = false, testable = false)
    static WebArchive application() {
        return References.addAlone(
                ShrinkWrap.create(WebArchive.class, "aliased.war").addClass(DetachedServlet.class), "holdfast");
    }

    @Test
    void commands_forPasswords_keepThemOutOfTheConfiguration() throws Exception {
        GlassFish server = (GlassFish) ApplicationServer.current();
        nodes = new NodesWithPasswords(directory);
        Path alias = Files.writeString(
                directory.resolve("alias"), "AS_ADMIN_ALIASPASSWORD=" + NodesWithPasswords.PASSWORD + "\n");
        String uris = "nodes=" + nodes.uris().replace(":", "\\:");
        server.configureAlone(BLOCK, text -> text.replace("/etc/holdfast/alias", alias.toString())
                .replaceFirst("nodes=.*?(?=:password)", Matcher.quoteReplacement(uris)));
        deployer.deploy(ADAPTER);
        deployer.deploy(APPLICATION);
        await().atMost(PATIENCE).until(() -> take() == 200);
        await().atMost(PATIENCE).until(() -> nodes.areHeld("aliased")); // on all: some are healed by a renewal

        assertThat(server.manage("get resources.resource-adapter-config.holdfast.property.password"))
                .contains("${ALIAS=holdfast-password}")
                .doesNotContain(NodesWithPasswords.SECRETS);
        assertThat(server.configuration())
                .content()
                .contains("${ALIAS=holdfast-password}")
                .doesNotContain(NodesWithPasswords.SECRETS);
    }

    /** Takes away what a failed test has left too: the next test uses the same names. */
    @AfterEach
    void clear() throws IOException {
        try {
            deployer.undeploy(APPLICATION);
            deployer.undeploy(ADAPTER);
        } finally {
            ApplicationServer.current().forgetAlone();
            nodes.close(); // after the adapter, which releases its locks there
        }
    }

    private int take() throws Exception {
        URI uri = URI.create(RealServers.http() + "/aliased/?factory=holdfast&lock=aliased");
        return http.send(
                        HttpRequest.newBuilder(uri)
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }
}
