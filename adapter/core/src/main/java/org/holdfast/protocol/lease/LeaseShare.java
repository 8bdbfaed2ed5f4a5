// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

/**
 * One lease's part of a hold.
 *
 * @param reads whether the lease is only to read, though the hold may be more
 */
public record LeaseShare(HeldLock heldLock, boolean reads) {}
