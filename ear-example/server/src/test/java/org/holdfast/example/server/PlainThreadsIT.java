// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** The threads of a web module without a resource adapter are the container's, and nothing depends on that. */
@Tag("thorough")
@ExtendWith(ArquillianExtension.class)
@DisabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "as PlainWarIT")
@Timeout(240)
class PlainThreadsIT {

    private static final Duration TTL = Duration.ofMillis(ThreadsServlet.TTL_MILLIS);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Threads of the servers' own pools go when they have been idle for a minute. */
    private static final Duration IDLE = Duration.ofSeconds(90);

    private static final int REDEPLOYS = 6;

    /** Open Liberty has the threads of its executors also for requests, and answers none as long as they are in use. */
    private static final Duration SATURATED =
            System.getProperty("server").equals("liberty") ? TTL.multipliedBy(4) : PATIENCE.multipliedBy(4);

    private final RealNodes nodes = new RealNodes(ThreadsServlet.NAME);
    private final PlainModule module = new PlainModule(ThreadsServlet.NAME);

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = ThreadsServlet.NAME, managed = false, testable = false)
    static WebArchive module() {
        return PlainModule.archive(ThreadsServlet.NAME, ThreadsServlet.Operator.class)
                .addClasses(ThreadsServlet.class, ThreadsServlet.Service.class);
    }

    private String ask(String what) throws Exception {
        return module.post("what=" + what);
    }

    private String prefixOfTheContainer() throws Exception {
        return ask("container").replaceFirst("\\d+$", "");
    }

    private List<String> threads() throws Exception {
        return ask("threads").lines().toList();
    }

    @Test
    void threads_areTheContainers_andWhatTheApplicationUsesUpIsNotTheirs() throws Exception {
        deployer.deploy(ThreadsServlet.NAME);
        try {
            String prefix = prefixOfTheContainer();
            module.post("what=hold&lock=saturated");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(threads())
                    .as("one makes threads, one renews, one looks at the nodes")
                    .hasSizeGreaterThanOrEqualTo(3)
                    .allSatisfy(name -> assertThat(name).startsWith(prefix)));

            String notBegun = module.post("what=saturate&seconds=" + SATURATED.toSeconds());
            if (System.getProperty("server").equals("wildfly")) { // others have no bound
                assertThat(notBegun).as("tasks that the executors do not begin").matches("[1-9]\\d* [1-9]\\d*");
            }
            await().pollDelay(TTL.multipliedBy(2)).until(() -> true);
            assertThat(nodes.isHeld("saturated")).isTrue();
            await().atMost(PATIENCE).until(() -> ask("held").equals("true"));

            try (RealNodes.Frozen frozen = nodes.freeze()) {
                await().atMost(PATIENCE)
                        .untilAsserted(
                                () -> assertThat(ask("lost")).startsWith(prefix).endsWith(", with names"));
            }
            assertThat(ask("held")).isEqualTo("false");
        } finally {
            deployer.undeploy(ThreadsServlet.NAME);
        }
    }

    @Test
    void undeployment_timeAndAgain_leavesNoThreadAndNoLockService() throws Exception {
        redeploy();
        ServerProcess server = new ServerProcess(ApplicationServer.current().pid());
        Map<String, Long> before = server.threads();
        long lockServices = server.lockServices();
        for (int time = 0; time < REDEPLOYS; time++) {
            redeploy();
        }
        await().atMost(IDLE).untilAsserted(() -> assertThat(server.threads())
                .allSatisfy((name, count) ->
                        assertThat(count).as(name).isLessThan(before.getOrDefault(name, 0L) + REDEPLOYS)));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.lockServices()).isLessThan(lockServices + REDEPLOYS));
    }

    private void redeploy() throws Exception {
        deployer.deploy(ThreadsServlet.NAME);
        try {
            assertThat(module.post("what=hold&lock=redeployed")).isEqualTo("redeployed");
        } finally {
            deployer.undeploy(ThreadsServlet.NAME);
        }
        await().atMost(PATIENCE).until(() -> nodes.isFree("redeployed")); // it was released, or its TTL has ended
    }
}
