// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.enterprise.inject.spi.Extension;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Beans that are not deployed, each with what is reported. */
abstract class RefusedBeans {

    static void deploy(Extension extension, Class<?>... beans) {
        try (WeldContainer container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addExtension(extension)
                .addBeanClasses(beans)
                .initialize()) {
            container.select(beans[0]).get();
        }
    }

    static void deploy(Class<?>... beans) {
        deploy(new Extension() {}, beans);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void deployment_isRefused(Class<?> bean, String... words) {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(bean))
                .withMessageContainingAll(words);
    }

    static Arguments bean(Class<?> bean, String... words) {
        return arguments(bean, words);
    }
}
