// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.inject.spi.Extension;
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
import org.jboss.shrinkwrap.api.Archive;
import org.jboss.shrinkwrap.api.ArchivePath;
import org.jboss.shrinkwrap.api.Filters;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** A web module without a resource adapter: its locks end with the server's transactions all the same. */
@ExtendWith(ArquillianExtension.class)
@DisabledIfSystemProperty(
        named = "server",
        matches = "tomee",
        disabledReason =
                "the beans of tests have our package, which our libraries keep from being scanned, there for all of a module")
@Timeout(180)
class PlainWarIT {

    /** Less than the TTL of the module's leases: what is free by then was released. */
    private static final Duration SOON = Duration.ofSeconds(3);

    private static final StringAsset BEANS = new StringAsset("""
            <beans xmlns="https://jakarta.ee/xml/ns/jakartaee" version="3.0" bean-discovery-mode="annotated"/>
            """);

    private final RealNodes nodes = new RealNodes(PlainServlet.NAME);
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = PlainServlet.NAME, managed = false, testable = false)
    static WebArchive module() {
        WebArchive module = ShrinkWrap.create(WebArchive.class, PlainServlet.NAME + ".war")
                .addClasses(PlainServlet.class, PlainServlet.Locks.class, PlainServlet.Service.class)
                .addClasses(RealNodes.class, RealNodes.Frozen.class, Ledger.class, Work.class)
                .addClasses(CompletionWitness.class, TransactionManagers.class)
                .addAsWebInfResource(BEANS, "beans.xml");
        addOurs(module);
        return module;
    }

    private static void addOurs(WebArchive module) {
        addLibraries(module, RealServers.ear(), "/lib/.*\\.jar");
        addLibraries(
                module,
                ShrinkWrap.createFromZipFile(ResourceAdapterArchive.class, new File(System.getProperty("server.rar"))),
                "/(?!holdfast-api).*\\.jar"); // what Maven has for holdfast-core
    }

    private static void addLibraries(WebArchive module, Archive<?> from, String pattern) {
        for (ArchivePath jar : from.getContent(Filters.include(pattern)).keySet()) {
            module.addAsLibrary(
                    from.get(jar).getAsset(), jar.get().substring(jar.get().lastIndexOf('/') + 1));
        }
    }

    @Deployment(name = SettingsServlet.NAME, managed = false, testable = false)
    static WebArchive moduleWithSettings() {
        WebArchive module = ShrinkWrap.create(WebArchive.class, SettingsServlet.NAME + ".war")
                .addClasses(SettingsServlet.class, SettingsServlet.Service.class, SettingsServlet.Operator.class)
                .addClasses(RealNodes.class, RealNodes.Frozen.class)
                .addAsServiceProvider(Extension.class, SettingsServlet.Operator.class)
                .addAsWebInfResource(BEANS, "beans.xml");
        addOurs(module);
        return module;
    }

    private String work(String query) throws Exception {
        return post(PlainServlet.NAME, query);
    }

    private String post(String module, String query) throws Exception {
        URI uri = URI.create(RealServers.http() + "/" + module + "/?" + query);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .POST(HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(60))
                .build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        return response.statusCode() == 200 ? response.body() : response.statusCode() + ": " + response.body();
    }

    @Test
    void lock_ofALockedTransactionalMethod_isHeldUntilTheCommitAndReleased_orNothingIsCommitted() throws Exception {
        deployer.deploy(PlainServlet.NAME);
        try {
            assertThat(work("lock=committed")).isEqualTo("returned, [committed, held], written: true");
            await().atMost(SOON).until(() -> nodes.isFree("committed"));

            assertThat(work("forced=true&lock=forced"))
                    .isEqualTo("LeaseLostException, [rolled back, free], written: false");
        } finally {
            deployer.undeploy(PlainServlet.NAME);
        }
    }

    @Test
    void locked_withoutAdapterAndWithoutProducer_locksAtTheNodesOfTheSettings() throws Exception {
        deployer.deploy(SettingsServlet.NAME);
        try {
            assertThat(post(SettingsServlet.NAME, "lock=set")).isEqualTo("true");
            await().atMost(SOON).until(() -> new RealNodes(SettingsServlet.NAME).isFree("set"));
        } finally {
            deployer.undeploy(SettingsServlet.NAME);
        }
    }
}
