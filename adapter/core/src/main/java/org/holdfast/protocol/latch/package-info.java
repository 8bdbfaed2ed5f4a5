// SPDX-License-Identifier: Apache-2.0
/**
 * Latches: {@link org.holdfast.protocol.latch.Latches} counts them down and waits for them, {@code Count} puts the
 * answers of one round together, {@code Waiters} are the callers that wait, {@code LatchHandle} is what the
 * application has, {@link org.holdfast.protocol.latch.LatchCaller} the connection that gave it.
 *
 * <p>A latch has no holder, so it needs no lease, token or renewal: calls are recorded, and a set that only grows may
 * be sent in any order and as often as needed. The room knows {@code queue} for notifications, {@code quorum} for
 * votes, and the rooms below them.
 */
@NullMarked
package org.holdfast.protocol.latch;

import org.jspecify.annotations.NullMarked;
