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

    private static final String REFERENCE = """
              <resource-ref>
                <res-ref-name>eis/%1$s</res-ref-name>
                <res-type>org.holdfast.LockConnectionFactory</res-type>
                <res-auth>Container</res-auth>
                <lookup-name>%2$s</lookup-name>
              </resource-ref>
            """;

    private References() {}

    static WebArchive add(WebArchive module, String... factories) {
        return add(module, ApplicationServer.current()::jndiName, factories);
    }

    /** The same for those of the adapter that stands alone. */
    static WebArchive addAlone(WebArchive module, String... factories) {
        return add(module, ApplicationServer.current()::jndiNameAlone, factories);
    }

    private static WebArchive add(WebArchive module, UnaryOperator<String> jndiName, String... factories) {
        String references = Arrays.stream(factories)
                .map(factory -> REFERENCE.formatted(factory, jndiName.apply(factory)))
                .collect(Collectors.joining());
        return module.setWebXML(new StringAsset(DESCRIPTOR.formatted(references)));
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
