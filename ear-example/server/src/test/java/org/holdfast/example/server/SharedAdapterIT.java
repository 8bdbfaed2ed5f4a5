// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
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
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The RAR alone, and applications that come and go while it stays. */
@Tag("thorough")
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class SharedAdapterIT {

    private static final String ADAPTER = "adapter";
    private static final String ONE = "one";
    private static final String OTHER = "other";

    /** Of the pages' leases, when {@link Page} has shortened it. */
    private static final Duration TTL = Duration.ofSeconds(5);

    private final RealNodes nodes = new RealNodes();
    private final RealNodes nodesOfJobs = new RealNodes("jobs");
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = ADAPTER, managed = false, testable = false)
    static ResourceAdapterArchive adapter() {
        ResourceAdapterArchive adapter =
                ShrinkWrap.createFromZipFile(ResourceAdapterArchive.class, new File(System.getProperty("server.rar")));
        ApplicationServer.current().describe(adapter);
        return adapter;
    }

    @Deployment(name = ONE, managed = false, testable = false)
    static WebArchive one() {
        return application(ONE);
    }

    @Deployment(name = OTHER, managed = false, testable = false)
    static WebArchive other() {
        return application(OTHER);
    }

    private static WebArchive application(String name) {
        WebArchive application =
                ShrinkWrap.create(WebArchive.class, name + ".war").addClass(DetachedServlet.class);
        ApplicationServer.current().grantAdapter(application);
        return References.addAlone(application, "holdfast", "jobs");
    }

    private long take(String application, String factory, String lock) throws Exception {
        URI uri = URI.create(RealServers.http() + "/" + application + "/?factory=" + factory + "&lock=" + lock);
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(uri)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Long.parseLong(response.body());
    }

    @Test
    void renewal_goesOnWhenTheApplicationThatTookTheLeaseHasGone_andEndsWithTheAdapter() throws Exception {
        deployer.deploy(ADAPTER);
        deployer.deploy(ONE); // the first to use the adapter
        long token = take(ONE, "holdfast", "left");
        assertThat(nodesOfJobs.isFree("left")).isTrue();
        long tokenOfJobs = take(ONE, "jobs", "left");
        deployer.undeploy(ONE);
        await().during(TTL.multipliedBy(2))
                .atMost(TTL.multipliedBy(4))
                .until(() -> nodes.isHeld("left") && nodesOfJobs.isHeld("left"));

        deployer.deploy(OTHER);
        long otherToken = take(OTHER, "holdfast", "later");
        assertThat(nodes.isHeld("later")).isTrue();
        deployer.undeploy(OTHER);
        deployer.undeploy(ADAPTER);
        assertThat(nodes.isReleased("left", token)
                        || nodesOfJobs.isReleased("left", tokenOfJobs)
                        || nodes.isReleased("later", otherToken))
                .as("their holders have not given them back: they must expire")
                .isFalse();
        await().atMost(TTL.multipliedBy(6)) // keys outlive their leases by the longest TTL and more
                .until(() -> nodes.isFree("left") && nodesOfJobs.isFree("left") && nodes.isFree("later"));
    }
}
