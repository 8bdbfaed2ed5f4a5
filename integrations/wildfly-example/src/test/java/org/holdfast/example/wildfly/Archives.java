// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jboss.shrinkwrap.api.Archive;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** The applications that tests deploy besides the one of this module. */
final class Archives {

    private static final Path PARTS = Path.of(System.getProperty("parts"));

    private Archives() {}

    static Path part(String file) {
        return PARTS.resolve(file);
    }

    /** That of this module. */
    static Path example() {
        return Path.of("target", "example.war");
    }

    /** The one of this module, under another name. */
    static WebArchive sales(String name) {
        return war(name).addClasses(Sales.class, SalesServlet.class);
    }

    /** Without any class. The libraries are those that Maven takes along for holdfast-cdi. */
    static WebArchive war(String name) {
        return ShrinkWrap.create(WebArchive.class, name)
                .addAsLibraries(
                        part("holdfast-cdi.jar").toFile(),
                        part("holdfast-api.jar").toFile());
    }

    /** Answers what tests ask inside the server. */
    static WebArchive probe(String name) {
        return war(name).addClasses(ProbeServlet.class, CommitWitness.class);
    }

    static WebArchive withStandalone() {
        return sales("standalone.war")
                .addClasses(OwnFactoryServlet.class)
                .addAsLibrary(part("holdfast-standalone.jar").toFile());
    }

    /** The server cannot tell that this one has the API. */
    static WebArchive withTheApiAmongItsClasses() {
        WebArchive war = ShrinkWrap.create(WebArchive.class, "classes.war")
                .addClasses(Sales.class, SalesServlet.class)
                .addAsLibrary(part("holdfast-cdi.jar").toFile());
        ShrinkWrap.createFromZipFile(JavaArchive.class, part("holdfast-api.jar").toFile())
                .getContent(path -> path.get().endsWith(".class"))
                .forEach((path, node) -> war.addAsWebInfResource(node.getAsset(), "classes" + path.get()));
        return war;
    }

    /** With an adapter, and the API in its lib. */
    static EnterpriseArchive withAnAdapter(String nodes) {
        ResourceAdapterArchive adapter = ShrinkWrap.createFromZipFile(
                        ResourceAdapterArchive.class, part("holdfast-ear.rar").toFile())
                .addAsManifestResource(
                        new StringAsset("""
                        <ironjacamar xmlns="http://www.jboss.org/ironjacamar/schema">
                          <config-property name="nodes">%s</config-property>
                          <config-property name="guard">DEVELOPMENT</config-property>
                          <transaction-support>NoTransaction</transaction-support>
                          <connection-definitions>
                            <connection-definition class-name="org.holdfast.connector.LockManagedConnectionFactory"
                                                   jndi-name="%s" pool-name="own"/>
                          </connection-definitions>
                        </ironjacamar>
                        """.formatted(nodes, OwnAdapterSales.FACTORY)), "ironjacamar.xml");
        WebArchive war = ShrinkWrap.create(WebArchive.class, "own.war")
                .addClasses(OwnAdapterSales.class, OwnAdapterServlet.class);
        return ShrinkWrap.create(EnterpriseArchive.class, "bringing.ear")
                .addAsLibraries(
                        part("holdfast-cdi.jar").toFile(),
                        part("holdfast-api.jar").toFile())
                .addAsModule(adapter)
                .addAsModule(war);
    }

    /** Writes the archive to a file of its name and returns that. */
    static Path write(Archive<?> archive) throws IOException {
        Path file = Files.createDirectories(Path.of("target", "archives")).resolve(archive.getName());
        archive.as(ZipExporter.class).exportTo(file.toFile(), true);
        return file;
    }
}
