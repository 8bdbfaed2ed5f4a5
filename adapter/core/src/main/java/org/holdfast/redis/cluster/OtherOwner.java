// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

/**
 * Slots that were another node's than now, as a majority has said.
 *
 * @param agoNanos how long ago it was asked when it has said so last
 */
public record OtherOwner(SlotRange slots, long agoNanos) {}
