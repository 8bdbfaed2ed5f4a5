// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import org.holdfast.LockConnectionFactory;
import org.holdfast.spring.HoldfastLockRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/** Gives an application with Spring Integration and a factory a lock registry, if it has none. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnSingleCandidate(LockConnectionFactory.class)
public final class HoldfastLockRegistryAutoConfiguration {

    /** Is made by Spring Boot. */
    public HoldfastLockRegistryAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    HoldfastLockRegistry holdfastLockRegistry(LockConnectionFactory factory) {
        return new HoldfastLockRegistry(factory);
    }
}
