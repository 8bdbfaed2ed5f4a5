// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.inject.Inject;
import java.time.Duration;
import org.holdfast.StaleLeaseException;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.Testable;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A holder that sleeps until another has had its lock, and then writes to a real database. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class FencingIT {

    private static final String PERSISTENCE = """
            <persistence xmlns="https://jakarta.ee/xml/ns/persistence" version="3.0">
              <persistence-unit name="shelves">
                <jta-data-source>java:comp/DefaultDataSource</jta-data-source>
                <properties>
                  <property name="jakarta.persistence.schema-generation.database.action" value="drop-and-create"/>
                </properties>
              </persistence-unit>
            </persistence>
            """;

    private final RealNodes nodes = new RealNodes();

    @Resource(lookup = "java:comp/DefaultManagedExecutorService")
    private ManagedExecutorService executor;

    @Inject
    private FencedBean bean;

    @Deployment
    static EnterpriseArchive locksWithTests() throws Exception {
        WebArchive tests = ShrinkWrap.create(WebArchive.class, "tests.war")
                .addClasses(FencingIT.class, RealNodes.class, RealNodes.Frozen.class, Work.class)
                .addClasses(FencedBean.class, Shelf.class)
                .addAsResource(new StringAsset(PERSISTENCE), "META-INF/persistence.xml")
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml")
                .addPackages(true, "org.assertj", "org.awaitility", "org.hamcrest");
        return TestEar.withoutShop(Testable.archiveToTest(tests));
    }

    /** Lets no node answer for longer than the TTL, and then lets another have the lock and write. */
    private Work asleepUntilAnotherWrites(String shelf, int quantity) {
        return () -> {
            try (RealNodes.Frozen frozen = nodes.freeze()) {
                await().pollDelay(Duration.ofMillis(400)).until(() -> true);
            }
            executor.submit(() -> {
                        bean.write(shelf, quantity, () -> {});
                        return null;
                    })
                    .get(30, SECONDS);
        };
    }

    @Test
    void write_ofAHolderWhoSlept_isRefusedByTheRow() throws Exception {
        bean.write("lamps", 100, () -> {});
        assertThatExceptionOfType(StaleLeaseException.class)
                .isThrownBy(() -> bean.write("lamps", 1, asleepUntilAnotherWrites("lamps", 99)))
                .withMessageContaining("'shelf-lamps'");
        assertThat(bean.quantity("lamps")).isEqualTo(99);
        bean.write("lamps", 98, () -> {});
        assertThat(bean.quantity("lamps")).isEqualTo(98);
    }

    /** Proves that the test above can fail. */
    @Test
    void write_withoutAFence_ofAHolderWhoSlept_undoesWhatAnotherHasWritten() throws Exception {
        bean.write("desks", 100, () -> {});
        bean.writeUnfenced("desks", 1, asleepUntilAnotherWrites("desks", 99));
        assertThat(bean.quantity("desks")).isEqualTo(1);
    }
}
