// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The resource adapter comes and goes while the server runs, and an application holds locks when it goes. */
@Tag("nightly")
@ExtendWith(ArquillianExtension.class)
@Timeout(600)
class RedeployIT {

    private static final String EAR = "holding";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Threads of servers' own pools go when they have been idle for a minute. */
    private static final Duration IDLE = Duration.ofSeconds(90);

    /** As many as there is time for: some servers take many seconds for each. */
    private static final int REDEPLOYS = Integer.getInteger("redeploys", 20);

    private static final int WARM_UP = 1 + REDEPLOYS / 5;

    /** The server's own pools may grow or shrink a little; what is left behind each time comes to more. */
    private static final int TOLERANCE = REDEPLOYS / 2 + 1;

    /** GlassFish keeps one, and with it the class loaders, for each web module of an EAR that has gone, of any EAR. */
    private static final String OF_GLASSFISH = "JarFileManager-";

    /**
     * TomEE keeps those of each web module of an EAR, with the adapter or without:
     * ThreadSingletonServiceImpl.contextByClassLoader.
     */
    private static final boolean KEEPS_CLASS_LOADERS =
            System.getProperty("server").equals("tomee");

    private final RealNodes nodes = new RealNodes();
    private final HoldingApp app = new HoldingApp();

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = EAR, managed = false, testable = false)
    static EnterpriseArchive holding() throws Exception {
        return HoldingApp.ear();
    }

    @Test
    void undeployment_timeAndAgain_leavesTheLeasesToTheirTtlAndNoThreadSocketOrClassLoader() throws Exception {
        int connections = nodes.clients().size(); // a server may keep an adapter that another test has restarted
        redeploy(WARM_UP);
        ServerProcess server = new ServerProcess(ApplicationServer.current().pid());
        deployer.deploy(EAR);
        assertThat(server.classLoaders()).as("they can be counted").isPositive();
        assertThat(server.lockServices()).as("they can be counted").isPositive();
        deployer.undeploy(EAR);
        Map<String, Long> threads = server.threads();
        long sockets = server.sockets();
        int classLoaders = server.classLoaders(); // servers keep some of what other tests have deployed
        long lockServices = server.lockServices();

        redeploy(REDEPLOYS);
        long kept = newThreads(server.threads(), threads).getOrDefault(OF_GLASSFISH, 0L);
        await().atMost(IDLE).untilAsserted(() -> assertThat(newThreads(server.threads(), threads))
                .allSatisfy((name, count) ->
                        assertThat(count).isLessThan(name.equals(OF_GLASSFISH) ? kept + 1 : TOLERANCE)));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(server.sockets())
                .as("sockets; the server and the nodes close theirs in their own time")
                .isLessThan(sockets + TOLERANCE));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(nodes.clients())
                .as("clients of the nodes; an adapter that the server keeps opens and closes some in its own time")
                .hasSizeLessThan(connections + TOLERANCE));
        if (!KEEPS_CLASS_LOADERS) {
            await().atMost(PATIENCE) // some go with the second collection
                    .untilAsserted(
                            () -> assertThat(server.classLoaders() - kept).isLessThan(classLoaders + TOLERANCE));
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.lockServices()).isLessThan(lockServices + TOLERANCE));
    }

    private static Map<String, Long> newThreads(Map<String, Long> now, Map<String, Long> before) {
        Map<String, Long> more = new TreeMap<>(now);
        more.replaceAll((name, count) -> count - before.getOrDefault(name, 0L));
        return more;
    }

    private void redeploy(int times) throws Exception {
        for (int time = 0; time < times; time++) {
            String lock = "redeployed-" + time; // the one before still has its TTL
            deployer.deploy(EAR);
            long token = app.take(lock, 1);
            assertThat(nodes.isHeld(lock)).isTrue();
            deployer.undeploy(EAR);
            assertThat(nodes.isReleased(lock, token))
                    .as("its holder has not given it back: it must expire")
                    .isFalse();
        }
    }

    @Test
    void undeployment_whileNoNodeAnswers_doesNotWaitForEachLeaseAndLeavesThemToTheirTtl() throws Exception {
        deployer.deploy(EAR);
        app.take("frozen", 500);
        long begun = System.nanoTime();
        try (RealNodes.Frozen frozen = nodes.freeze()) {
            deployer.undeploy(EAR);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("the adapter takes 7 s at the most, and a node timeout for each lease would be 100 s")
                .isLessThan(PATIENCE);
        await().atMost(PATIENCE).until(() -> nodes.isFree("frozen"));
    }
}
