// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import org.holdfast.protocol.node.HolderInfo;
import org.jspecify.annotations.Nullable;

/**
 * The taker of a lock.
 *
 * @param holder the holder that may take it once more; null for none
 * @param holderInfo its description of itself
 * @param threadId of the thread that asked for it, which need not be the holder
 */
public record Taker(@Nullable Holder holder, HolderInfo holderInfo, long threadId) {}
