// SPDX-License-Identifier: Apache-2.0

/**
 * Whether an application can have its locks, for MicroProfile Health.
 *
 * <p>{@link org.holdfast.microprofile.LockReadiness} is a bean that the server finds. An application has this jar
 * beside {@code holdfast-cdi}, and does nothing else.
 */
@NullMarked
package org.holdfast.microprofile;

import org.jspecify.annotations.NullMarked;
