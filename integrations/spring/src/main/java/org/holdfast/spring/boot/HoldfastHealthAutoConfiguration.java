// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import org.holdfast.LockConnectionFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Adds {@code holdfast} to the health of the application; {@code management.health.holdfast.enabled=false} leaves it
 * out.
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnSingleCandidate(LockConnectionFactory.class)
@ConditionalOnEnabledHealthIndicator("holdfast")
public final class HoldfastHealthAutoConfiguration {

    /** Is made by Spring Boot. */
    public HoldfastHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "holdfastHealthIndicator")
    HealthIndicator holdfastHealthIndicator(LockConnectionFactory factory) {
        return new QuorumHealthIndicator(factory);
    }
}
