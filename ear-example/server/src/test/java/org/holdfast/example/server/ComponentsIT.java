// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Components that the server makes and CDI does not: where the annotation stands, the lock is held, or nothing is
 * deployed.
 */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(named = "server.page", matches = "(wildfly|payara).md", disabledReason = "not tried")
@Timeout(180)
class ComponentsIT {

    private static final String LOCKED = "components";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = LOCKED, managed = false, testable = false)
    static EnterpriseArchive locked() throws Exception {
        WebArchive module = ShrinkWrap.create(WebArchive.class, "components.war")
                .addClasses(LockedWebComponents.class, RealNodes.class, RealNodes.Frozen.class)
                .addClasses(
                        LockedWebComponents.HeldFilter.class,
                        LockedWebComponents.HeldListener.class,
                        Handler.class,
                        GenericLockedEjb.class,
                        LockedWebComponents.HeldServlet.class,
                        LockedWebComponents.Rest.class,
                        LockedWebComponents.HeldResource.class,
                        LockedWebComponents.HeldEndpoint.class);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    private String get(String path) throws Exception {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(URI.create(RealServers.http() + path))
                        .timeout(Duration.ofSeconds(60))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return response.statusCode() == 200 ? response.body() : response.statusCode() + ": " + response.body();
    }

    private String send(String path) throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        URI uri = URI.create(RealServers.http().replace("http", "ws") + path);
        WebSocket socket = http.newWebSocketBuilder()
                .buildAsync(uri, new WebSocket.Listener() {
                    @Override
                    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                        answer.complete(data.toString());
                        return null;
                    }
                })
                .get(60, TimeUnit.SECONDS);
        socket.sendText("?", true);
        try {
            return answer.get(60, TimeUnit.SECONDS);
        } finally {
            socket.abort();
        }
    }

    @Test
    void components_withoutAScope_runUnderTheirLock() throws Exception {
        deployer.deploy(LOCKED);
        try {
            assertThat(get("/components") + get("/rest/held") + send("/held"))
                    .isEqualTo("servlet=true filter=true listener=true generic=true resource=true endpoint=true ");
        } finally {
            deployer.undeploy(LOCKED);
        }
    }
}
