// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import net.javacrumbs.shedlock.core.LockProvider;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.shedlock.HoldfastLockProvider;
import org.holdfast.spring.HoldfastLockRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Gives an application a {@link LockConnectionFactory}, and what needs one.
 *
 * <p>The factory comes from the properties {@code holdfast.*}, where {@code holdfast.nodes} is set and the application has
 * no such bean; it is closed with the context. A {@link HoldfastLockRegistry} comes with Spring Integration, a {@link
 * HoldfastLockProvider} with the jar {@code holdfast-shedlock}, each where there is a factory and the application has no
 * other bean of that kind.
 */
@AutoConfiguration
public final class HoldfastAutoConfiguration {

    /** Is made by Spring Boot. */
    public HoldfastAutoConfiguration() {}

    /** Opens the factory. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(OnNodesCondition.class)
    static class Factory {

        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean
        LockConnectionFactory holdfastLockConnectionFactory(Environment environment) {
            return Holdfast.connect(EnvironmentSettings.read(environment));
        }
    }

    /** Spring Integration is there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LockRegistry.class)
    @ConditionalOnBean(LockConnectionFactory.class)
    static class Registry {

        @Bean
        @ConditionalOnMissingBean(LockRegistry.class)
        HoldfastLockRegistry holdfastLockRegistry(LockConnectionFactory factory) {
            return new HoldfastLockRegistry(factory);
        }
    }

    /** ShedLock is there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({LockProvider.class, HoldfastLockProvider.class})
    @ConditionalOnBean(LockConnectionFactory.class)
    static class Jobs {

        @Bean
        @ConditionalOnMissingBean(LockProvider.class)
        HoldfastLockProvider holdfastLockProvider(LockConnectionFactory factory) {
            return new HoldfastLockProvider(factory);
        }
    }
}
