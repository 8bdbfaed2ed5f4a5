// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code @Asynchronous} of MicroProfile Fault Tolerance where servers put it: inside of the lock. */
@Tag("thorough")
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(named = "server.page", matches = "payara.md", disabledReason = "others are set up without it")
@Timeout(180)
class FaultToleranceIT {

    private static final String EAR = "tolerant";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = EAR, managed = false, testable = false)
    static EnterpriseArchive tolerant() throws Exception {
        WebArchive module = ShrinkWrap.create(WebArchive.class, "tolerant.war")
                .addClasses(FaultTolerantBean.class, FaultToleranceServlet.class)
                .addClasses(RealNodes.class, RealNodes.Frozen.class);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    @BeforeEach
    void deploy() {
        deployer.deploy(EAR);
    }

    @AfterEach
    void undeploy() {
        deployer.undeploy(EAR);
    }

    private static String get(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(RealServers.http() + path))
                .timeout(Duration.ofSeconds(60))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void methodWhoseCallerCancels_keepsItsLockUntilItHasEnded() throws Exception {
        assertThat(get("/tolerant")).isEqualTo("ran=true held=true then=false");
    }

    @Test
    void queuedCallThatIsCancelled_losesItsLock_andDoesNotRun() throws Exception {
        assertThat(get("/tolerant?call=queued")).isEqualTo("held=false ran=false");
    }
}
