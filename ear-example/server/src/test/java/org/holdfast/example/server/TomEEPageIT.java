// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Set;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.Testable;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What the page of TomEE says and no deployment needs: the server takes any name for a setting, and does not complain.
 */
@EnabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "its settings are of TomEE")
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class TomEEPageIT {

    private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();

    @Deployment
    static EnterpriseArchive locksWithTests() throws Exception {
        WebArchive tests = ShrinkWrap.create(WebArchive.class, "tests.war")
                .addClass(TomEEPageIT.class)
                .addPackages(true, "org.assertj");
        return TestEar.withoutShop(Testable.archiveToTest(tests));
    }

    private ObjectName only(String pattern) throws Exception {
        Set<ObjectName> found = beans.queryNames(new ObjectName(pattern), null);
        assertThat(found).as(pattern).hasSize(1);
        return found.iterator().next();
    }

    @Test
    void pool_isAsLargeAsItIsSaidToBe() throws Exception {
        ObjectName pool = only("openejb.management:j2eeType=ConnectionFactory,name=holdfast.rar,*");
        assertThat(beans.getAttribute(pool, "MaxSize")).isEqualTo(64);
    }

    @Test
    void service_tellsHowItIs_whereThePageSays() throws Exception {
        ObjectName service = only("org.holdfast:type=LockService,*");
        assertThat(beans.getAttribute(service, "Acquired")).isInstanceOf(Long.class);
    }

    /** Without the setting there are three lines of each work, of all adapters that ever started. */
    @Test
    void log_tellsOfTheTimerAndNotOfEachWork() throws Exception {
        assertThat(Path.of(System.getProperty("catalina.base"), "logs", "catalina.out"))
                .content()
                .contains("HF0406")
                .doesNotContain("WorkerContext");
    }
}
