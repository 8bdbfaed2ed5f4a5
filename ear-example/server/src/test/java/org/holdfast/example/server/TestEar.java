// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.jboss.shrinkwrap.api.ArchivePath;
import org.jboss.shrinkwrap.api.ArchivePaths;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** The EAR as it was built, with a web module more or another one. */
final class TestEar {

    /** To CDI 3 an empty one makes a bean of every class, those of the test libraries too. */
    private static final StringAsset BEANS = new StringAsset("""
            <beans xmlns="https://jakarta.ee/xml/ns/jakartaee" version="3.0" bean-discovery-mode="annotated"/>
            """);

    private static final ArchivePath SHOP = ArchivePaths.create("shop.war");

    private TestEar() {}

    /** Adds the module, at the context root that is its name. */
    static EnterpriseArchive with(WebArchive tests) throws IOException {
        String name = tests.getName();
        String module = "<module><web><web-uri>" + name + "</web-uri><context-root>/" + name.replace(".war", "")
                + "</context-root></web></module>";
        return change(
                RealServers.ear(),
                tests,
                xml -> xml.replaceFirst("</module>(?![\\s\\S]*</module>)", "</module>" + module));
    }

    /** Puts the module in the place of the shop, which takes longest to deploy. */
    static EnterpriseArchive withoutShop(WebArchive tests) throws IOException {
        EnterpriseArchive ear = RealServers.ear();
        ear.delete(SHOP);
        return change(ear, tests, xml -> xml.replace(SHOP.get().substring(1), tests.getName()));
    }

    private static EnterpriseArchive change(EnterpriseArchive ear, WebArchive tests, UnaryOperator<String> modules)
            throws IOException {
        try (InputStream in = ear.get(ArchivePaths.create("META-INF/application.xml"))
                .getAsset()
                .openStream()) {
            String descriptor = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return ear.addAsModule(tests.addAsWebInfResource(BEANS, "beans.xml"))
                    .setApplicationXML(new StringAsset(modules.apply(descriptor)));
        }
    }
}
