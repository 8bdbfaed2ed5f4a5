// SPDX-License-Identifier: Apache-2.0

/**
 * The lock services of a JVM as meters of Micrometer.
 *
 * <p>{@link org.holdfast.micrometer.HoldfastMetrics} is all that an application uses. It reads what JMX shows of each
 * lock service, and no class of Holdfast: in an application server the adapter's classes are not those of the
 * application. A {@code ServiceWatch} follows which services there are, {@code ServiceMeters} are the meters of one of
 * them, and {@code LockServiceBean} reads its attributes.
 */
@NullMarked
package org.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
