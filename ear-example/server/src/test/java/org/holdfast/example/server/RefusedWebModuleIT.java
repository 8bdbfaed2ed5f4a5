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
 * Web modules with the annotation where no interceptor is: with the extension in the module, and beside the RAR alone.
 */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(
        named = "server.page",
        matches = "(wildfly|payara|tomee|openliberty).md",
        disabledReason = "not tried")
@Timeout(180)
class RefusedWebModuleIT {

    private static final String ADAPTER = "adapter";
    private static final String GETTING = "getting";
    private static final String PLAIN = "plain";

    /** Classes without a scope are no beans. */
    private static final StringAsset ANNOTATED = new StringAsset("""
            <beans xmlns="https://jakarta.ee/xml/ns/jakartaee" version="3.0" bean-discovery-mode="annotated"/>
            """);

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = ADAPTER, managed = false, testable = false)
    static ResourceAdapterArchive adapter() {
        ResourceAdapterArchive adapter =
                ShrinkWrap.createFromZipFile(ResourceAdapterArchive.class, new File(System.getProperty("server.rar")));
        ApplicationServer.current().describe(adapter);
        return adapter;
    }

    @Deployment(name = GETTING, managed = false, testable = false)
    static WebArchive getting() {
        return module(GETTING, GettingServlet.class);
    }

    @Deployment(name = PLAIN, managed = false, testable = false)
    static WebArchive plain() {
        return module(PLAIN, NoLockedBean.class);
    }

    private static WebArchive module(String name, Class<?> component) {
        WebArchive module = ShrinkWrap.create(WebArchive.class, name + ".war")
                .addClasses(RealNodes.class, RealNodes.Frozen.class, component)
                .addAsWebInfResource(ANNOTATED, "beans.xml");
        EnterpriseArchive ear = RealServers.ear();
        for (ArchivePath jar :
                ear.getContent(Filters.include("/lib/.*holdfast-cdi.*")).keySet()) {
            module.addAsLibrary(ear.get(jar).getAsset(), jar.get().substring("/lib/".length()));
        }
        ApplicationServer.current().grantAdapter(module);
        return References.addAlone(module, "holdfast");
    }

    @Test
    void module_whereTheAnnotationHasNoEffect_isNotDeployed() {
        deployer.deploy(ADAPTER);
        try {
            assertThat(refusal(GETTING)).contains("GettingServlet would run [doGet] without its lock");
            assertThat(refusal(PLAIN)).contains("NoLockedBean");
        } finally {
            deployer.undeploy(ADAPTER);
        }
    }

    private String refusal(String application) {
        return ApplicationServer.refusal(() -> deployer.deploy(application), () -> deployer.undeploy(application));
    }
}
