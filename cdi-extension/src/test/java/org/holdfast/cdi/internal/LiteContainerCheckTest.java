// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension;
import java.util.ServiceLoader;
import org.holdfast.cdi.Locked;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;

/** Weld runs both kinds of extensions. That Quarkus, which runs one, builds no such application is tested there. */
class LiteContainerCheckTest {

    @SuppressWarnings("unchecked") // an array of classes, by which Weld takes them
    private static Weld weld() {
        return new Weld()
                .disableDiscovery()
                .addBeanClass(Stock.class)
                .addBuildCompatibleExtensions(LiteContainerCheck.class);
    }

    @Test
    void container_withThePortableExtension_isNotRefused() {
        try (WeldContainer container = weld().addExtension(new LockExtension()).initialize()) {
            assertThat(container.select(Stock.class).isResolvable()).isTrue();
        }
    }

    @Test
    void check_isFoundByContainers() {
        assertThat(ServiceLoader.load(BuildCompatibleExtension.class))
                .hasAtLeastOneElementOfType(LiteContainerCheck.class);
    }

    static class Stock {

        @Locked("stock")
        void sell() {}
    }
}
