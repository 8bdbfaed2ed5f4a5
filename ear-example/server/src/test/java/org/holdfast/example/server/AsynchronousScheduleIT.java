// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where Jakarta Concurrency runs a method by a schedule, each run takes the lock, on the thread that runs it. */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(
        named = "server.java.minimum",
        matches = "21",
        disabledReason = "schedules came with Jakarta Concurrency 3.1, and so with Jakarta EE 11")
@Timeout(120)
class AsynchronousScheduleIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final RealNodes nodes = new RealNodes(AsynchronousServlet.NAME);
    private final PlainModule module = new PlainModule(AsynchronousServlet.NAME);

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = AsynchronousServlet.NAME, managed = false, testable = false)
    static WebArchive module() {
        return PlainModule.archive(AsynchronousServlet.NAME, AsynchronousServlet.Operator.class)
                .addClasses(AsynchronousServlet.class, AsynchronousServlet.Service.class);
    }

    private List<String> ask(String what) throws Exception {
        return module.post("what=" + what).lines().toList();
    }

    private void awaitRuns(int count) {
        List<String> runs = new ArrayList<>();
        await().atMost(PATIENCE).until(() -> {
            runs.addAll(ask("runs"));
            return runs.size() >= count;
        });
        assertThat(runs).allSatisfy(run -> assertThat(run).endsWith(": locked"));
    }

    @Test
    void method_byASchedule_isLockedInEachRun_andSkippedWhileAnotherHolderHasTheLock() throws Exception {
        deployer.deploy(AsynchronousServlet.NAME);
        try {
            assertThat(ask("once")).singleElement().asString().endsWith(": locked");
            await().atMost(PATIENCE).until(() -> nodes.isFree("once"));

            ask("schedule");
            awaitRuns(3);
            await().atMost(PATIENCE).until(() -> nodes.isFree("scheduled")); // between two runs

            ask("hold");
            ask("runs");
            await().pollDelay(Duration.ofSeconds(3)).until(() -> ask("runs").isEmpty());
            ask("release");
            awaitRuns(2);
        } finally {
            deployer.undeploy(AsynchronousServlet.NAME);
        }
    }
}
