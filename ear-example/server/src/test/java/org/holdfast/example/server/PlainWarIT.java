// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** A web module without a resource adapter: its locks end with the server's transactions all the same. */
@ExtendWith(ArquillianExtension.class)
@DisabledIfSystemProperty(
        named = "server",
        matches = "tomee",
        disabledReason =
                "the beans of tests have our package, which our libraries keep from being scanned, there for all of a module")
@Timeout(180)
class PlainWarIT {

    /** Less than the TTL of the module's leases: what is free by then was released. */
    private static final Duration SOON = Duration.ofSeconds(3);

    private final RealNodes nodes = new RealNodes(PlainServlet.NAME);
    private final PlainModule plain = new PlainModule(PlainServlet.NAME);

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = PlainServlet.NAME, managed = false, testable = false)
    static WebArchive module() {
        return PlainModule.archive(PlainServlet.NAME)
                .addClasses(
                        PlainServlet.class, PlainServlet.Locks.class, PlainServlet.Service.class, OnceAnswered.class)
                .addClasses(Ledger.class, Work.class, CompletionWitness.class, TransactionManagers.class);
    }

    @Deployment(name = SettingsServlet.NAME, managed = false, testable = false)
    static WebArchive moduleWithSettings() {
        return PlainModule.archive(SettingsServlet.NAME, SettingsServlet.Operator.class)
                .addClasses(SettingsServlet.class, SettingsServlet.Service.class);
    }

    @Test
    void lock_ofALockedTransactionalMethod_isHeldUntilTheCommitAndReleased_orNothingIsCommitted() throws Exception {
        deployer.deploy(PlainServlet.NAME);
        try {
            assertThat(plain.post("lock=committed")).isEqualTo("returned, [committed, held], written: true");
            await().atMost(SOON).until(() -> nodes.isFree("committed"));

            assertThat(plain.post("forced=true&lock=forced"))
                    .isEqualTo("LeaseLostException, [rolled back, free], written: false");
        } finally {
            deployer.undeploy(PlainServlet.NAME);
        }
    }

    /** WildFly hides the flight recorder from a web module that does not ask for it. */
    @Test
    void module_thatLocks_leavesNoClassThatCouldNotBeDefinedInTheLog() throws Exception {
        ServerLog log = ServerLog.fromNow();
        deployer.deploy(SettingsServlet.NAME);
        try {
            assertThat(new PlainModule(SettingsServlet.NAME).post("lock=quiet")).isEqualTo(SettingsServlet.NAME);
            assertThat(log.linesWith("Failed to define class")).isEmpty();
        } finally {
            deployer.undeploy(SettingsServlet.NAME);
        }
    }

    @Test
    void locked_withoutAdapterAndWithoutProducer_locksAtTheNodesOfTheSettings() throws Exception {
        deployer.deploy(SettingsServlet.NAME);
        try {
            assertThat(new PlainModule(SettingsServlet.NAME).post("lock=set")).isEqualTo(SettingsServlet.NAME);
            await().atMost(SOON).until(() -> new RealNodes(SettingsServlet.NAME).isFree("set"));
        } finally {
            deployer.undeploy(SettingsServlet.NAME);
        }
    }
}
