// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.inject.spi.Extension;
import java.io.IOException;
import java.time.Duration;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An EAR with a resource adapter, on a server whose operator has also set what a plain web module reads. Some servers
 * bind the adapter's factory after the web module has begun, and show the module the adapter's classes before.
 */
@Tag("thorough")
@ExtendWith(ArquillianExtension.class)
@Timeout(240)
class SettingsBesideAdapterIT {

    /** Also for the quarantine of the nodes. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The module has no reference to the factory: that would be bound, and end the search. */
    @Deployment(testable = false)
    static EnterpriseArchive besideTheAdapter() throws IOException {
        WebArchive module = ShrinkWrap.create(WebArchive.class, SettingsServlet.NAME + ".war")
                .addClasses(SettingsServlet.class, SettingsServlet.Service.class, SettingsServlet.Operator.class)
                .addClasses(OperatorsSettings.class, RealNodes.class, RealNodes.Frozen.class)
                .addAsServiceProvider(Extension.class, SettingsServlet.Operator.class);
        return TestEar.withoutShop(module);
    }

    @Test
    void locked_besideAnAdapter_locksWithItOrRefuses_andNeverWithSettings() {
        PlainModule module = new PlainModule();
        String[] answer = {""};
        await().atMost(PATIENCE).until(() -> {
            answer[0] = module.post("lock=beside");
            return !answer[0].matches("(?s)\\d+: .*");
        });
        assertThat(answer[0]).isEqualTo(SettingsServlet.OF_THE_ADAPTER);
    }
}
