// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** An EAR with an EJB JAR whose EJBs have names of their own, seen from outside. */
final class ComponentNamesApp {

    /** What a call answers whose method ran under its lock. */
    static final String RAN = "ran under its lock";

    private static final StringAsset BEANS = new StringAsset("""
            <beans xmlns="https://jakarta.ee/xml/ns/jakartaee" version="3.0" bean-discovery-mode="annotated"/>
            """);

    private static final String DESCRIPTOR = """
            <ejb-jar xmlns="https://jakarta.ee/xml/ns/jakartaee" version="4.0">
              <enterprise-beans>%s</enterprise-beans>
            </ejb-jar>
            """;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final String root;
    private final String module;

    ComponentNamesApp() {
        this("/", "components");
    }

    /**
     * @param root where the servlet is, with a slash at its end
     * @param module which has the EJBs
     */
    ComponentNamesApp(String root, String module) {
        this.root = root;
        this.module = module;
    }

    /** @param entries what the descriptor has below each EJB, by its class */
    static EnterpriseArchive ear(Map<Class<?>, String> entries) throws IOException {
        String beans = entries.entrySet().stream()
                .map(entry -> ejb(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining());
        JavaArchive ejbs = ShrinkWrap.create(JavaArchive.class, "components.jar")
                .addClasses(entries.keySet().toArray(Class<?>[]::new))
                .addClasses(RealNodes.class, RealNodes.Frozen.class)
                .addAsManifestResource(BEANS, "beans.xml")
                .addAsManifestResource(new StringAsset(DESCRIPTOR.formatted(beans)), "ejb-jar.xml");
        JavaArchive common = ShrinkWrap.create(JavaArchive.class, "common.jar").addClass(LockedWork.class);
        EnterpriseArchive ear = TestEar.withoutShop(
                ShrinkWrap.create(WebArchive.class, "asking.war").addClass(AskingServlet.class));
        try (InputStream in = ear.get("META-INF/application.xml").getAsset().openStream()) {
            String descriptor = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return ear.addAsLibrary(common)
                    .addAsModule(ejbs)
                    .setApplicationXML(new StringAsset(descriptor.replaceFirst(
                            "<module>", "<module><ejb>" + ejbs.getName() + "</ejb></module><module>")));
        }
    }

    private static String ejb(Class<?> type, String entries) {
        return "<session><ejb-name>" + type.getSimpleName() + "</ejb-name><ejb-class>" + type.getName()
                + "</ejb-class><session-type>Stateless</session-type>" + entries + "</session>";
    }

    /** Calls the EJB of that class. */
    String call(Class<?> ejb) throws IOException, InterruptedException {
        String name = ejb.getSimpleName();
        URI uri = URI.create(RealServers.http() + root + "?ejb=" + module + "/" + name + "&lock=of-" + name);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .POST(HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(60))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
}
