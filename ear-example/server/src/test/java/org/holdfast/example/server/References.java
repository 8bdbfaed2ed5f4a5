// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** Where a web module says what the server calls the factories that it needs. */
final class References {

    private static final String DESCRIPTOR = """
            <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="5.0">%s</web-app>
            """;

    private References() {}

    static WebArchive add(WebArchive module, String... factories) {
        return add(module, References::reference, factories);
    }

    /** The same for those of the adapter that stands alone. */
    static WebArchive addAlone(WebArchive module, String... factories) {
        ApplicationServer server = ApplicationServer.current();
        return add(
                module,
                factory -> reference(factory).replace(server.jndiName(factory), server.jndiNameAlone(factory)),
                factories);
    }

    /** Adds a reference that has the name of one factory, and leads to another. */
    static WebArchive addCrossed(WebArchive module, String name, String factory) {
        ApplicationServer server = ApplicationServer.current();
        return add(
                module,
                each -> reference(each)
                        .replace("<lookup-name>" + server.jndiName(each), "<lookup-name>" + server.jndiName(factory)),
                name);
    }

    private static WebArchive add(WebArchive module, UnaryOperator<String> reference, String... factories) {
        String references = Arrays.stream(factories).map(reference).collect(Collectors.joining());
        return module.setWebXML(new StringAsset(DESCRIPTOR.formatted(references)));
    }

    /** Returns what the server's page says of the factory called holdfast, with another in its place. */
    static String reference(String factory) {
        Page page = new Page(System.getProperty("server.page"));
        return page.text("<resource-ref>").replace("/holdfast", "/" + factory);
    }

    /** Puts this server's name in the place of WildFly's. */
    static WebArchive adapt(WebArchive module) {
        try (InputStream in = module.get("WEB-INF/web.xml").getAsset().openStream()) {
            String descriptor = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            String ours = ApplicationServer.current().jndiName("holdfast");
            return module.setWebXML(new StringAsset(
                    descriptor.replace("<lookup-name>java:/eis/holdfast<", "<lookup-name>" + ours + "<")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
