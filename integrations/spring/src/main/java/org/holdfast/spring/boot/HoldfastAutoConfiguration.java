// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * Gives an application a {@link LockConnectionFactory} from the properties {@code holdfast.*}, where {@code
 * holdfast.nodes} is set and the application has no such bean. It is closed with the context.
 */
@AutoConfiguration
@Conditional(OnNodesCondition.class)
public final class HoldfastAutoConfiguration {

    /** Is made by Spring Boot. */
    public HoldfastAutoConfiguration() {}

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    LockConnectionFactory holdfastLockConnectionFactory(Environment environment) {
        return Holdfast.connect(EnvironmentSettings.read(environment));
    }
}
