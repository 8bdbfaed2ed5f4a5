// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jboss.galleon.universe.maven.repo.SimplisticMavenRepoManager;
import org.jboss.shrinkwrap.api.Archive;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wildfly.glow.Arguments;
import org.wildfly.glow.GlowMessageWriter;
import org.wildfly.glow.GlowSession;
import org.wildfly.glow.Layer;
import org.wildfly.glow.ScanResults;

/** The rules by which WildFly Glow finds that an application needs the layer. */
class GlowRuleIT {

    private static final String VERSION = System.getProperty("project.version");

    @TempDir
    private Path directory;

    /** Returns the names of the layers for an application, of WildFly and of the feature pack. */
    private Set<String> layers(Archive<?> application) throws Exception {
        Path provisioning = directory.resolve("provisioning.xml");
        Files.writeString(provisioning, """
                <installation xmlns="urn:jboss:galleon:provisioning:3.0">
                  <feature-pack location="org.wildfly:wildfly-ee-galleon-pack:%s"/>
                  <feature-pack location="org.holdfast:holdfast-wildfly-feature-pack:%s"/>
                </installation>
                """.formatted(System.getProperty("version.wildfly"), VERSION));
        try (ScanResults results = GlowSession.scan(
                repository(),
                Arguments.scanBuilder()
                        .setBinaries(List.of(Archives.write(application)))
                        .setProvisoningXML(provisioning)
                        .build(),
                GlowMessageWriter.DEFAULT)) {
            return results.getDiscoveredLayers().stream().map(Layer::getName).collect(Collectors.toSet());
        }
    }

    /** The one of Maven, and before it one with the feature pack, which is not installed. */
    private SimplisticMavenRepoManager repository() throws Exception {
        String artifact = "holdfast-wildfly-feature-pack";
        Path pack = directory.resolve("repository/org/holdfast/" + artifact + "/" + VERSION);
        if (!Files.exists(pack)) {
            Files.createDirectories(pack);
            Files.copy(Archives.part("feature-pack.zip"), pack.resolve(artifact + "-" + VERSION + ".zip"));
        }
        return SimplisticMavenRepoManager.getInstance(
                directory.resolve("repository"),
                SimplisticMavenRepoManager.getInstance(Path.of(System.getProperty("maven.repository"))));
    }

    @Test
    void war_withALockedMethod_needsTheLayer() throws Exception {
        WebArchive war = ShrinkWrap.create(WebArchive.class, "locked.war").addClasses(Sales.class);
        assertThat(layers(war)).contains("holdfast");
    }

    @Test
    void war_withTheLibrary_needsTheLayer() throws Exception {
        assertThat(layers(Archives.war("library.war"))).contains("holdfast");
    }

    @Test
    void war_withAResourceThatIsTheFactory_needsTheLayer() throws Exception {
        WebArchive war = ShrinkWrap.create(WebArchive.class, "resource.war").addClasses(ProbeServlet.class);
        assertThat(layers(war)).contains("holdfast");
    }

    @Test
    void war_withAReferenceToTheFactory_needsTheLayer() throws Exception {
        WebArchive war = ShrinkWrap.create(WebArchive.class, "reference.war")
                .addAsWebInfResource(new StringAsset("""
                        <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
                          <resource-ref>
                            <res-ref-name>eis/holdfast</res-ref-name>
                            <res-type>org.holdfast.LockConnectionFactory</res-type>
                            <lookup-name>java:/eis/holdfast</lookup-name>
                          </resource-ref>
                        </web-app>
                        """), "web.xml");
        assertThat(layers(war)).contains("holdfast");
    }

    @Test
    void war_withoutALock_needsOtherLayersOnly() throws Exception {
        WebArchive war = ShrinkWrap.create(WebArchive.class, "plain.war").addClasses(PlainServlet.class);
        assertThat(layers(war)).contains("servlet").doesNotContain("holdfast");
    }
}
