// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ArchivePath;
import org.jboss.shrinkwrap.api.Filters;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A factory that goes while an application refers to it. GlassFish then has the reference as if nothing were bound,
 * and still has the other factory, which is the one without a reference.
 */
@EnabledIfSystemProperty(named = "server", matches = "glassfish", disabledReason = "there is no asadmin")
@ExtendWith(ArquillianExtension.class)
@Timeout(180)
class LostFactoryIT {

    private static final String ADAPTER = "adapter";
    private static final String LOST = "lost";

    private static final StringAsset BEANS = new StringAsset("""
            <beans xmlns="https://jakarta.ee/xml/ns/jakartaee" version="3.0" bean-discovery-mode="annotated"/>
            """);

    private final ComponentNamesApp app = new ComponentNamesApp("/lost/", LOST);

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = ADAPTER, managed = false, testable = false)
    static ResourceAdapterArchive adapter() {
        return ShrinkWrap.createFromZipFile(ResourceAdapterArchive.class, new File(System.getProperty("server.rar")));
    }

    /** Its name {@code eis/holdfast} is the factory of jobs. */
    @Deployment(name = LOST, managed = false, testable = false)
    static WebArchive lost() {
        WebArchive module = ShrinkWrap.create(WebArchive.class, LOST + ".war")
                .addClasses(AskingServlet.class, LockedWork.class, SilentEjb.class)
                .addClasses(RealNodes.class, RealNodes.Frozen.class)
                .addAsWebInfResource(BEANS, "beans.xml");
        EnterpriseArchive ear = RealServers.ear();
        for (ArchivePath jar :
                ear.getContent(Filters.include("/lib/.*holdfast-cdi.*")).keySet()) {
            module.addAsLibrary(ear.get(jar).getAsset(), jar.get().substring("/lib/".length()));
        }
        return References.addCrossed(module, "holdfast", "jobs");
    }

    @Test
    void method_whoseFactoryHasGone_runsUnderNoLockOfAnother() throws Exception {
        ApplicationServer server = ApplicationServer.current();
        deployer.deploy(ADAPTER);
        deployer.deploy(LOST);
        try {
            assertThat(app.call(SilentEjb.class))
                    .as("its lock is one of jobs, and it looks for one of the other factory")
                    .isEqualTo("ran without its lock");
            server.manage("delete-connector-connection-pool --cascade=true jobs");
            for (int call = 0; call < 3; call++) {
                assertThat(app.call(SilentEjb.class)).doesNotStartWith("ran");
            }
            assertThat(app.call(SilentEjb.class)).contains("HF0505", "'java:comp/env/eis/holdfast': ");
        } finally {
            clear(server);
        }
    }

    /** The commands of the page take away both pools. */
    private void clear(ApplicationServer server) throws Exception {
        deployer.undeploy(LOST);
        try {
            deployer.undeploy(ADAPTER);
        } catch (Exception e) { // Arquillian throws what the server's container throws
            server.removeRest("holdfast.rar", e);
        }
    }
}
