// SPDX-License-Identifier: Apache-2.0
/**
 * Locks for Spring Integration.
 *
 * <p>{@link org.holdfast.spring.HoldfastLockRegistry} is where to begin. It gives out {@code RegistryLock}s, which have
 * no state; what a thread holds is a {@code Hold}, from its first {@code lock} to its last {@code unlock}. The package
 * {@code boot} below configures all this for Spring Boot.
 */
@NullMarked
package org.holdfast.spring;

import org.jspecify.annotations.NullMarked;
