// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import net.javacrumbs.shedlock.core.LockProvider;
import org.holdfast.LockConnectionFactory;
import org.holdfast.shedlock.HoldfastLockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Gives an application with {@code holdfast-shedlock} and a factory a lock provider, if it has none. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass({LockProvider.class, HoldfastLockProvider.class})
@ConditionalOnSingleCandidate(LockConnectionFactory.class)
public final class HoldfastLockProviderAutoConfiguration {

    /** Is made by Spring Boot. */
    public HoldfastLockProviderAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(LockProvider.class)
    HoldfastLockProvider holdfastLockProvider(LockConnectionFactory factory) {
        return new HoldfastLockProvider(factory);
    }
}
