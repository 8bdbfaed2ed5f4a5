// SPDX-License-Identifier: Apache-2.0
/**
 * A lock provider for ShedLock: its jobs run under leases on a majority of Redis nodes.
 *
 * <p>{@link org.holdfast.shedlock.HoldfastLockProvider} is where to begin. {@code JobRequest} makes a request for a
 * lease of what ShedLock asks for. {@code JobLock} is one lock of a job: from when it is taken, or extended, until it
 * is unlocked, extended or over.
 */
@NullMarked
package org.holdfast.shedlock;

import org.jspecify.annotations.NullMarked;
