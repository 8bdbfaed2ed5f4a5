// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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

/** A web module without a resource adapter goes while one of its methods works under a lock: that is not freed. */
@Tag("thorough")
@ExtendWith(ArquillianExtension.class)
@DisabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "as PlainWarIT")
@Timeout(180)
class PlainUndeployIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RealNodes nodes = new RealNodes(PlainWorkServlet.NAME);

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = PlainWorkServlet.NAME, managed = false, testable = false)
    static WebArchive module() {
        return PlainModule.archive(PlainWorkServlet.NAME, PlainWorkServlet.Operator.class)
                .addClasses(PlainWorkServlet.class, PlainWorkServlet.Service.class, WorkInAFile.class);
    }

    private long begin(WorkingApp app, String lock) {
        app.begin(lock, "");
        await().atMost(PATIENCE).until(() -> app.state(lock).equals("held"));
        assertThat(nodes.isHeld(lock)).isTrue();
        return nodes.token(lock);
    }

    /** Completes with the first state in which the lock is released, or with nothing after half of its TTL. */
    private CompletableFuture<String> watch(WorkingApp app, String lock, long token) {
        return CompletableFuture.supplyAsync(() -> {
            long begun = System.nanoTime();
            while (System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(PlainWorkServlet.TTL_MILLIS / 2)) {
                if (nodes.isReleased(lock, token)) {
                    return state(app, lock);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50)); // the nodes do not report a release here
            }
            return "";
        });
    }

    private static String state(WorkingApp app, String lock) {
        try {
            return app.state(lock);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void end(WorkingApp app, String lock) {
        try {
            app.end(lock);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void method_thatDoesNotEnd_losesItsLock_whichIsLeftToItsTtl() throws Exception {
        WorkingApp app = new WorkingApp("/" + PlainWorkServlet.NAME + "/");
        deployer.deploy(PlainWorkServlet.NAME);
        try {
            long token = begin(app, "endless");
            CompletableFuture<String> released = watch(app, "endless", token);
            deployer.undeploy(PlainWorkServlet.NAME);
            assertThat(released.get(60, TimeUnit.SECONDS))
                    .as("state of the holder when its lock was released")
                    .isEmpty();
            await().atMost(PATIENCE).until(() -> nodes.isFree("endless"));
            assertThat(nodes.isReleased("endless", token)).as("it has expired").isFalse();
        } finally {
            app.end("endless");
        }
    }

    @Test
    void method_thatEndsInTime_releasesItsLock() throws Exception {
        WorkingApp app = new WorkingApp("/" + PlainWorkServlet.NAME + "/");
        deployer.deploy(PlainWorkServlet.NAME);
        long token = begin(app, "ending");
        CompletableFuture<Void> end = CompletableFuture.runAsync(
                () -> end(app, "ending"),
                CompletableFuture.delayedExecutor(PlainWorkServlet.STOP_TIMEOUT_MILLIS / 4, TimeUnit.MILLISECONDS));
        deployer.undeploy(PlainWorkServlet.NAME);
        end.get(60, TimeUnit.SECONDS);
        await().atMost(PATIENCE).until(() -> nodes.isFree("ending"));
        assertThat(nodes.isReleased("ending", token)).as("not left to its TTL").isTrue();
    }
}
