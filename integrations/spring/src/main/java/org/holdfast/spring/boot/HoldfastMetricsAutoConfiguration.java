// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import org.holdfast.LockConnectionFactory;
import org.holdfast.micrometer.HoldfastMetrics;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Gives an application with {@code holdfast-micrometer} and a factory its metrics, which Spring Boot registers. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass({MeterRegistry.class, HoldfastMetrics.class})
@ConditionalOnBean(LockConnectionFactory.class)
public final class HoldfastMetricsAutoConfiguration {

    /** Is made by Spring Boot. */
    public HoldfastMetricsAutoConfiguration() {}

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    HoldfastMetrics holdfastMetrics() {
        return new HoldfastMetrics();
    }
}
