// SPDX-License-Identifier: Apache-2.0
/**
 * The auto-configuration for Spring Boot.
 *
 * <p>{@link org.holdfast.spring.boot.HoldfastAutoConfiguration} opens a factory from the properties {@code holdfast.*},
 * which {@code EnvironmentSettings} reads, where {@code holdfast.nodes} is set. The others add what fits the libraries
 * of the application: health ({@code QuorumHealthIndicator}), metrics, locks of
 * Spring Integration and of ShedLock.
 */
@NullMarked
package org.holdfast.spring.boot;

import org.jspecify.annotations.NullMarked;
