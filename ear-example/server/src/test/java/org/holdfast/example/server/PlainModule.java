// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.inject.spi.Extension;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jboss.shrinkwrap.api.Archive;
import org.jboss.shrinkwrap.api.ArchivePath;
import org.jboss.shrinkwrap.api.Filters;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** A web module that brings Holdfast with it, seen from outside. */
final class PlainModule {

    private static final StringAsset BEANS = new StringAsset("""
            <beans xmlns="https://jakarta.ee/xml/ns/jakartaee" version="3.0" bean-discovery-mode="annotated"/>
            """);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String path;

    PlainModule(String name) {
        this.path = "/" + name + "/";
    }

    /** One in the place of the shop, in an EAR. */
    PlainModule() {
        this.path = "/";
    }

    /** Returns a module with Holdfast in it, and nothing else. */
    static WebArchive archive(String name) {
        WebArchive module = ShrinkWrap.create(WebArchive.class, name + ".war")
                .addClasses(RealNodes.class, RealNodes.Frozen.class)
                .addAsWebInfResource(BEANS, "beans.xml");
        addLibraries(module, RealServers.ear(), "/lib/.*\\.jar");
        addLibraries(
                module,
                ShrinkWrap.createFromZipFile(ResourceAdapterArchive.class, new File(System.getProperty("server.rar"))),
                "/slf4j-api.*\\.jar"); // what holdfast-standalone depends on
        return module.addAsLibrary(new File(System.getProperty("server.standalone")));
    }

    /** As {@link #archive(String)}, with an extension that sets system properties, as an operator would. */
    static WebArchive archive(String name, Class<? extends Extension> operator) {
        return archive(name)
                .addClasses(operator, OperatorsSettings.class)
                .addAsServiceProvider(Extension.class, operator);
    }

    private static void addLibraries(WebArchive module, Archive<?> from, String pattern) {
        for (ArchivePath jar : from.getContent(Filters.include(pattern)).keySet()) {
            module.addAsLibrary(
                    from.get(jar).getAsset(), jar.get().substring(jar.get().lastIndexOf('/') + 1));
        }
    }

    /** Returns the answer, with the status before it if it is none of success. */
    String post(String query) throws IOException, InterruptedException {
        URI uri = URI.create(RealServers.http() + path + "?" + query);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .POST(HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(60))
                .build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        return response.statusCode() == 200 ? response.body() : response.statusCode() + ": " + response.body();
    }
}
